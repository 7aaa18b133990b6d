package supervise

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/mcp/config"
)

// patience is how long anything may take.
const patience = time.Minute

// begin begins a start of a command, and keeps its news.
func begin(t *testing.T, s *Supervisor, c Command, limits Limits) (*Start, *Process, func() News) {
	t.Helper()
	var mu sync.Mutex
	var last News
	b := s.Begin(context.Background(), s.Now(), config.PackageOf(c.Name, c.Args), limits, func() {}, func(n News) {
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

// played is a program in memory, which the test plays.
type played struct {
	*Process
	home   string
	stderr *fstest.PipeWriter
	exit   func()
	closed <-chan struct{} // when its input is
}

// play begins the start of a program in memory.
func play(t *testing.T, limits Limits) (*Start, *played, func() News) {
	t.Helper()
	in, stdin := fstest.Pipe()
	stdout, out := fstest.Pipe()
	stderr, errs := fstest.Pipe()
	exited, closed := make(chan struct{}), make(chan struct{})
	go func() {
		_, _ = in.Read(make([]byte, 1))
		close(closed)
	}()
	p := &played{home: t.TempDir(), stderr: errs, closed: closed, exit: sync.OnceFunc(func() {
		in.Close()
		out.Close()
		errs.Close()
		close(exited)
	})}
	s := New(Options{Log: slog.New(slog.DiscardHandler), Spawn: func(Command) (*Program, error) {
		// No group of the system has that number.
		return &Program{Stdin: stdin, Stdout: stdout, Stderr: stderr, Group: 1 << 30, Wait: func() string { <-exited; return "" }}, nil
	}})
	b, process, news := begin(t, s, Command{Name: os.Args[0], Env: []string{"HOME=" + p.home}}, limits)
	p.Process = process
	t.Cleanup(p.exit)
	return b, p, news
}

// work has the program use a processor.
func (p *played) work() {
	p.meter.mu.Lock()
	defer p.meter.mu.Unlock()
	p.meter.total.cpu += progressCPU
}

// poll has the program use a processor now and then, as one does that waits.
func (p *played) poll() {
	p.meter.mu.Lock()
	defer p.meter.mu.Unlock()
	p.meter.total.cpu += progressCPU / 10
}

// install has the program write to a package cache.
func (p *played) install() {
	path := filepath.Join(p.home, ".npm/_npx/0123456789abcdef", fmt.Sprint(time.Now().UnixNano()))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("x"), 0o600)); err != nil {
		panic(err)
	}
}

// babble has the program print more text than one that installs does.
func (p *played) babble(b *Start) {
	for range babble {
		b.Print("loading")
	}
}

// TestAStartIsBounded: it is given up without progress for a time, and after another
// time even with progress.
func TestAStartIsBounded(t *testing.T) {
	const idle = 30 * time.Second
	for _, c := range []struct {
		name       string
		does       func(*played, *Start) // each second
		until      time.Duration         // when it exits
		cause      error
		took       time.Duration
		installing bool
	}{
		{name: "it is idle", does: func(*played, *Start) {}, cause: ErrIdle, took: idle},
		{name: "it waits for the network", does: func(p *played, _ *Start) { p.poll() }, cause: ErrIdle, took: idle},
		{name: "it works", does: func(p *played, _ *Start) { p.work() }, until: 3 * idle / 2, took: 3 * idle / 2, installing: true},
		{name: "a package cache grows", does: func(p *played, _ *Start) { p.install() }, until: 3 * idle / 2, took: 3 * idle / 2, installing: true},
		{name: "it works for ever", does: func(p *played, _ *Start) { p.work() }, cause: ErrTooLong, took: 2 * idle, installing: true},
		{name: "it prints text for ever", does: func(p *played, b *Start) { p.work(); p.babble(b) }, cause: ErrIdle, took: idle},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, p, news := play(t, Limits{Idle: idle, Total: 2 * idle})
				for n := 0; b.Context().Err() == nil && (c.until == 0 || b.Took() < c.until); n++ {
					c.does(p, b)
					fmt.Fprintf(p.stderr, "step %d\n", n)
					select {
					case <-time.After(time.Second):
					case <-b.Context().Done():
					}
				}
				if cause := context.Cause(b.Context()); cause != c.cause {
					t.Errorf("it was given up by %v", cause)
				}
				if took := b.Took(); took < c.took || took > c.took+2*maxLook {
					t.Errorf("it took %v", took)
				}
				said := "step "
				if strings.Contains(c.name, "text") {
					said = "loading"
				}
				if is := news(); is.Installing != c.installing || c.installing && !strings.HasPrefix(is.Said, said) {
					t.Errorf("%+v", is)
				}
			})
		})
	}
}

// TestWhatInstallsIsGivenTime to undo what it has done, while it works.
func TestWhatInstallsIsGivenTime(t *testing.T) {
	g := Grace{EOF: time.Second, Term: 3 * time.Second, Work: time.Minute, Kill: time.Second}
	for _, c := range []struct {
		name              string
		installing, works bool
		exits, took       time.Duration // after the end of its input; 0 is never
	}{
		{"it exits at once", true, true, time.Millisecond, 0},
		{"it works", true, true, 20 * time.Second, 20 * time.Second},
		{"it works for ever", true, true, 0, g.EOF + g.Work + g.Kill},
		{"it is idle", true, false, 0, g.EOF + g.Term + g.Kill},
		{"it installs nothing", false, true, 0, g.EOF + g.Term + g.Kill},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, p, _ := play(t, Limits{Idle: patience, Total: patience})
				p.protects = func() (time.Time, bool) { return time.Time{}, c.installing }
				stopped := make(chan struct{})
				go func() {
					<-p.closed
					begun := time.Now()
					for c.exits == 0 || time.Since(begun) < c.exits {
						if c.works {
							p.work()
						}
						select {
						case <-time.After(100 * time.Millisecond):
						case <-stopped:
							return
						}
					}
					p.exit()
				}()
				begun := time.Now()
				p.Stop(g)
				close(stopped)
				if took := time.Since(begun); took < c.took || took > c.took+time.Second {
					t.Errorf("it took %v, not %v", took, c.took)
				}
			})
		})
	}
}

// TestTheQueue lets few start at a time, holds them back while the machine is
// busy, and lets who is waited for go before all.
func TestTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(2, 10*time.Millisecond, patience)
		q.busy = func() bool { return true }
		ctx := context.Background()
		var turns []*Turn
		for range cap(q.slots) {
			turn, err := q.wait(ctx, nil)
			if err != nil || q.urgent.Load() > 0 {
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
		if err != nil || q.urgent.Load() != 1 {
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
		synctest.Wait() // until it has a slot, and is held back
		hurry <- struct{}{}
		if <-held; q.urgent.Load() != 2 {
			t.Error("it was held back")
		}
		urgent.Leave()
	})
}

// TestStartsThatStartNothing: a server without its program, and one over HTTP, wait for no
// process that starts, nor it for them.
func TestStartsThatStartNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{Hold: time.Hour, Slot: time.Hour, Log: slog.New(slog.DiscardHandler)})
		s.queue.busy = func() bool { return false }
		begun, missing := time.Now(), Command{Name: "/nowhere/server"}
		for range 2 { // before processes wait, and while they do
			for _, c := range []Command{missing, {Name: "nowhere", Env: []string{"PATH=/nowhere"}}, {}} {
				for range 50 {
					if _, err := s.Wait(t.Context(), c, nil); err != nil {
						t.Fatal(err)
					}
				}
			}
			for len(s.queue.slots) < cap(s.queue.slots) {
				if _, err := s.Wait(t.Context(), Command{Name: os.Args[0]}, nil); err != nil {
					t.Fatal(err)
				}
			}
			s.remote = newQueue(remoteSlots, 0, time.Hour)
		}
		if took := time.Since(begun); took > time.Second {
			t.Errorf("it took %v", took)
		}
	})
}
