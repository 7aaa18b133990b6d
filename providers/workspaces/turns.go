package workspaces

import (
	"context"
	"sync"
)

// turns has work with a name done by one at a time. Its zero value is ready.
type turns struct {
	mu   sync.Mutex
	busy map[string]chan struct{} // closed when the work has ended
}

// begin waits for its turn, and reports whether it has come before ctx ended. Work that was
// started must end.
func (t *turns) begin(ctx context.Context, name string) bool {
	for ctx.Err() == nil {
		t.mu.Lock()
		ended, busy := t.busy[name]
		if !busy {
			if t.busy == nil {
				t.busy = make(map[string]chan struct{})
			}
			t.busy[name] = make(chan struct{})
			t.mu.Unlock()
			return true
		}
		t.mu.Unlock()
		select {
		case <-ended:
		case <-ctx.Done():
		}
	}
	return false
}

func (t *turns) end(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	close(t.busy[name])
	delete(t.busy, name)
}

// inTurn has work done in the background when all before it with the same name has ended,
// and returns what it returns; ok is false if ctx or the provider ends before. What was
// started continues then.
func inTurn[T any](ctx context.Context, p *Provider, t *turns, name string, work func() T) (result T, ok bool) {
	if !t.begin(ctx, name) {
		return result, false
	}
	found := make(chan T, 1)
	begun := p.working.Go(func() {
		done := work()
		t.end(name) // before it is told: a caller who asks again then must not find it busy
		found <- done
	})
	if !begun {
		t.end(name)
		return result, false
	}
	select {
	case result = <-found:
		return result, true
	case <-ctx.Done():
		return result, false
	}
}
