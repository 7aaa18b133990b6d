package instance

import (
	"context"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/supervise"
	"ctxfs/providers/mcp/wire"
)

// patience is how long anything may take on a busy machine.
const patience = 2 * time.Minute

// exit is a program that exits at once.
func exit(supervise.Command) (*supervise.Program, error) {
	in, stdin := fstest.Pipe()
	stdout, out := fstest.Pipe()
	stderr, errs := fstest.Pipe()
	for _, end := range []io.Closer{in, out, errs} {
		end.Close()
	}
	return &supervise.Program{Stdin: stdin, Stdout: stdout, Stderr: stderr, Group: 1 << 30, Wait: func() string { return "it exited with status 1" }}, nil
}

// newTestInstance returns an instance of a program that exits at once.
func newTestInstance(t *testing.T, is Condition) *Instance {
	t.Helper()
	sup := supervise.New(supervise.Options{Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler), Spawn: exit})
	t.Cleanup(sup.Close)
	d := &config.Server{Source: config.Source{Name: "stub"}, Transport: config.Stdio, Command: os.Args[0]}
	grace := supervise.Grace{EOF: time.Second, Term: time.Second, Work: time.Second, Kill: patience}
	return New(Options{
		Sup: sup, Now: time.Now, Idle: func() time.Duration { return 0 },
		Timing: Timing{Start: patience, Install: patience, Retry: time.Hour, RetryMax: time.Hour, Call: patience, Timing: wire.Timing{Grace: grace}},
	}, Owner{
		Name:       func() string { return "stub" },
		Definition: func() *config.Server { return d },
		Dialer: func(d *config.Server) *wire.Dialer {
			return &wire.Dialer{
				Def: d, Home: t.TempDir(), Environ: os.Environ, Now: time.Now,
				Timing: wire.Timing{Discover: patience, Deaf: patience, Grace: grace},
			}
		},
		Clean: func(_ *config.Server, text string) string { return text },
		Listed: func(*wire.Connection, [catalogue.Kinds]wire.Listing, func(func())) {
			t.Error("it became ready")
		},
		Changed: func(Condition, func()) {},
		Retries: true,
	}, is)
}

// TestAStartThatIsAskedForInTime: a caller that asks for a server which is about to
// be started for another reason gets the error at once if that start fails.
func TestAStartThatIsAskedForInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := newTestInstance(t, Condition{State: config.StateError})
		ctx, cancel := context.WithCancel(context.Background())
		i.runs++ // as waitForReason does
		failed := make(chan error, 1)
		go func() {
			_, err := i.Use(ctx, Waiting{Limit: patience})
			failed <- err
		}()
		if synctest.Wait(); len(i.wanted) != 1 {
			t.Fatal("it is not asked for")
		}
		go func() {
			defer close(i.done)
			i.run(ctx, Unrequested)
		}()
		if err := <-failed; err == nil || calls.Outcome(nil, err) == calls.OutcomeTimeout || !strings.HasPrefix(err.Error(), "server stub (error): ") {
			t.Error(err)
		}
		cancel()
		<-i.Done()
	})
}

// TestStopBeforeTheRun: a use that waits when the run that is about to begin is
// stopped gets another one.
func TestStopBeforeTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := newTestInstance(t, Condition{State: StateStarting})
		i.resting = false // as Begin and waitForReason leave it
		if err := i.addUser(); err != nil {
			t.Fatal(err)
		}
		i.Stop(Restarted)
		if life := i.runOnce(t.Context(), Requested); life.State != StateCached || len(i.wanted) != 1 {
			t.Errorf("the run ends as %q, and %d are requested", life.State, len(i.wanted))
		}
	})
}

// TestThePlaceOfAUseThatComesTooLate is free again: the instance ends before it has
// begun the run that the use has requested.
func TestThePlaceOfAUseThatComesTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 20 { // whether the request or the end is seen first is left to chance
			pool := NewPool(1)
			i := newTestInstance(t, Condition{State: StateStopped})
			i.owner.Pool = pool
			before, used := make(chan struct{}), make(chan error, 1)
			i.Begin(before, NoReason)
			go func() {
				_, err := i.Use(context.Background(), Waiting{Limit: patience})
				used <- err
			}()
			if synctest.Wait(); len(i.wanted) != 1 {
				t.Fatal("it is not asked for")
			}
			i.End(Closing)
			close(before)
			if err := <-used; err != ErrEnded {
				t.Errorf("a use of an instance that ends: %v", err)
			}
			<-i.Done()
			if n := len(pool.held); n != 0 {
				t.Fatalf("%d places are held", n)
			}
		}
	})
}

// TestACancelledUseIsNotStarted: an instance whose start was requested by a use that
// was cancelled gives its place to another one, and does not start.
func TestACancelledUseIsNotStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := NewPool(1)
		one := newTestInstance(t, Condition{State: StateStopped})
		two := newTestInstance(t, Condition{State: StateStopped})
		one.owner.Pool, two.owner.Pool = pool, pool
		busy := make(chan struct{}) // the goroutine takes no request yet
		one.Begin(busy, NoReason)
		two.Begin(nil, NoReason)
		ctx, cancel := context.WithCancel(context.Background())
		used := make(chan error, 1)
		go func() {
			_, err := one.Use(ctx, Waiting{Limit: patience})
			used <- err
		}()
		if synctest.Wait(); len(one.wanted) != 1 {
			t.Fatal("it is not asked for")
		}
		cancel()
		if err := <-used; err != context.Canceled {
			t.Errorf("a use that was cancelled: %v", err)
		}
		ctx, stop := context.WithTimeout(context.Background(), patience)
		defer stop()
		if err := two.enter(ctx); err != nil {
			t.Error(err)
		}
		close(busy)
		(&Session{of: two}).Release()
		one.End(Closing)
		two.End(Closing)
		<-one.Done()
		<-two.Done()
		if n := one.runs; n != 0 {
			t.Errorf("it was started %d times", n)
		}
	})
}

// TestStopOfARequestThatWasTaken: between the request of a use that was cancelled and
// its run an instance is not at rest, and the run is stopped before it starts a
// process.
func TestStopOfARequestThatWasTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := newTestInstance(t, Condition{State: StateStopped})
		i.mu.Lock()
		i.want(Requested)
		i.mu.Unlock()
		<-i.wanted // as waitForReason does first
		if i.atRest() {
			t.Error("it is at rest, and about to start")
		}
		if !i.stopUnused() {
			t.Error("it has users")
		}
		i.beginRun()
		if life := i.runOnce(t.Context(), Requested); life.State != StateCached {
			t.Errorf("the run ends as %q: %s", life.State, life.What)
		}
	})
}

// TestThePlaceOfAnInstanceThatEnds is free again, and who waits for it is told.
func TestThePlaceOfAnInstanceThatEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := NewPool(1)
		one := newTestInstance(t, Condition{State: StateStopped})
		two := newTestInstance(t, Condition{State: StateStopped})
		one.owner.Pool, two.owner.Pool = pool, pool
		one.Begin(nil, NoReason)
		two.Begin(nil, NoReason)
		if err := one.enter(context.Background()); err != nil {
			t.Fatal(err)
		}
		waited := make(chan error, 1)
		go func() { waited <- two.enter(context.Background()) }()
		synctest.Wait() // until it waits
		two.End(Closing)
		if err := <-waited; err != ErrEnded {
			t.Errorf("it waits for a place, and has ended: %v", err)
		}
		one.End(Closing)
		(&Session{of: one}).Release()
		<-one.Done()
		<-two.Done()
		if n := len(pool.held); n != 0 {
			t.Errorf("%d places are held", n)
		}
	})
}

// TestRenew ends a run once nobody uses it, and begins one where none is under way.
func TestRenew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := newTestInstance(t, Condition{State: StateStopped})
		i.Renew()
		if i.outdated || len(i.used) > 0 || len(i.wanted) > 0 {
			t.Error("what has not begun is outdated, or to be started")
		}
		i.cancel = func(error) {}
		i.Renew()
		if i.outdated || len(i.used) > 0 || len(i.wanted) != 1 {
			t.Error("what does not run is outdated, or not to be started")
		}
		<-i.wanted
		i.beginRun()
		if err := i.addUser(); err != nil {
			t.Fatal(err)
		}
		i.Renew()
		if i.endOutdated() {
			t.Error("it ends under its user")
		}
		(&Session{of: i}).Release()
		if !i.endOutdated() || len(i.used) == 0 {
			t.Error("it does not end, or is not told to")
		}
	})
}

// TestRestartIsShownAtOnce: who asks after a restart how the server is does not learn how it
// was before.
func TestRestartIsShownAtOnce(t *testing.T) {
	var shown []Condition
	i := newTestInstance(t, Condition{State: StateReady})
	i.owner.Changed = func(is Condition, _ func()) { shown = append(shown, is) }
	if err := i.Restart(RestartRequested); err != nil || len(shown) != 1 || shown[0].State != StateStarting {
		t.Errorf("%v, %+v", err, shown)
	}
}
