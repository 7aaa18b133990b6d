package supervise

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"
)

// Limits bound a start.
type Limits struct {
	Idle  time.Duration // without progress
	Total time.Duration // altogether
}

// ErrIdle is the cause of the end of a start that made no progress for
// Limits.Idle, ErrTooLong of one that took longer than Limits.Total.
var (
	ErrIdle    = errors.New("the start makes no progress")
	ErrTooLong = errors.New("the start takes too long")
)

// News is what is told of a start under way.
type News struct {
	// Installing says that it is more than a slow start: it writes to a package
	// cache, or has worked for long.
	Installing bool
	// Until is when it is given up, however it works.
	Until time.Time
	// Said is the last line that it has printed, as it came.
	Said string
}

// Start is the start of a server: from its turn until the server has answered.
// It runs a process, or several one after the other. It may be used
// concurrently.
type Start struct {
	sup    *Supervisor
	limits Limits
	tell   func(News)
	ctx    context.Context
	cancel context.CancelCauseFunc
	turn   *Turn
	pkg    Package
	hurry  <-chan struct{}
	free   func()
	begun  time.Time
	done   sync.WaitGroup

	mu         sync.Mutex
	process    *Process // the present one, nil while there is none
	caches     caches
	last       time.Time // of progress
	size       grown     // of the caches, when that was last looked at
	installing bool
	polite     bool // at a lower priority
	answered   bool
	ended      bool
	said       string
	printed    int    // lines of text, where only messages belong
	stderr     string // the last line of it that was seen
}

// babble is how many lines of text on its standard output make a program none
// that only installs before it answers.
const babble = 1000

// The times of looking at a start, in parts of Limits.Idle: how often; after
// which without progress the caches are looked at; after which with progress
// it is more than a slow start.
const (
	looks     = 30
	cacheLook = 6
	slowStart = 3
)

// maxLook is the longest time between two looks at a start.
const maxLook = time.Second

// Begin begins a start, whose turn it is, of that package. A value from hurry
// says that somebody waits for it from now on. News is told from a goroutine,
// also where nothing is new. End must be called; it gives back the turn, and
// calls free.
func (s *Supervisor) Begin(ctx context.Context, turn *Turn, pkg Package, limits Limits, hurry <-chan struct{}, free func(), tell func(News)) *Start {
	now := time.Now()
	b := &Start{
		sup: s, limits: limits, tell: tell, turn: turn, pkg: pkg, hurry: hurry, free: free,
		begun: now, last: now, polite: turn.Polite(),
	}
	b.limits.Total = max(limits.Total, limits.Idle)
	b.ctx, b.cancel = context.WithCancelCause(ctx)
	s.starts.Add(1)
	b.done.Go(b.follow)
	return b
}

// Context ends when the start is given up, with [ErrIdle] or [ErrTooLong] as
// its cause, and when it is over.
func (b *Start) Context() context.Context { return b.ctx }

// Took is how long the start has taken until now.
func (b *Start) Took() time.Duration { return time.Since(b.begun) }

// Run starts a process.
func (b *Start) Run(c Command) (*Process, error) {
	p, err := b.sup.start(c)
	if err != nil {
		return nil, err
	}
	p.protects = b.protects
	b.sup.packages.mark(b.pkg.Key, p.Group())
	b.mu.Lock()
	b.process, b.caches = p, cachesOf(c.Env)
	polite := b.polite
	b.mu.Unlock()
	if polite {
		lower(p.Group())
	}
	if b.pkg.Runner {
		b.sup.reaper.watch(p.Group(), toItsEnd(b.begun.Add(b.limits.Total)))
	}
	return p, nil
}

// Print takes down a line of text that the process has printed where only
// messages belong.
func (b *Start) Print(line string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.said = line
	b.printed++
}

// restore gives the process its usual priority. The caller holds mu.
func (b *Start) restore() {
	if b.polite && (b.process == nil || restore(b.process.Group())) {
		b.polite = false
	}
}

// Answered says that the server has answered, so it does not install. It
// reports whether it runs at the usual priority: ordinary users may lower that
// of a process, and not raise it again.
func (b *Start) Answered() (usual bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.restore()
	b.answered, b.installing = true, false
	if b.process != nil {
		b.sup.reaper.watch(b.process.Group(), briefly())
	}
	return !b.polite
}

// End ends the start. The process goes on, where it has not been stopped.
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
	if p == nil || b.answered || p.gone() {
		b.sup.packages.unmark(b.pkg.Key)
	}
	b.free()
	b.turn.Leave()
}

// protects says until when the process may go on where it may be installing.
func (b *Start) protects() (until time.Time, installing bool) {
	b.look(true)
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.begun.Add(b.limits.Total), !b.answered && (b.installing || b.pkg.Runner)
}

// follow gives the start up when it makes no progress.
func (b *Start) follow() {
	tick := time.NewTicker(max(time.Millisecond, min(maxLook, b.limits.Idle/looks)))
	defer tick.Stop()
	for {
		select {
		case <-b.ctx.Done():
			return
		case <-b.hurry:
			b.mu.Lock()
			b.restore()
			b.mu.Unlock()
			continue
		case <-tick.C:
		}
		b.look(false)
		b.mu.Lock()
		b.listen()
		idle, taken := time.Since(b.last), time.Since(b.begun)
		news := News{Installing: b.installing, Until: b.begun.Add(b.limits.Total), Said: b.said}
		if b.polite && taken > b.limits.Idle/2 {
			b.restore() // others have had their time
		}
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

// listen takes down what the process has last said on its standard error. The
// caller holds mu.
func (b *Start) listen() {
	if b.process == nil {
		return
	}
	text := strings.TrimSpace(b.process.Stderr.Text(0))
	if line := text[strings.LastIndexAny(text, "\n\r")+1:]; line != b.stderr {
		b.stderr, b.said = line, line
	}
}

// look looks for progress; at all signs of an installation, if it is thorough.
func (b *Start) look(thorough bool) {
	b.mu.Lock()
	p, caches, last, size, installing := b.process, b.caches, b.last, b.size, b.installing
	over := b.answered
	b.mu.Unlock()
	if p == nil || over && thorough {
		return
	}
	now := time.Now()
	moved := p.meter.moved()
	if !over && !installing {
		installing = p.meter.writes(caches.all)
	}
	if !moved && (thorough || now.Sub(last) > b.limits.Idle/cacheLook) {
		grown := caches.grown(b.begun)
		// Where another server starts at the same time it may be that one's.
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
