package supervise

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"ctxfs/providers/mcp/config"
)

var testGrace = Grace{EOF: 100 * time.Millisecond, Term: 5 * time.Second, Work: patience, Kill: patience}

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

// says waits until a process has written a line to its standard output.
func (p *Process) says(t *testing.T, line string) {
	t.Helper()
	got := make([]byte, len(line)+1)
	if _, err := io.ReadFull(p.Stdout, got); err != nil || string(got) != line+"\n" {
		t.Fatalf("%q, %v, not %q", got, err, line)
	}
}

// TestWhatIsProgress: what a process does itself, and what any of those does that it
// has started; neither waiting nor a timer.
func TestWhatIsProgress(t *testing.T) {
	const (
		works = `head -c 100000 /dev/zero >/dev/null; echo done; read x`
		short = `for i in {1..50}; do /bin/true; done; echo done; read x`
	)
	for name, c := range map[string]struct {
		line     string
		progress bool
	}{
		"processor":        {`read go; for i in {1..100000}; do :; done; echo done; read x`, true},
		"short processes":  {`read go; ` + short, true},
		"input":            {`for i in {1..400}; do echo a line of text; done >file; read go; mapfile <file; echo done; read x`, true},
		"a grandchild":     {`bash -c 'bash -c "read go; ` + works + `"; true'; true`, true},
		"another session":  {`setsid -w bash -c 'read go; ` + short + `'`, true},
		"after its parent": {`(read go; ` + works + `) <&0 & exec sleep 1000`, true},
		"waiting":          {`read go; echo done; read x`, false},
		"with a child":     {`sleep 1000 & read go; echo done; read x`, false},
		"now and then":     {`exec 3<> <(:); read go; for i in {1..20}; do read -t 0.01 <&3; done; echo done; read x`, false}, // a timer
	} {
		t.Run(name, func(t *testing.T) {
			p, err := newSupervisor(t).start(shell(t.TempDir(), c.line))
			if err != nil {
				t.Fatal(err)
			}
			defer p.Stop(Grace{Term: time.Second, Kill: patience})
			ctx, stop := context.WithTimeout(t.Context(), patience)
			defer stop()
			p.AwaitIdle(ctx) // until it waits for the word
			seen := p.meter.watch()
			if _, err := io.WriteString(p.Stdin, "go\n"); err != nil {
				t.Fatal(err)
			}
			p.says(t, "done")
			if seen.moved() != c.progress {
				t.Errorf("progress: %t", !c.progress)
			}
		})
	}
}

// TestWhatInstallsOutlivesUs has a start go on after the end of its supervisor,
// print into the void, and hold up the next start of the same package.
func TestWhatInstallsOutlivesUs(t *testing.T) {
	home := t.TempDir()
	line := `npx() { echo begun; until [ -e go ]; do /bin/sleep 0.05; done; for i in {1..100}; do echo $i; echo $i >&2; done; touch finished; }; npx -y pkg`
	dir := filepath.Join(t.TempDir(), "starting")
	options := Options{Dir: dir, Hold: time.Millisecond, Slot: patience, Log: slog.New(slog.DiscardHandler)}
	s := New(options)
	c := shell(home, line)
	b, p, _ := begin(t, s, c, Limits{Idle: patience, Total: patience})
	p.says(t, "begun")
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
		free, err := next.Take(context.Background(), config.PackageOf(c.Name, c.Args), Limits{Idle: patience, Total: patience}, func() {
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
	home := t.TempDir()
	c := shell(home, "echo begun; read x")
	pkg := config.PackageOf(c.Name, c.Args)
	limits := Limits{Idle: patience, Total: patience}
	one := newSupervisor(t)
	first, p, _ := begin(t, one, c, limits)
	p.says(t, "begun")
	two := New(Options{Dir: one.packages.dir, Hold: time.Millisecond, Slot: patience, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(two.Close)
	free, err := two.Take(t.Context(), pkg, limits, func() {
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
			free, err := s.Take(context.Background(), pkg, Limits{Idle: time.Millisecond, Total: patience}, func() { t.Error("it is waited for") })
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
	group := func() *Process {
		s := New(Options{Log: slog.New(slog.DiscardHandler)})
		p, err := s.start(shell(home, `trap "" TERM; sleep 1000; true`))
		if err != nil {
			t.Fatal(err)
		}
		s.reaper.mu.Lock()
		s.reaper.groups = nil // it is this one's
		s.reaper.mu.Unlock()
		t.Cleanup(func() { p.Stop(Grace{Term: time.Millisecond, Kill: patience}) })
		return p
	}
	brief, lasting := group(), group()
	short, long := brief.Group(), lasting.Group()
	r.watch(short, afterwards{time.Second, time.Second})
	r.watch(long, afterwards{time.Hour, time.Second})
	r.watch(long, afterwards{goOn: patience, end: time.Second})
	if err := syscall.Kill(r.cmd.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_, _ = r.cmd.Process.Wait()                // its successor takes over
	r.watch(short, afterwards{0, time.Second}) // which is told of both
	r.close()
	<-brief.Exited()
	if groupExited(long) {
		t.Error("both were ended")
	}
}

// TestAProcessThatIsIdle has done what it was told, also by a process of its own.
func TestAProcessThatIsIdle(t *testing.T) {
	s, home := newSupervisor(t), t.TempDir()
	work := `i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done; echo done >`
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
