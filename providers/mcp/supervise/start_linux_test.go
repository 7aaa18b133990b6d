package supervise

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/mcp/config"
)

// patience is how long anything may take on a busy machine.
const patience = time.Minute

// testIdle is long enough for a process to get a processor on one.
const testIdle = 8 * time.Second

var testGrace = Grace{EOF: 100 * time.Millisecond, Term: 5 * time.Second, Work: patience, Kill: patience}

// TestMain runs more tests at once than there are processors: they wait.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func newSupervisor(t *testing.T) *Supervisor {
	t.Helper()
	s := New(Options{Dir: filepath.Join(t.TempDir(), "starting"), Hold: time.Millisecond, Slot: patience, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(s.Close)
	return s
}

// shell is the command of a line for bash, with a home folder of its own.
func shell(home, line string) Command {
	return Command{Name: "/bin/bash", Args: []string{"-c", line}, Dir: home, Env: []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}}
}

// begin begins a start of a command, and keeps its news.
func begin(t *testing.T, s *Supervisor, c Command, limits Limits) (*Start, *Process, func() News) {
	t.Helper()
	var mu sync.Mutex
	var last News
	b := s.Begin(context.Background(), s.Now(), config.PackageOf(c.Name, c.Args), limits, make(chan struct{}), func() {}, func(n News) {
		mu.Lock()
		last = n
		mu.Unlock()
	})
	p, err := b.Run(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Stop(Grace{Term: time.Millisecond, Kill: patience})
		b.End()
	})
	return b, p, func() News {
		mu.Lock()
		defer mu.Unlock()
		return last
	}
}

// TestAStartGoesOnWhileItWorks runs what takes more than twice as long as a start
// may be idle, each making progress in another way.
func TestAStartGoesOnWhileItWorks(t *testing.T) {
	t.Parallel()
	const rounds = `end=$((SECONDS + 20)); `
	for name, line := range map[string]string{
		"processor":        rounds + `exec 3<> <(:); while [ $SECONDS -lt $end ]; do for i in {1..20000}; do :; done; read -t 0.2 <&3; done`,
		"short processes":  rounds + `while [ $SECONDS -lt $end ]; do /bin/sleep 0.1; done`,
		"input":            rounds + `for i in {1..200}; do echo a line of text; done >file; exec 3<> <(:); while [ $SECONDS -lt $end ]; do mapfile <file; read -t 0.5 <&3; done`,
		"a package cache":  rounds + `mkdir -p .npm/_npx/0123456789abcdef; exec 3<> <(:); while [ $SECONDS -lt $end ]; do echo x >>.npm/_npx/0123456789abcdef/file; read -t 0.5 <&3; done`,
		"a grandchild":     `bash -c 'bash -c "` + strings.ReplaceAll(rounds, "$", `\$`) + `while [ \$SECONDS -lt \$end ]; do /bin/sleep 0.1; done"; true'; true`,
		"another session":  `setsid -w bash -c '` + rounds + `while [ $SECONDS -lt $end ]; do /bin/sleep 0.1; done'`,
		"after its parent": `(` + rounds + `while [ $SECONDS -lt $end ]; do /bin/sleep 0.1; done; kill $$) & exec sleep 1000`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, p, news := begin(t, newSupervisor(t), shell(t.TempDir(), line), Limits{Idle: testIdle, Total: patience})
			select {
			case <-p.Exited():
				if !news().Installing {
					t.Error("it is not told as installing")
				}
			case <-b.Context().Done():
				t.Errorf("it was given up after %v: %v", b.Took(), context.Cause(b.Context()))
			}
		})
	}
}

func TestAStartThatIsIdleIsGivenUp(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"asleep":       `exec sleep 1000`,
		"waiting":      `read x`,
		"with a child": `sleep 1000; true`,
		"now and then": `exec 3<> <(:); while :; do read -t 1 <&3; done`, // a timer
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, _, news := begin(t, newSupervisor(t), shell(t.TempDir(), line), Limits{Idle: testIdle, Total: patience})
			<-b.Context().Done()
			if cause := context.Cause(b.Context()); !errors.Is(cause, ErrIdle) || news().Installing {
				t.Errorf("%v, %+v", cause, news())
			}
		})
	}
}

func TestAStartThatTakesTooLong(t *testing.T) {
	t.Parallel()
	b, _, news := begin(t, newSupervisor(t), shell(t.TempDir(), `while :; do echo "step $((++n))" >&2; /bin/sleep 0.1; done`), Limits{Idle: testIdle, Total: 2 * testIdle})
	<-b.Context().Done()
	if cause := context.Cause(b.Context()); !errors.Is(cause, ErrTooLong) || !news().Installing || !strings.HasPrefix(news().Said, "step ") {
		t.Errorf("%v, %+v", cause, news())
	}
}

// TestAnInstallationUndoesWhatItHasDone has a process below a shell that needs
// longer than usual to end, and works on it.
func TestAnInstallationUndoesWhatItHasDone(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	line := `npx() { bash -c 'trap "stop=1" TERM; touch begun; while [ -z "$stop" ]; do /bin/sleep 0.1; done
		for i in {1..100}; do /bin/sleep 0.05; head -c 10000 /dev/zero >part; done; touch undone'; }; npx -y pkg; true`
	b, p, _ := begin(t, newSupervisor(t), shell(home, line), Limits{Idle: patience, Total: patience})
	untilFile(t, filepath.Join(home, "begun"))
	p.Stop(Grace{EOF: time.Millisecond, Term: 3 * time.Second, Work: patience, Kill: patience})
	if _, err := os.Stat(filepath.Join(home, "undone")); err != nil {
		t.Error(err)
	}
	b.End()
}

// TestWhatInstallsOutlivesUs has a start go on after the end of its supervisor,
// print into the void, and hold up the next start of the same package.
func TestWhatInstallsOutlivesUs(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	line := `npx() { touch begun; until [ -e go ]; do /bin/sleep 0.05; done; for i in {1..100}; do echo $i; echo $i >&2; done; touch finished; }; npx -y pkg`
	dir := filepath.Join(t.TempDir(), "starting")
	options := Options{Dir: dir, Hold: time.Millisecond, Slot: patience, Log: slog.New(slog.DiscardHandler)}
	s := New(options)
	c := shell(home, line)
	b, p, _ := begin(t, s, c, Limits{Idle: patience, Total: patience})
	untilFile(t, filepath.Join(home, "begun"))
	s.Finish()
	p.Stop(testGrace)
	b.End()
	s.Close()
	if p.exitedAll() {
		t.Fatal("it was ended")
	}

	next := New(options)
	defer next.Close()
	waits := make(chan struct{}, 1)
	taken := make(chan error)
	go func() {
		free, err := next.Take(context.Background(), config.PackageOf(c.Name, c.Args), Limits{Idle: patience, Total: patience}, testGrace, func() {
			select {
			case waits <- struct{}{}:
			default:
			}
		})
		if _, other := os.Stat(filepath.Join(home, "finished")); other != nil {
			t.Error("the next start did not wait")
		}
		if err == nil {
			free()
		}
		taken <- err
	}()
	<-waits
	if err := os.WriteFile(filepath.Join(home, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := <-taken; err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a note is left: %v", err)
	}
}

// TestTwoSupervisors has two, as two processes of ctxfs over one cache have, start
// the same package: one waits until the other's server has answered, which then
// runs on, and neither removes the note of the other.
func TestTwoSupervisors(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	c := shell(home, "touch begun; read x")
	pkg := config.PackageOf(c.Name, c.Args)
	limits := Limits{Idle: patience, Total: patience}
	one := newSupervisor(t)
	first, p, _ := begin(t, one, c, limits)
	untilFile(t, filepath.Join(home, "begun"))
	two := New(Options{Dir: one.packages.dir, Hold: time.Millisecond, Slot: patience, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(two.Close)
	free, err := two.Take(t.Context(), pkg, limits, testGrace, func() {
		first.Answered()
		first.End()
	})
	if err != nil {
		t.Fatal(err)
	}
	free()
	if p.exitedAll() {
		t.Error("the server of the other was ended")
	}
	second, q, _ := begin(t, two, c, limits)
	one.packages.unmark(pkg.Key, p.Group())
	if is, ok := two.packages.recorded(pkg.Key); !ok || is.group != q.Group() {
		t.Error("the note of the other was removed")
	}
	second.Answered()
	second.End()
	if _, ok := two.packages.recorded(pkg.Key); ok {
		t.Error("a note is left")
	}
}

// TestANoteOfAnotherGroup has notes whose number belongs to a group that is not,
// or may not be, the one that was noted: it is neither waited for nor ended.
func TestANoteOfAnotherGroup(t *testing.T) {
	pkg := config.PackageOf("npx", []string{"-y", "pkg"})
	for name, c := range map[string]struct {
		line  string
		noted func(began uint64) uint64
		ends  bool // the leader ends before the note is read
	}{
		"a system that tells no times": {"exec sleep 1000", func(uint64) uint64 { return 0 }, false},
		"another process":              {"exec sleep 1000", func(began uint64) uint64 { return began + 1 }, false},
		"a leader that is gone":        {"sleep 1000 & read x", func(began uint64) uint64 { return began }, true},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command("/bin/sh", "-c", c.line)
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			group := cmd.Process.Pid
			defer func() {
				_ = syscall.Kill(-group, syscall.SIGKILL)
				_ = cmd.Wait() // it was killed, or has been waited for
			}()
			leader := c.noted(began(group))
			if c.ends {
				fmt.Fprintln(in)
				if err := cmd.Wait(); err != nil {
					t.Fatal(err)
				}
			}
			s := newSupervisor(t)
			file := s.packages.file(pkg.Key)
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, fmt.Appendf(nil, "%d %d\n", group, leader), 0o600); err != nil {
				t.Fatal(err)
			}
			free, err := s.Take(context.Background(), pkg, Limits{Idle: time.Millisecond, Total: patience}, Grace{Work: time.Millisecond}, func() { t.Error("it is waited for") })
			if err != nil {
				t.Fatal(err)
			}
			free()
			if groupExited(group) {
				t.Error("the group was ended")
			}
			if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the note is left: %v", err)
			}
		})
	}
}

// TestTheReaper ends groups after its input has ended, those that may go on
// when their time is over.
func TestTheReaper(t *testing.T) {
	home := t.TempDir()
	r := &reaper{log: slog.New(slog.DiscardHandler)}
	r.prepare()
	group := func() int {
		s := New(Options{Log: slog.New(slog.DiscardHandler)})
		p, err := s.start(shell(home, `trap "" TERM; sleep 1000; true`))
		if err != nil {
			t.Fatal(err)
		}
		s.reaper.mu.Lock()
		s.reaper.groups = nil // it is this one's
		s.reaper.mu.Unlock()
		t.Cleanup(func() { p.Stop(Grace{Term: time.Millisecond, Kill: patience}) })
		return p.Group()
	}
	short, long := group(), group()
	r.watch(short, afterwards{time.Second, time.Second})
	r.watch(long, afterwards{time.Hour, time.Second})
	r.watch(long, afterwards{goOn: patience, end: time.Second})
	if err := syscall.Kill(r.cmd.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_, _ = r.cmd.Process.Wait()                // its successor takes over
	r.watch(short, afterwards{0, time.Second}) // which is told of both
	r.close()
	fstest.Eventually(t, "the end of one", func() bool { return groupExited(short) })
	if groupExited(long) {
		t.Error("both were ended")
	}
}

func TestPriorityIsLoweredAndRestored(t *testing.T) {
	s := newSupervisor(t)
	nice := func(p *Process) int {
		n, err := syscall.Getpriority(syscall.PRIO_PGRP, p.Group())
		if err != nil {
			t.Fatal(err)
		}
		return niceOffset - n
	}
	turn, err := s.Wait(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	hurry := make(chan struct{})
	b := s.Begin(context.Background(), turn, config.Package{Key: "x"}, Limits{Idle: patience, Total: patience}, hurry, func() {}, func(News) {})
	defer b.End()
	p, err := b.Run(shell(t.TempDir(), "sleep 1000"))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop(Grace{Term: time.Second, Kill: patience})
	if got, want := nice(p), min(lowest, ownNice()+politeness); got != want {
		t.Errorf("nice %d, not %d", got, want)
	}
	hurry <- struct{}{}
	if os.Geteuid() == 0 {
		fstest.Eventually(t, "the usual priority", func() bool { return nice(p) == ownNice() })
	}
}

// TestTheQueue lets few start at a time, holds them back while the machine is
// busy, and lets who is waited for go before all.
func TestTheQueue(t *testing.T) {
	q := newQueue(10*time.Millisecond, patience)
	q.busy = func() bool { return true }
	ctx := context.Background()
	var turns []*Turn
	for range cap(q.slots) {
		turn, err := q.wait(ctx, nil)
		if err != nil || !turn.Polite() {
			t.Fatal(turn, err)
		}
		turns = append(turns, turn)
	}
	waiting, stop := context.WithTimeout(ctx, 50*time.Millisecond)
	defer stop()
	if _, err := q.wait(waiting, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Error("more than a few start:", err)
	}
	hurry := make(chan struct{}, 1)
	hurry <- struct{}{}
	urgent, err := q.wait(ctx, hurry)
	if err != nil || urgent.Polite() {
		t.Error(urgent, err)
	}
	turns[0].Leave()
	turns[0].Leave()
	q.hold = time.Hour // for whom the machine is busy, or somebody waits
	held := make(chan *Turn)
	go func() {
		turn, _ := q.wait(ctx, hurry)
		held <- turn
	}()
	fstest.Eventually(t, "a slot is taken", func() bool { return len(q.slots) == cap(q.slots) })
	hurry <- struct{}{}
	if turn := <-held; turn.Polite() {
		t.Error("it was held back")
	}
	urgent.Leave()
}

func untilFile(t *testing.T, path string) {
	t.Helper()
	fstest.Eventually(t, path, func() bool { _, err := os.Stat(path); return err == nil })
}

// TestAProcessThatIsIdle has done what it was told, also by a process of its own.
func TestAProcessThatIsIdle(t *testing.T) {
	s, home := newSupervisor(t), t.TempDir()
	work := `i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo done >`
	_, p, _ := begin(t, s, shell(home, `(read x; >has; `+work+`"$x"; sleep 1000) <&0 & until [ -e has ]; do :; done; read y; `+work+`"$y"; read z`), Limits{Idle: patience, Total: patience})
	defer p.Stop(testGrace)
	if _, err := fmt.Fprint(p.Stdin, "one\ntwo\n"); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	p.AwaitIdle(ctx)
	for _, name := range []string{"one", "two"} {
		if _, err := os.Stat(filepath.Join(home, name)); err != nil {
			t.Error(err)
		}
	}
	if sizes := Resident([]int{p.Group()}); sizes[p.Group()] < 1<<20 {
		t.Errorf("%v bytes for %d", sizes, p.Group())
	}
}
