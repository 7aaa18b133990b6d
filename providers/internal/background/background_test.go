package background

import (
	"sync"
	"sync/atomic"
	"testing"
)

// TestNothingBeginsAfterTheEnd: what begins before is done when End returns, whoever begins
// it, and nothing begins later.
func TestNothingBeginsAfterTheEnd(t *testing.T) {
	for range 1000 {
		var (
			w           Work
			begun, done atomic.Int32
			callers     sync.WaitGroup
		)
		work := func() { done.Add(1) }
		for range 4 {
			callers.Go(func() {
				if w.Go(work) {
					begun.Add(1)
				}
				if w.Begin() {
					begun.Add(1)
					work()
					w.Done()
				}
			})
		}
		var ends sync.WaitGroup
		for range 2 {
			ends.Go(w.End)
		}
		ends.Wait()
		finished := done.Load()
		callers.Wait()
		if finished != done.Load() || begun.Load() != finished {
			t.Fatalf("%d began; %d were done at the end, and %d later", begun.Load(), finished, done.Load())
		}
		if w.Go(work) || w.Begin() {
			t.Fatal("something begins after the end")
		}
	}
}
