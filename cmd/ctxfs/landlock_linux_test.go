package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// landlockMode names the folders, separated by colons, that the program which this
// one becomes may write to; seccompMode, set to anything, takes its sockets away.
// forbidMode names by their numbers, separated by commas, the system calls that the
// program may not make.
const (
	landlockMode = "CTXFS_TEST_LANDLOCK"
	seccompMode  = "CTXFS_TEST_SECCOMP"
	forbidMode   = "CTXFS_TEST_FORBID"
)

// runInLandlock becomes the program that its arguments name, in the sandbox that
// Codex makes of Landlock and seccomp on Linux: everything may be read, only some
// folders may be written to, and nothing may connect to a socket. It returns the
// exit code where it cannot.
func runInLandlock(writable string) int {
	runtime.LockOSThread() // which becomes the program
	err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	if err == nil {
		err = landlock(strings.Split(writable, ":"))
	}
	if _, ok := os.LookupEnv(seccompMode); ok && err == nil {
		err = forbid(unix.SYS_CONNECT)
	}
	return becomeProgram("landlock", err)
}

// runForbidding becomes the program that its arguments name, as in a container that does
// not let it make some system calls. It returns the exit code where it cannot.
func runForbidding(calls string) int {
	runtime.LockOSThread() // which becomes the program
	err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	var numbers []uint32
	for number := range strings.SplitSeq(calls, ",") {
		n, bad := strconv.Atoi(number)
		err = errors.Join(err, bad)
		numbers = append(numbers, uint32(n))
	}
	if err == nil {
		err = forbid(numbers...)
	}
	return becomeProgram("forbid", err)
}

// becomeProgram becomes the program that the arguments name, unless there was an error.
func becomeProgram(what string, err error) int {
	var program string
	if err == nil {
		program, err = exec.LookPath(os.Args[1])
	}
	if err == nil {
		err = syscall.Exec(program, os.Args[1:], os.Environ())
	}
	fmt.Fprintln(os.Stderr, what+":", err)
	return 125
}

// landlock restricts this thread. Source: landlock(7), access rights of ABI 3.
func landlock(writable []string) error {
	const read = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	const all = unix.LANDLOCK_ACCESS_FS_TRUNCATE<<1 - 1
	attr := unix.LandlockRulesetAttr{Handled_access_fs: all}
	// The kernel takes the first member alone, as it was in the first version.
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr.Handled_access_fs), 0)
	if errno != 0 {
		return fmt.Errorf("landlock_create_ruleset: %w", errno)
	}
	allow := func(dir string, access uint64) error {
		parent, err := unix.Open(dir, unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			return fmt.Errorf("open %s: %w", dir, err)
		}
		defer unix.Close(parent)
		rule := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(parent)}
		if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, fd, unix.LANDLOCK_RULE_PATH_BENEATH,
			uintptr(unsafe.Pointer(&rule)), 0, 0, 0); errno != 0 {
			return fmt.Errorf("landlock_add_rule %s: %w", dir, errno)
		}
		return nil
	}
	if err := allow("/", read); err != nil {
		return err
	}
	for _, dir := range append(writable, "/dev") {
		if err := allow(dir, all); err != nil {
			return err
		}
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return fmt.Errorf("landlock_restrict_self: %w", errno)
	}
	return nil
}

// forbid has system calls answered "operation not permitted". Source: seccomp(2); the
// number of the call is the first word of its data.
func forbid(calls ...uint32) error {
	filter := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS}}
	for _, call := range calls {
		filter = append(filter,
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: call},
			unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)})
	}
	filter = append(filter, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW})
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0)
}

// inLandlock runs a program in the sandbox.
func (b *box) inLandlock(writable string, sockets bool, args ...string) result {
	b.Helper()
	in := *b
	in.env = append(append([]string{}, b.env...), landlockMode+"="+writable)
	if !sockets {
		in.env = append(in.env, seccompMode+"=1")
	}
	return in.do(stubPath(), args...)
}

// TestLandlock has the real program work in a Landlock sandbox as Codex makes it: reading
// needs nothing, calling wants sockets or files, and a command runs in any case.
func TestLandlock(t *testing.T) {
	t.Parallel()
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION); errno != 0 {
		t.Skip("this kernel has no Landlock")
	}
	b := realBox(t)
	b.stub("zoo", "", nil)
	b.write(".config/ctxfs/config.toml", "[mcp]\nfile_calls = true\n")
	b.mount()
	b.ready("zoo")
	work := filepath.Join(b.dir, "work")
	must(t, os.Mkdir(work, 0o777))
	must(t, os.Chmod(work, 0o777))
	call := []string{binary(), "call", "zoo", "greet", "--who", "Ada"}

	// The sandbox closes what it should.
	if r := b.inLandlock(work, true, "touch", filepath.Join(b.home, "x")); r.code == 0 {
		t.Error("the sandbox is open")
	}
	for _, c := range []struct {
		name     string
		writable string
		sockets  bool
		args     []string
		out      string // what it prints
	}{
		{"reading", work, false, []string{"cat", b.mnt("mcps/zoo/tools/greet.json")}, "xylophone"},
		{"searching", work, false, []string{"grep", "-rl", "xylophone", b.mnt("mcps/zoo/tools")}, "greet.json"},
		{"calling with sockets", work, true, call, `{"who":"Ada"}`},
		{"a program of bin with sockets", work, true, []string{b.mnt("mcps/zoo/bin/greet"), "--who", "Ada"}, `{"who":"Ada"}`},
		{"a command", work, false, []string{binary(), "run", "--", "echo", "done"}, "done"},
		{"a call by a file", work + ":" + b.mnt(), false, []string{"bash", "-c", "cd " + b.mnt("mcps/zoo/calls") +
			` && echo '{"who":"Ada"}' >greet.1.json && cat greet.1.result`}, "Ada"},
	} {
		if r := b.inLandlock(c.writable, c.sockets, c.args...); r.code != 0 || !strings.Contains(r.out, c.out) {
			t.Errorf("%s: exit %d\n%v", c.name, r.code, r)
		}
	}

	// Without sockets the error names the cause and the way out.
	for _, c := range []struct {
		writable string
		words    []string
	}{
		{work, []string{"this sandbox forbids sockets", "operation not permitted", "allow Unix sockets"}},
		{work + ":" + b.mnt(), []string{"this sandbox forbids sockets", "call by a file", b.mnt("mcps/SERVER/calls")}},
	} {
		if r := b.inLandlock(c.writable, false, call...); r.code == 0 || !containsAll(r.err, c.words) || strings.Contains(r.err, "XDG_STATE_HOME") {
			t.Errorf("a call without sockets: exit %d\n%v", r.code, r)
		}
	}
}
