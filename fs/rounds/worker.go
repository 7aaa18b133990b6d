// Package rounds has work done again whenever something has changed, and now and then. It
// answers when a change has been seen.
package rounds

import (
	"context"
	"sync"
	"time"

	"ctxfs/fs/cell"
)

// Worker does work in rounds: one whenever something has changed, for all changes
// until it begins, and one now and then. It is safe for concurrent use.
type Worker struct {
	opts Options

	mu      sync.Mutex
	poked   uint64        // changes so far
	done    uint64        // changes that a finished round has seen
	asked   uint64        // changes that callers wait for
	wake    chan struct{} // tells the worker that something has changed
	hurry   chan struct{} // tells the worker that a round is awaited
	round   chan struct{} // closed when a round has finished; nil if no caller waits for it
	started bool
	ended   bool
	cancel  context.CancelFunc
	work    cell.Group
}

// Options are the settings of a Worker.
type Options struct {
	// Round does the work. It is called by one goroutine, with a context that ends
	// with the worker.
	Round func(ctx context.Context)
	// Most returns how long a round waits for a change; nil means as long as that takes.
	Most func() time.Duration
	// Gather is how long a round waits for further changes after the first.
	Gather time.Duration
	// Rest is the shortest pause after a round, and Share the least ratio of the pause
	// to the round, so that a storm of changes costs a small share of a processor.
	// While changes come without a pause, Rest doubles up to MostRest.
	Rest, MostRest time.Duration
	Share          int
}

// NewWorker returns a Worker that has not been started.
func NewWorker(opts Options) *Worker {
	return &Worker{opts: opts, wake: make(chan struct{}, 1), hurry: make(chan struct{}, 1)}
}

// Poke reports that something has changed. It only enqueues, and allocates nothing: a storm
// of changes pokes once for each.
func (w *Worker) Poke() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.poked++
	Tell(w.wake)
}

// Tell sends to a channel that holds one value, if it holds none: whoever reads it looks at
// everything.
func Tell(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// IsClosed reports whether a channel is closed that nothing is sent to.
func IsClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// Start starts the worker. After Close it does nothing.
func (w *Worker) Start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.started || w.ended {
		return
	}
	w.started = true
	ctx, cancel := context.WithCancel(context.Background())
	w.cancel = cancel
	w.work.Go(func() { w.run(ctx) })
}

// Close ends the worker and waits for it.
func (w *Worker) Close() {
	w.mu.Lock()
	w.ended = true
	if w.cancel != nil {
		w.cancel()
	}
	w.mu.Unlock()
	w.work.Wait()
}

// Settled returns when a round has seen every change that was reported before the call.
// No pause of the worker delays it. It returns at once if the worker does not run.
func (w *Worker) Settled(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for target := w.poked; w.done < target && w.started && !w.ended; {
		w.asked = max(w.asked, target)
		Tell(w.hurry)
		if w.round == nil {
			w.round = make(chan struct{})
		}
		round := w.round
		w.mu.Unlock()
		select {
		case <-round:
		case <-ctx.Done():
		}
		w.mu.Lock()
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// mendFirst and mendMost are the shortest and the longest pause after a round that panicked;
// then there is another one.
const mendFirst, mendMost = time.Second, time.Minute

func (w *Worker) run(ctx context.Context) {
	defer func() { // release those who wait for a round that will not come
		w.mu.Lock()
		defer w.mu.Unlock()
		w.ended = true
		w.finishRound()
	}()
	for rest, mend := time.Duration(0), time.Duration(0); ; {
		waited, ok := w.await(ctx)
		if !ok {
			return
		}
		if waited {
			rest = 0
		}
		rest = max(w.opts.Rest, min(2*rest, w.opts.MostRest))
		w.pause(ctx, w.opts.Gather)
		if ctx.Err() != nil {
			return
		}
		begun := time.Now()
		w.mu.Lock()
		seen := w.poked
		w.mu.Unlock()
		err := cell.Run(func() { w.opts.Round(ctx) })
		w.mu.Lock()
		w.done = seen
		w.finishRound()
		w.mu.Unlock()
		if err != nil {
			mend = min(max(2*mend, mendFirst), mendMost)
			w.pause(ctx, mend)
			w.Poke()
			continue
		}
		mend = 0
		w.pause(ctx, max(rest, time.Duration(w.opts.Share)*time.Since(begun)))
	}
}

// finishRound lets those go on who wait for a round; the caller holds mu.
func (w *Worker) finishRound() {
	if w.round != nil {
		close(w.round)
		w.round = nil
	}
}

// await waits until something has changed or a round is due, and reports whether it had to
// wait. Ok is false if ctx has ended.
func (w *Worker) await(ctx context.Context) (waited, ok bool) {
	var due <-chan time.Time
	if w.opts.Most != nil {
		due = time.After(w.opts.Most())
	}
	for {
		w.mu.Lock()
		changed := w.done < w.poked
		w.mu.Unlock()
		if changed {
			return waited, ctx.Err() == nil
		}
		waited = true
		select {
		case <-w.wake:
		case <-due:
			return true, true
		case <-ctx.Done():
			return true, false
		}
	}
}

// pause waits, unless a round is awaited.
func (w *Worker) pause(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	over := time.After(d)
	for !w.hurried() {
		select {
		case <-over:
			return
		case <-ctx.Done():
			return
		case <-w.hurry: // perhaps for a round that has finished since
		}
	}
}

// hurried reports whether a round is awaited.
func (w *Worker) hurried() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.done < w.asked
}
