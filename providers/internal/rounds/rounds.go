// Package rounds does work again whenever something has changed, and now and then: one
// piece for the workers of providers that make their pages ahead.
package rounds

import (
	"context"
	"time"
)

// calm is the time between two rounds, however often something changes.
const calm = 250 * time.Millisecond

// Wake wakes one goroutine. It has an element if something has changed.
type Wake chan struct{}

// NewWake returns a Wake without an element.
func NewWake() Wake { return make(Wake, 1) }

// Poke reports that something has changed. It only enqueues.
func (w Wake) Poke() {
	select {
	case w <- struct{}{}:
	default:
	}
}

// Wait waits until something has changed, but at most for some time. It reports whether
// something has, and ok is false if ctx has ended.
func (w Wake) Wait(ctx context.Context, most time.Duration) (changed, ok bool) {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-w:
		return true, true
	case <-timer.C:
		return false, true
	case <-ctx.Done():
		return false, false
	}
}

// Rest waits, and reports whether ctx has not ended.
func Rest(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Run calls round whenever something has changed, and when pause has passed since the
// last time, until ctx has ended. After a round it rests for share times as long as that
// took, and a quarter of a second at least, so that a storm of changes costs no more than
// that share of a processor.
func Run(ctx context.Context, w Wake, pause func() time.Duration, share int, round func()) {
	for {
		if _, ok := w.Wait(ctx, pause()); !ok {
			return
		}
		begun := time.Now()
		round()
		if !Rest(ctx, max(calm, time.Duration(share)*time.Since(begun))) {
			return
		}
	}
}
