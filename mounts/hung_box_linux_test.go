package mounts

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ctxfs/fs/fstest"
	"ctxfs/mounts/guard"
)

// nobody is the ordinary user of the tests.
const nobody = 65534

// hangingProcess is a background process with a mount that can be made to hang.
type hangingProcess struct {
	testing.TB
	uid          int
	exe          string
	runtime, dir string
	pid          int
	cmd          *exec.Cmd
	stdin        io.WriteCloser
	lines        *bufio.Scanner
	errs         *os.File
	minor        string
}

// serveHanging starts a background process of a user. Nothing of it outlives
// the test: root aborts what hangs.
func serveHanging(t testing.TB, uid int, guarded bool) *hangingProcess {
	t.Helper()
	if os.Getuid() != 0 && !guarded {
		t.Skip("only root could clear up")
	}
	device, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no FUSE here: %v", err)
	}
	device.Close()
	base, err := os.MkdirTemp("/tmp", "cx")
	fstest.Must(t, err)
	p := &hangingProcess{TB: t, uid: uid, exe: filepath.Join(base, "test"), runtime: filepath.Join(base, "run"), dir: filepath.Join(base, "mnt")}
	self, err := os.Executable()
	if err == nil {
		// Not written by this process: a child of another test may still have the file
		// open for writing when it is executed.
		err = errors.Join(os.Chmod(base, 0o755), exec.Command("cp", self, p.exe).Run())
	}
	for _, dir := range []string{p.runtime, p.dir} {
		err = errors.Join(err, os.Mkdir(dir, 0o700), os.Chown(dir, uid, uid))
	}
	if err == nil {
		p.errs, err = os.Create(filepath.Join(base, "log"))
	}
	fstest.Must(t, err)
	p.cmd = p.helper("serve", p.runtime, p.dir, strconv.FormatBool(guarded))
	p.cmd.SysProcAttr.Setpgid = true
	p.cmd.Stderr = p.errs
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		p.stdin, err = p.cmd.StdinPipe()
	}
	if err == nil {
		err = p.cmd.Start()
	}
	fstest.Must(t, err)
	p.pid, p.lines = p.cmd.Process.Pid, bufio.NewScanner(out)
	t.Cleanup(func() { p.clear(base) })
	p.hear("mounted")
	p.minor = p.point().minor
	if os.Getuid() == 0 {
		// The way out is ready before anything hangs.
		if err := canAbort(p.minor); err != nil {
			t.Skipf("what hangs could not be freed: %v", err)
		}
	}
	return p
}

// canAbort returns why root cannot end a connection, by trying it on one that
// does not exist.
func canAbort(string) error {
	if err := guard.Abort("0"); !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("the control files cannot be reached: %w", err)
	}
	return nil
}

func (p *hangingProcess) clear(base string) {
	_ = p.cmd.Process.Kill()
	// Once the mount is gone, its number may be that of another one.
	if now, found, err := mountedAt(p.dir); err == nil && found && now.minor == p.minor && os.Getuid() == 0 {
		_ = guard.Abort(p.minor)
	}
	_ = p.cmd.Wait()
	_ = syscall.Unmount(p.dir, syscall.MNT_DETACH)
	if p.Failed() {
		log, _ := os.ReadFile(p.errs.Name())
		p.Logf("log:\n%s", log)
	}
	_ = p.errs.Close()
	if err := os.RemoveAll(base); err != nil {
		p.Error(err)
	}
}

// helper prepares this program in one of its roles, as the user of the process.
func (p *hangingProcess) helper(role string, args ...string) *exec.Cmd {
	return p.command(append(os.Environ(), helperEnv+"="+role), p.exe, args...)
}

func (p *hangingProcess) command(env []string, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = "/", env
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(p.uid), Gid: uint32(p.uid), NoSetGroups: os.Getuid() != 0}}
	return cmd
}

// hear reads the output of the process up to a line.
func (p *hangingProcess) hear(line string) {
	p.Helper()
	timer := time.AfterFunc(time.Minute, func() { _ = p.cmd.Process.Kill() })
	defer timer.Stop()
	for p.lines.Scan() {
		if p.lines.Text() == line {
			return
		}
	}
	p.Fatalf("the process ended before it said %q", line)
}

func (p *hangingProcess) say(line string) {
	p.Helper()
	if _, err := fmt.Fprintln(p.stdin, line); err != nil {
		p.Fatal(err)
	}
}

// point returns the mount of the process.
func (p *hangingProcess) point() Point {
	p.Helper()
	point, found, err := mountedAt(p.dir)
	if err != nil || !found {
		p.Fatalf("not mounted: %v", err)
	}
	return point
}

// read starts a program that lists a folder of the mount.
func (p *hangingProcess) read(name string) *exec.Cmd {
	p.Helper()
	cmd := p.command(append(os.Environ(), "LC_ALL=C"), "ls", "-f", filepath.Join(p.dir, name))
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	fstest.Must(p, cmd.Start())
	return cmd
}

// jam makes the mount hang: readers have or want the lock of a folder, and a
// thread of the process wants it too.
func (p *hangingProcess) jam() []*exec.Cmd {
	p.Helper()
	if out, err := p.command(os.Environ(), "cat", filepath.Join(p.dir, "hanging/file")).CombinedOutput(); err != nil {
		p.Fatalf("%v: %s", err, out)
	}
	first := p.read("hanging")
	p.hear("listing")
	p.say("change")
	p.awaitThread("waits for the folder's lock", 'D')
	return []*exec.Cmd{first, p.read("hanging"), p.read("hanging")}
}

// touch makes the process wait for an answer of its own.
func (p *hangingProcess) touch() []*exec.Cmd {
	p.Helper()
	p.say("touch")
	p.hear("looking up")
	reader := p.read("hanging")
	p.hear("listing")
	return []*exec.Cmd{reader}
}

// threads returns the states of the threads, by their numbers.
func (p *hangingProcess) threads() map[int]byte {
	files, err := filepath.Glob(procOf(p.pid) + "/task/*/stat")
	fstest.Must(p, err)
	states := make(map[int]byte)
	for _, file := range files {
		if stat, err := os.ReadFile(file); err == nil {
			id, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			states[id] = stat[bytes.LastIndexByte(stat, ')')+2]
		}
	}
	return states
}

func (p *hangingProcess) states() []byte { return slices.Collect(maps.Values(p.threads())) }

func (p *hangingProcess) awaitThread(what string, state byte) {
	p.Helper()
	seen := make(map[int]int) // how often in turn, by thread: each waits for a moment now and then
	// The kernel tells nobody what state a thread is in.
	fstest.Eventually(p.TB, what, func() bool {
		most := 0
		for id, now := range p.threads() {
			if seen[id]++; now != state {
				seen[id] = 0
			}
			most = max(most, seen[id])
		}
		return most >= 10
	})
}

// stop stops the process, as far as its threads do not wait in D. The kernel may give a
// signal for a process to any thread; one in D would leave it pending, and the others would
// go on.
func (p *hangingProcess) stop() {
	p.Helper()
	// Nobody is told of the stop of a process of which a thread is in D.
	fstest.Eventually(p.TB, "stopped", func() bool {
		for id, state := range p.threads() {
			if state != 'T' && state != 'D' {
				_ = unix.Tgkill(p.pid, id, unix.SIGSTOP)
			}
		}
		return !slices.ContainsFunc(p.states(), func(s byte) bool { return s != 'T' && s != 'D' })
	})
}

func (p *hangingProcess) kill() {
	p.Helper()
	fstest.Must(p, p.cmd.Process.Kill())
}

// dead waits until the process and all its threads have ended.
func (p *hangingProcess) dead() {
	p.Helper()
	fstest.Must(p, unix.Waitid(unix.P_PID, p.pid, nil, unix.WEXITED|unix.WNOWAIT, nil))
}

// left waits until the process and its guardian have ended, whose output is the same.
func (p *hangingProcess) left() {
	for p.lines.Scan() {
	}
}

// end makes the process end by itself.
func (p *hangingProcess) end() {
	p.Helper()
	p.stdin.Close()
	p.left()
	if err := p.cmd.Wait(); err != nil {
		p.Error(err)
	}
}

// staysStuck waits until the process is dead except for a thread that hangs,
// and its readers with it.
func (p *hangingProcess) staysStuck(readers []*exec.Cmd) {
	p.Helper()
	// Nobody is told of the end of some threads.
	fstest.Eventually(p.TB, "all threads but one end", func() bool {
		states := slices.DeleteFunc(p.states(), func(s byte) bool { return s == 'Z' })
		return string(states) == "D" && guard.StateOf(procOf(p.pid)) == guard.Dying
	})
	for _, r := range readers {
		_ = r.Process.Kill() // does nothing to who waits for an answer
	}
	if guard.StateOf(procOf(readers[0].Process.Pid)) == guard.Gone {
		p.Fatal("the reader does not hang")
	}
}

// freed waits until the readers have ended with an error and nothing of the
// process is left, and checks that later readers get the same error.
func (p *hangingProcess) freed(readers []*exec.Cmd) {
	p.Helper()
	for _, r := range readers {
		ended := make(chan error, 1)
		go func() { ended <- r.Wait() }()
		select {
		case err := <-ended:
			if err == nil {
				p.Errorf("ls of a dead mount: %s", r.Stdout)
			}
		case <-time.After(fstest.Patience):
			p.Fatalf("a reader hangs: %d", r.Process.Pid)
		}
	}
	p.dead()
	out, err := p.command(append(os.Environ(), "LC_ALL=C"), "ls", "-f", filepath.Join(p.dir, "hanging")).CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte("not connected")) && !bytes.Contains(out, []byte("connection abort")) && !bytes.Contains(out, []byte("No such file")) {
		p.Errorf("ls of a dead mount: %v: %s", err, out)
	}
}

// guardian waits for the guardian, and until it has the mount.
func (p *hangingProcess) guardian() (pid int) {
	p.Helper()
	// A guardian answers no message, nor does the kernel tell who has a descriptor.
	fstest.Eventually(p.TB, "a guardian", func() bool {
		var found bool
		pid, found = p.child()
		return found && holdsDevice(pid)
	})
	return pid
}

// child returns the only child of the process.
func (p *hangingProcess) child() (pid int, found bool) {
	procs, _ := filepath.Glob("/proc/[0-9]*")
	for _, proc := range procs {
		stat, _ := os.ReadFile(filepath.Join(proc, "stat"))
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if len(fields) > 1 && fields[1] == strconv.Itoa(p.pid) && guard.StateOf(proc) == guard.Alive {
			pid, _ := strconv.Atoi(filepath.Base(proc))
			return pid, true
		}
	}
	return 0, false
}

func holdsDevice(pid int) bool {
	fds, _ := filepath.Glob(procOf(pid) + "/fd/*")
	return slices.ContainsFunc(fds, func(fd string) bool {
		target, err := os.Readlink(fd)
		return err == nil && target == "/dev/fuse"
	})
}

func procOf(pid int) string { return "/proc/" + strconv.Itoa(pid) }
