package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ctxfs/cmd/ctxfs/console"
	"ctxfs/cmd/ctxfs/mount"
	"ctxfs/fs/await"
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

// result is how a command ended.
type result struct {
	code     int
	out, err string
}

func (r result) String() string {
	return "out: " + r.out + "\nerr: " + r.err
}

// waiting are the lines in which a command tells that it waits for the background
// process. Whether it must is up to how busy the machine is.
var waiting = regexp.MustCompile(`(?m)^ctxfs: (still waiting for (process \d+|the background process), which .* \(for \d+ s now\)|waiting for process \d+, which is ending)\n`)

// said is what the command has printed as errors, other than that it waits.
func (r result) said() string { return waiting.ReplaceAllString(r.err, "") }

// exits checks the exit code.
func (r result) exits(t testing.TB, code int) result {
	t.Helper()
	if r.code != code {
		t.Errorf("exit %d, want %d\n%v", r.code, code, r)
	}
	return r
}

// command prepares any command in the box, as its user.
func (b *box) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	if b.inside != nil && strings.HasPrefix(name, b.dir+"/") {
		// It may be in a mount. Between fork and exec this process might stand still, which
		// would have to show it.
		name, args = "env", append([]string{name}, args...)
	}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = b.work, b.env
	cmd.WaitDelay = 20 * time.Second
	if b.uid != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(b.uid), Gid: uint32(b.uid)}}
	}
	return cmd
}

// do runs a command to its end. What it started must not hold its output.
func (b *box) do(name string, args ...string) result {
	b.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*fstest.Patience)
	defer cancel()
	cmd := b.command(ctx, name, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		b.Errorf("%s %q: %v", name, args, err)
	}
	return result{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// program is ctxfs in the box, for what starts it as a process.
func (b *box) program() string {
	if b.inside != nil {
		return shimPath()
	}
	return binary()
}

// at is the box as it is seen from another folder, by its path in the home folder.
func (b *box) at(dir string) *box {
	other := *b
	other.work = filepath.Join(b.home, dir)
	return &other
}

// run runs ctxfs.
func (b *box) run(args ...string) result {
	b.Helper()
	// What these start gets the environment and the streams of a process.
	if line := strings.Join(args, " ") + " "; b.inside == nil || strings.HasPrefix(line, "run ") || strings.HasPrefix(line, "agent run ") {
		return b.do(b.program(), args...)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*fstest.Patience)
	defer cancel()
	r := b.runInside(ctx, args)
	if ctx.Err() != nil {
		b.Errorf("ctxfs %q: %v", args, ctx.Err())
	}
	return r
}

// ok runs ctxfs, which must succeed, and returns its output.
func (b *box) ok(args ...string) string {
	b.Helper()
	r := b.run(args...)
	if r.code != 0 {
		b.Fatalf("ctxfs %q: exit %d\n%v", args, r.code, r)
	}
	return r.out
}

// refused runs ctxfs, which must fail with an exit code and say all of some
// words, the error first and the hint on a line of its own.
func (b *box) refused(code int, words []string, args ...string) {
	b.Helper()
	r := b.run(args...)
	if r.code != code {
		b.Errorf("ctxfs %q: exit %d, want %d\n%v", args, r.code, code, r)
	}
	if !strings.HasPrefix(r.err, "ctxfs: ") {
		b.Errorf("ctxfs %q: no error of ours: %v", args, r)
	}
	if !containsAll(r.err, words) {
		b.Errorf("ctxfs %q does not say all of %q: %s", args, words, r.err)
	}
}

// sh runs a script of bash in the home folder; it must succeed.
func (b *box) sh(script string) string {
	b.Helper()
	r := b.shell(script)
	if r.code != 0 {
		b.Fatalf("%s: exit %d\n%v", script, r.code, r)
	}
	return r.out
}

// shell runs a script of bash in the home folder. One that hangs is ended before do gives
// it up, and what it has printed is told.
func (b *box) shell(script string) result {
	b.Helper()
	return b.do("timeout", "230", "bash", "-c", "cd ~ && "+script)
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

// read reads a file of the mount.
func (b *box) read(path string) string {
	b.Helper()
	text, err := os.ReadFile(b.mnt(path))
	if err != nil {
		b.Fatal(err)
	}
	return string(text)
}

// stands waits for a condition, or until one that it is told meanwhile is enough.
func (b *box) stands(c await.Condition, enough func(await.Standing) bool) await.Standing {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), 2*fstest.Patience)
	defer cancel()
	w := b.app(console.Streams{}, b.work, b.env).Waiting("")
	defer w.Close()
	var met *await.Standing
	s, err := w.For(ctx, c, func(s await.Standing) {
		if met == nil && enough != nil && enough(s) {
			met = &s
			cancel()
		}
	})
	if met != nil {
		return *met
	}
	if err != nil || s.State != await.Met && (enough == nil || !enough(s)) {
		b.Fatalf("wait %s: %+v, %v", c, s, err)
	}
	return s
}

// settled waits until everything that was changed before is shown, or until the background
// process has ended.
func (b *box) settled() {
	b.Helper()
	if b.uid == 0 {
		b.stands(await.Condition{Kind: "settled"}, nil)
	} else { // its background process answers nobody else
		b.ok("wait", "settled")
	}
}

// shows checks that a file of the mount holds some words once what was changed before is
// shown.
func (b *box) shows(path string, words ...string) {
	b.Helper()
	b.settled()
	if text := b.read(path); !containsAll(text, words) {
		b.Fatalf("%s does not hold %q:\n%s", path, words, text)
	}
}

// settles checks that something holds once what was changed before is shown.
func (b *box) settles(what string, holds func() bool) {
	b.Helper()
	if b.settled(); !holds() {
		b.Fatalf("not so: %s", what)
	}
}

// comes waits until a file of the mount holds some words, for an event that nothing can be
// asked to wait for.
func (b *box) comes(path string, words ...string) {
	b.Helper()
	fstest.Eventually(b.T, path+" is shown", func() bool {
		text, err := os.ReadFile(b.mnt(path))
		return err == nil && containsAll(string(text), words)
	})
}

// lacks checks that a file of the mount holds none of some words then.
func (b *box) lacks(path string, words ...string) {
	b.Helper()
	b.settled()
	for _, w := range words {
		if text := b.read(path); strings.Contains(text, w) {
			b.Fatalf("%s holds %q:\n%s", path, w, text)
		}
	}
}

// absent checks that a file of the mount is not there then.
func (b *box) absent(path string) {
	b.Helper()
	b.settled()
	if _, err := os.Lstat(b.mnt(path)); !errors.Is(err, os.ErrNotExist) {
		b.Fatalf("%s is still there: %v", path, err)
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
