package supervise

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"ctxfs/fs/cell"
	"ctxfs/providers/mcp/config"
)

// Limits are the time limits of a start.
type Limits struct {
	Idle  time.Duration // without progress
	Total time.Duration // in all
}

// ErrIdle is the cause of giving up a start that made no progress for Limits.Idle,
// and ErrTooLong for one that took longer than Limits.Total.
var (
	ErrIdle    = errors.New("the start makes no progress")
	ErrTooLong = errors.New("the start takes too long")
)

// News is the progress of a start under way.
type News struct {
	// Installing reports that it is more than a slow start: it writes to a package
	// cache, or has been working for long.
	Installing bool
	// Until is when it is given up, even with progress.
	Until time.Time
	// Said is the last line that it has printed, unchanged.
	Said string
}

// Start is the start of a server: from its turn until the server has answered. It
// runs one process, or several in succession. It is safe for concurrent use.
type Start struct {
	sup    *Supervisor
	limits Limits
	tell   func(News)
	ctx    context.Context
	cancel context.CancelCauseFunc
	turn   *Turn
	pkg    config.Package
	free   func()
	begun  time.Time
	done   cell.Group

	mu         sync.Mutex
	process    *Process // the current one, or nil
	work       *watcher // of it
	caches     caches
	last       time.Time // of progress
	size       grown     // of the caches, when they were last checked
	installing bool
	answered   bool
	ended      bool
	said       string
	printed    int    // lines that are not messages, on standard output
	stderr     string // its last line that was seen
}

// babble is the number of lines on standard output above which a program is not
// considered to be installing.
const babble = 1000

// Intervals as fractions of Limits.Idle: between checks of a start; without
// progress, until the caches are checked; with progress, until it is more than a
// slow start.
const (
	looks     = 30
	cacheLook = 6
	slowStart = 3
)

// maxLook is the longest interval between two checks of a start.
const maxLook = time.Second

// Begin begins the start of a package, with its turn. Tell is called at intervals with the progress,
// from one goroutine, even if nothing has changed. The caller must call End, which
// gives back the turn and calls free.
func (s *Supervisor) Begin(ctx context.Context, turn *Turn, pkg config.Package, limits Limits, free func(), tell func(News)) *Start {
	now := time.Now()
	b := &Start{
		sup: s, limits: limits, tell: tell, turn: turn, pkg: pkg, free: free,
		begun: now, last: now,
	}
	b.ctx, b.cancel = context.WithCancelCause(ctx)
	s.starts.Add(1)
	b.done.Go(func() {
		if err := cell.Run(b.follow); err != nil {
			b.cancel(err)
		}
	})
	return b
}

// Context returns a context that ends when the start is over, or is given up, with
// [ErrIdle] or [ErrTooLong] as its cause.
func (b *Start) Context() context.Context { return b.ctx }

// Took returns how long the start has taken until now.
func (b *Start) Took() time.Duration { return time.Since(b.begun) }

// Run starts a process. A [*Fault] reports why it could not be started.
func (b *Start) Run(c Command) (*Process, error) {
	p, err := b.sup.start(c)
	if err != nil {
		return nil, err
	}
	p.protects = b.protects
	b.sup.packages.mark(b.pkg.Key, p.Group())
	b.mu.Lock()
	b.process, b.work, b.caches = p, p.meter.watch(), cachesOf(c.Env)
	b.mu.Unlock()
	if b.pkg.Runner {
		b.sup.reaper.watch(p.Group(), toItsEnd(b.begun.Add(b.limits.Total)))
	}
	return p, nil
}

// Print records a line on the process's standard output that is not a message.
func (b *Start) Print(line string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.said = line
	b.printed++
}

// Answered records that the server has answered, so it is not installing.
func (b *Start) Answered() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answered, b.installing = true, false
	if b.process != nil {
		b.sup.reaper.watch(b.process.Group(), briefly())
	}
}

// End ends the start. The process keeps running unless it is stopped.
func (b *Start) End() {
	b.mu.Lock()
	ended := b.ended
	b.ended = true
	p := b.process
	b.mu.Unlock()
	b.cancel(nil)
	b.done.Wait()
	if ended {
		return
	}
	b.sup.starts.Add(-1)
	if p != nil && (b.answered || p.exitedAll()) {
		b.sup.packages.unmark(b.pkg.Key, p.Group())
	}
	b.free()
	b.turn.Leave()
}

// protects returns whether the process may be installing, and until when it may go
// on.
func (b *Start) protects() (until time.Time, installing bool) {
	b.check(true)
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.begun.Add(b.limits.Total), !b.answered && (b.installing || b.pkg.Runner)
}

// follow checks the start at intervals, and gives it up when it makes no progress.
func (b *Start) follow() {
	tick := time.NewTicker(max(time.Millisecond, min(maxLook, b.limits.Idle/looks)))
	defer tick.Stop()
	for {
		select {
		case <-b.ctx.Done():
			return
		case <-tick.C:
		}
		b.check(false)
		b.mu.Lock()
		b.listen()
		idle, taken := time.Since(b.last), time.Since(b.begun)
		news := News{Installing: b.installing, Until: b.begun.Add(b.limits.Total), Said: b.said}
		b.mu.Unlock()
		switch {
		case idle >= b.limits.Idle:
			b.cancel(ErrIdle)
		case taken >= b.limits.Total:
			b.cancel(ErrTooLong)
		default:
			b.tell(news)
		}
	}
}

// listen records the last line of the process's standard error. The caller holds mu.
func (b *Start) listen() {
	if b.process == nil {
		return
	}
	text := strings.TrimSpace(b.process.Stderr.Text(0))
	if line := text[strings.LastIndexAny(text, "\n\r")+1:]; line != b.stderr {
		b.stderr, b.said = line, line
	}
}

// check looks for progress; if thorough, for every sign of an installation.
func (b *Start) check(thorough bool) {
	b.mu.Lock()
	p, work, caches, last, size, installing := b.process, b.work, b.caches, b.last, b.size, b.installing
	over := b.answered
	b.mu.Unlock()
	if p == nil || over && thorough {
		return
	}
	now := time.Now()
	moved := work.moved()
	if !over && !installing {
		installing = p.meter.writes(caches.all)
	}
	if !moved && (thorough || now.Sub(last) > b.limits.Idle/cacheLook) {
		grown := caches.grown(b.begun)
		// If another server is starting at the same time, it may be that one's.
		if grown != size && (installing || b.sup.starts.Load() == 1) {
			moved, installing = true, true
		}
		size = grown
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.size = size
	if moved && b.printed < babble {
		b.last = now
		installing = installing || now.Sub(b.begun) > b.limits.Idle/slowStart
	}
	if installing && !b.installing && !b.answered {
		b.installing = true
		b.sup.reaper.watch(p.Group(), toItsEnd(b.begun.Add(b.limits.Total)))
	}
}
