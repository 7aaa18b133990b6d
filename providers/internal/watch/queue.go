package watch

import (
	"context"
	"sync"
)

// queue holds the paths that have changed and were not told yet, each once.
// Reading the kernel's events never waits for who is told.
type queue struct {
	wake chan struct{}

	mu      sync.Mutex
	paths   []string
	waiting map[string]struct{}
}

func newQueue() *queue {
	return &queue{wake: make(chan struct{}, 1), waiting: make(map[string]struct{})}
}

func (q *queue) add(path string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, ok := q.waiting[path]; ok {
		return
	}
	q.waiting[path] = struct{}{}
	q.paths = append(q.paths, path)
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

func (q *queue) take() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	paths := q.paths
	q.paths = nil
	clear(q.waiting)
	return paths
}

// deliver calls told with what is queued, at once, until the context ends.
func (q *queue) deliver(ctx context.Context, told func(paths []string)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-q.wake:
		}
		if paths := q.take(); len(paths) > 0 && ctx.Err() == nil {
			told(paths)
		}
	}
}
