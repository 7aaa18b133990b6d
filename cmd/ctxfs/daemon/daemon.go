// Package daemon is the background process of a user, which owns MCP servers,
// watches and indexes and shows the tree, and the ways for commands to reach it.
//
// The order of its parts: daemon.go (the process), rest.go (its memory), asker.go ([Running], [Starting] and [Fallback]: whom to ask, and what
// to do if there is no process).
package daemon

import (
	"context"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"ctxfs/cmd/ctxfs/console"
	"ctxfs/cmd/ctxfs/places"
	"ctxfs/cmd/ctxfs/usertree"
	"ctxfs/fs"
	"ctxfs/mounts"
	"ctxfs/mounts/control"
	"ctxfs/mounts/guard"
	"ctxfs/providers/readonly"
)

// idleTime is how long a background process waits for its first view.
const idleTime = 10 * time.Second

// closeTime is how long the tree may take to close when all views have gone. Nothing is
// lost then that a kill would not lose, and commands that wait for the process are not
// kept.
const closeTime = 30 * time.Second

// gcPercent makes the garbage collector run more often than by default: the
// process mostly holds what it shows, for days, and should be small. Until it has rested for
// the first time it is passPercent: the first pass over sessions is work.
const (
	gcPercent   = 40
	passPercent = 80
)

var stays atomic.Bool // Stay was called

// Options are the settings of the process.
type Options struct {
	Places    places.Places
	Environ   func() []string
	LookupEnv func(string) (string, bool)
	// Commands answers the commands that are left to this process.
	Commands fs.Operation
	// Guardian returns the command of a process that guards the mounts of this one:
	// [Guardian]. Without one they are not guarded.
	Guardian func() *exec.Cmd
	// Starter reports to the command that has started the process.
	Starter *control.Starter
	// Log takes the log, as lines of text.
	Log io.Writer
	// TakeOver reports that a process of an older build runs, and is to be replaced.
	TakeOver bool
}

// Stay sets up a process that does nothing else, for as long as it runs.
func Stay() {
	stays.Store(true)
	debug.SetGCPercent(passPercent)
}

// release returns memory to the system.
func release() {
	if stays.Load() {
		debug.SetGCPercent(gcPercent)
	}
	debug.FreeOSMemory()
}

// Run serves until the last view is gone or ending ends. It claims the seat first, so that
// any other process that is started sees that it is taken.
func Run(ending context.Context, o Options) error {
	o.Places.Note = o.Starter.Note
	seat, err := Claim(context.WithoutCancel(ending), o, o.Starter.Note)
	if err != nil {
		o.Starter.Claimed(err)
		return err
	}
	if !o.TakeOver {
		o.Starter.Claimed(nil)
	}
	s, closeTree := New(o, seat, idleTime)
	defer closeTree()
	defer context.AfterFunc(ending, s.End)()
	s.Restore(o.Starter.Note)
	if o.TakeOver {
		o.Starter.Claimed(nil)
	}
	s.Serve()
	return nil
}

// Claim takes the seat, from a process of an older build if the options say so. Note
// is called with a line for a person who waits.
func Claim(ctx context.Context, o Options, note func(line string)) (*control.Seat, error) {
	if !o.TakeOver {
		return o.Places.Process().Claim(ctx)
	}
	return mounts.TakeOver(ctx, o.Places.Process(), func() { note("waiting for calls that are under way, for at most 10 s") })
}

// New makes the tree of this user and a server for it. The caller must call Serve,
// then the returned function. Idle is how long the server waits for a view; 0 is
// forever.
func New(o Options, seat *control.Seat, idle time.Duration) (*mounts.Server, func()) {
	log := slog.New(slog.NewTextHandler(o.Log, nil))
	slog.SetDefault(log)                    // of what runs in cells
	var shown atomic.Pointer[mounts.Server] // the watches of the tree are there first
	t := usertree.New(usertree.Options{
		Places: o.Places, Environ: o.Environ, LookupEnv: o.LookupEnv, Log: log,
		Hide: func(path string) bool {
			s := shown.Load()
			return s != nil && s.Shows(path)
		},
		MountPoint: func() string {
			if s := shown.Load(); s != nil {
				return s.MountPoint()
			}
			return ""
		},
	})
	rest := newRest(release, processorTime)
	t.Subscribe(fs.Subscriber{Changed: func(string) { rest.putOff() }})
	s := mounts.NewServer(mounts.Options{
		Seat:       seat,
		Tree:       t.Tree,
		Sources:    t.Providers().Roots,
		Begin:      t.Providers().Start,
		Operations: append(t.Operations(), o.Commands),
		Confined:   readonly.In(o.Places.State).Peer,
		Guardian:   o.Guardian,
		Idle:       idle,
		Talked:     rest.putOff,
		Busy:       t.Providers().Busy,
		Log:        log,
	})
	shown.Store(s)
	return s, func() {
		rest.timer.Stop()
		if !endsWithin(closeTime, t.Close) {
			log.Warn("the process ends, though not all of its work does")
		}
	}
}

// endsWithin reports whether f returns in time. It is left running otherwise.
func endsWithin(d time.Duration, f func()) bool {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
		return true
	case <-time.After(d):
		return false
	}
}

// UntilSignal returns a context that ends at the first signal that ends a process; the
// second one kills it, unless stop was called.
func UntilSignal(ctx context.Context) (_ context.Context, stop func()) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		<-signals
		cancel()
		<-signals
		os.Exit(console.ExitFailed)
	}()
	return ctx, func() { signal.Stop(signals) }
}

// Guardian returns the command of a process that guards the mounts of this one; its
// argument is for people who read the process list.
func Guardian() *exec.Cmd {
	cmd := exec.Command("/proc/self/exe", guard.Command, strconv.Itoa(os.Getpid())) // also where an upgrade has replaced it
	cmd.Args[0] = "ctxfs"
	cmd.Stderr = os.Stderr
	return cmd
}
