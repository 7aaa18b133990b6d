package watch

import (
	"context"
	"sync"

	"ctxfs/fs/rounds"
)

// queue holds the paths that have changed and were not reported yet, each once.
// Reading the kernel's events never waits for Changed.
type queue struct {
	wake chan struct{}

	mu       sync.Mutex
	paths    []string
	waiting  map[string]struct{}
	barriers []chan struct{} // closed when what was queued before them is reported
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
	q.ring()
}

// barrier returns a channel that is closed when everything that was queued before is
// reported.
func (q *queue) barrier() <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	reported := make(chan struct{})
	q.barriers = append(q.barriers, reported)
	q.ring()
	return reported
}

func (q *queue) ring() { rounds.Tell(q.wake) }

func (q *queue) take() (paths []string, barriers []chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	paths, barriers = q.paths, q.barriers
	q.paths, q.barriers = nil, nil
	clear(q.waiting)
	return paths, barriers
}

// deliver calls changed with what is queued, at once, until the context ends.
func (q *queue) deliver(ctx context.Context, changed func(paths []string)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-q.wake:
		}
		paths, barriers := q.take()
		if len(paths) > 0 && ctx.Err() == nil {
			changed(paths)
		}
		for _, reported := range barriers {
			close(reported)
		}
	}
}
