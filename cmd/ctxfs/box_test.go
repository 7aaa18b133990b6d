package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ctxfs/cmd/ctxfs/mount"
	"ctxfs/fs/fstest"
	"ctxfs/fs/fusefs"
)

// nobody is the ordinary user of the tests.
const nobody = 65534

// box is a user's world: a home folder and all other folders that ctxfs uses.
// At the end of its test it must be free of mounts and processes.
type box struct {
	*testing.T
	dir, home, config, state, cache, runtime string

	work    string  // the folder in which commands are run
	inside  *inside // nil where commands are processes
	uid     int     // 0: the user who runs the tests
	env     []string
	servers map[string]map[string]any // of ~/.cursor/mcp.json
}

// newBox is a box whose commands, and its background process, run in this process.
func newBox(t *testing.T) *box { t.Helper(); return makeBox(t, 0, false) }

// realBox is a box whose commands are processes of the real program.
func realBox(t *testing.T) *box { t.Helper(); return makeBox(t, 0, true) }

// newUserBox is the box of an ordinary user. It skips the test where there can
// be none.
func newUserBox(t *testing.T) *box {
	t.Helper()
	if os.Getuid() != 0 {
		return realBox(t)
	}
	need(t, "fusermount3")
	if info, err := os.Stat("/dev/fuse"); err == nil && info.Mode()&0o006 != 0o006 {
		t.Skip("/dev/fuse is not open to ordinary users (chmod 0666 /dev/fuse)")
	}
	return makeBox(t, nobody, true)
}

func makeBox(t *testing.T, uid int, real bool) *box {
	t.Helper()
	if _, err := os.Stat("/dev/fuse"); err != nil {
		t.Skip("this machine has no /dev/fuse")
	}
	dir, err := os.MkdirTemp(base, "")
	must(t, err)
	b := &box{
		T: t, dir: dir, work: dir, uid: uid, servers: make(map[string]map[string]any),
		home: filepath.Join(dir, "h"), config: filepath.Join(dir, "h/.config/ctxfs/config.toml"),
		state: filepath.Join(dir, "st"), cache: filepath.Join(dir, "ca"), runtime: filepath.Join(dir, "run"),
	}
	for _, d := range []string{b.home, b.state, b.cache, b.runtime} {
		must(t, os.MkdirAll(d, 0o700))
	}
	if uid != 0 {
		err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
			return errors.Join(err, os.Lchown(path, uid, uid))
		})
		must(t, err)
	}
	program := binary
	if !real {
		b.settleInside()
		program = shimPath
	}
	b.env = []string{
		"HOME=" + b.home, "XDG_CONFIG_HOME=" + filepath.Join(b.home, ".config"),
		"XDG_STATE_HOME=" + b.state, "XDG_CACHE_HOME=" + b.cache, "XDG_RUNTIME_DIR=" + b.runtime,
		"PATH=" + filepath.Dir(program()) + ":" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "TMPDIR=" + dir,
		"GORACE=atexit_sleep_ms=0", // a second at each end otherwise
	}
	t.Cleanup(b.clear)
	return b
}

// setenv sets a variable in the box; an empty value takes it away.
func (b *box) setenv(name, value string) {
	b.env = slices.DeleteFunc(slices.Clone(b.env), func(entry string) bool { return strings.HasPrefix(entry, name+"=") })
	if value != "" {
		b.env = append(b.env, name+"="+value)
	}
}

// with is the box as it is seen from another environment: changes are pairs of
// a name and a value.
func (b *box) with(changes ...string) *box {
	other := *b
	for i := 0; i < len(changes); i += 2 {
		other.setenv(changes[i], changes[i+1])
	}
	return &other
}

// clear takes away what the box shows, and complains about what is left then.
func (b *box) clear() {
	b.Helper()
	_ = b.run("unmount", "--all")
	if b.inside != nil {
		b.clearInside()
	}
	for _, p := range processesOf(b.dir) {
		if strings.Contains(p.args, "daemon") || strings.Contains(p.args, "mount -f") {
			_ = syscall.Kill(p.pid, syscall.SIGTERM)
		}
	}
	// Not by awaitExit: of what hangs the log is to say where.
	if !fstest.Becomes(func() bool { return len(processesOf(b.dir)) == 0 }) {
		left := processesOf(b.dir)
		for _, p := range left {
			_ = syscall.Kill(p.pid, syscall.SIGQUIT) // a daemon's log then says where it hangs
		}
		_ = fstest.Becomes(func() bool { return len(processesOf(b.dir)) == 0 })
		b.Errorf("processes are left: %v\n%s", left, b.log())
		for _, p := range left {
			_ = syscall.Kill(p.pid, syscall.SIGKILL)
		}
	}
	if left := mountsBelow(b.dir); len(left) > 0 {
		b.Errorf("mounts are left: %v", left)
		for _, m := range left {
			_ = fusefs.Detach(m)
		}
	}
	if b.Failed() {
		b.Logf("the log of the background process:\n%s", b.log())
	}
	if strings.Contains(b.log(), "DATA RACE") {
		b.Errorf("a data race:\n%s", b.log())
	}
	if err := os.RemoveAll(b.dir); err != nil {
		b.Error(err)
	}
}

func (b *box) log() string {
	text, _ := os.ReadFile(filepath.Join(b.state, "ctxfs", "daemon.log"))
	return string(text)
}

// mnt is the default mount point.
func (b *box) mnt(path ...string) string {
	return filepath.Join(append([]string{b.home, ".agentctx"}, path...)...)
}

// mount mounts on the default folder.
func (b *box) mount() {
	b.Helper()
	b.ok("mount")
}

// status is what `ctxfs status --json` prints.
func (b *box) status() mount.StatusReport {
	b.Helper()
	r := b.run("status", "--json")
	var report mount.StatusReport
	if err := json.Unmarshal([]byte(r.out), &report); err != nil {
		b.Fatalf("status --json: %v\n%v", err, r)
	}
	return report
}

// pid is that of the background process.
func (b *box) pid() int {
	b.Helper()
	report := b.status()
	if !report.Running || report.Pid <= 1 {
		b.Fatalf("no background process: %+v", report)
	}
	return report.Pid
}

// write writes a file, by its path in the home folder, as the box's user.
func (b *box) write(path, text string) {
	b.Helper()
	b.writeMode(path, text, 0o600)
}

func (b *box) writeMode(path, text string, mode os.FileMode) {
	b.Helper()
	full := filepath.Join(b.home, path)
	var made []string
	for dir := filepath.Dir(full); ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil {
			break
		}
		made = append(made, dir)
	}
	err := os.MkdirAll(filepath.Dir(full), 0o700)
	if err == nil {
		// As editors do it.
		err = fstest.WriteProgram(full+".new", []byte(text), mode)
	}
	if b.uid != 0 {
		for _, p := range append(made, full+".new") {
			err = errors.Join(err, os.Lchown(p, b.uid, b.uid))
		}
	}
	if err = errors.Join(err, os.Rename(full+".new", full)); err != nil {
		b.Fatal(err)
	}
}

// renamed reports whether a file could not be read because it was being written, by
// package atomicfile, and has its own name now.
func renamed(e os.DirEntry, err error) bool {
	return errors.Is(err, os.ErrNotExist) && strings.HasPrefix(e.Name(), ".tmp-")
}

func containsAll(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// need skips a test for which a program is missing.
func need(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("%s is not installed", p)
		}
	}
}

// must fails a test on an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
