// Package background has work done beside its caller, until it is ended.
package background

import (
	"sync"

	"ctxfs/fs/cell"
)

// Work is what goes on in the background. Its zero value is ready, and it is safe for
// concurrent use: unlike that of a [sync.WaitGroup], its end may come while more is
// started.
type Work struct {
	mu      sync.Mutex
	ended   bool
	running sync.WaitGroup
}

// Go runs f in a goroutine and a cell, and reports whether it does: after End nothing begins.
func (w *Work) Go(f func()) bool {
	if !w.Begin() {
		return false
	}
	cell.Go(func() {
		defer w.Done()
		f()
	})
	return true
}

// Begin reports whether work may begin that the caller itself does. It calls Done then, when
// that is done.
func (w *Work) Begin() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.ended {
		w.running.Add(1)
	}
	return !w.ended
}

// Done tells the end of work that was started.
func (w *Work) Done() { w.running.Done() }

// End waits until everything that was started is done. It may be called several
// times.
func (w *Work) End() {
	w.mu.Lock()
	w.ended = true
	w.mu.Unlock()
	w.running.Wait()
}
