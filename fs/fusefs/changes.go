package fusefs

import (
	"context"
	"sync"

	"github.com/hanwen/go-fuse/v2/fuse"
)

// maxWorkers bounds the goroutines that notify the kernel. A notification may wait
// in the kernel for a request of the same folder or file, so there are more
// goroutines than folders that can reasonably hang.
const maxWorkers = 64

// notifier is the part of the go-fuse server that notifies the kernel of
// changes.
type notifier interface {
	EntryNotify(parent uint64, name string) fuse.Status
	InodeNotify(node uint64, off, length int64) fuse.Status
	InodeNotifyStoreCache(node uint64, off int64, data []byte) fuse.Status
}

// changeQueue is the queue of what may have changed: paths of the tree, and inodes
// whose published attributes are stale. A task that is queued twice is done
// once; one that is queued while it is being done is done again.
type changeQueue struct {
	kernel notifier
	handle func(task)

	mu      sync.Mutex
	queue   []task
	state   map[task]taskState
	waiting map[task]chan struct{} // closed when the task has been done
	workers int
	closed  bool
}

// task is a path, or an inode.
type task struct {
	path  string
	inode *inode
}

type taskState int

const (
	queued taskState = iota + 1
	running
	again
)

func newChangeQueue() *changeQueue {
	return &changeQueue{state: make(map[task]taskState), waiting: make(map[task]chan struct{})}
}

func (q *changeQueue) changed(path string) { q.put(task{path: path}) }

// stale queues an inode. The channel is closed when it has been published, in a
// run that starts from now on.
func (q *changeQueue) stale(n *inode) <-chan struct{} {
	t := task{inode: n}
	q.put(t)
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.doneLocked(t)
}

// doneLocked returns a channel that is closed when a task has been done; the caller holds
// mu.
func (q *changeQueue) doneLocked(t task) <-chan struct{} {
	done := q.waiting[t]
	if done == nil {
		done = make(chan struct{})
		if q.state[t] == 0 { // it was done meanwhile
			close(done)
			return done
		}
		q.waiting[t] = done
	}
	return done
}

// put only enqueues, since handlers and providers call it.
func (q *changeQueue) put(t task) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	switch q.state[t] {
	case queued, again:
		return
	case running:
		q.state[t] = again
		return
	}
	q.state[t] = queued
	q.queue = append(q.queue, t)
	if q.workers < maxWorkers {
		q.workers++
		go q.work()
	}
}

func (q *changeQueue) work() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.queue) > 0 && !q.closed {
		t := q.queue[0]
		q.queue = q.queue[1:]
		q.state[t] = running
		q.mu.Unlock()
		q.handle(t)
		q.mu.Lock()
		if q.state[t] == again && !q.closed {
			q.state[t] = queued
			q.queue = append(q.queue, t)
		} else {
			q.finished(t)
		}
	}
	q.workers--
}

// finished ends a task. The caller holds mu.
func (q *changeQueue) finished(t task) {
	delete(q.state, t)
	if done := q.waiting[t]; done != nil {
		delete(q.waiting, t)
		close(done)
	}
}

// close drops what is queued. Tasks that run end with the mount.
func (q *changeQueue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	for _, t := range q.queue {
		q.finished(t)
	}
	q.queue = nil
}

// settled returns when the kernel has been notified of everything queued before the call.
func (q *changeQueue) settled(ctx context.Context) error {
	for range 2 { // what is done of a path queues the inodes below it
		q.mu.Lock()
		all := make([]<-chan struct{}, 0, len(q.state))
		for t := range q.state {
			all = append(all, q.doneLocked(t))
		}
		q.mu.Unlock()
		for _, done := range all {
			select {
			case <-done:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return nil
}
