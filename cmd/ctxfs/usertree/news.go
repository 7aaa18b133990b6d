package usertree

import "sync"

// news sends what happens in a call to a client, in order, without blocking the
// server that reports it.
type news[N any] struct {
	sent sync.WaitGroup

	mu     sync.Mutex
	queue  []N
	added  chan struct{} // has room for one
	closed bool
}

// maxProgress is how many pieces of news wait for a slow client; progress beyond that
// is dropped.
const maxProgress = 64

func newNews[N any](tell func(N) error) *news[N] {
	n := &news[N]{added: make(chan struct{}, 1)}
	n.sent.Go(func() {
		for range n.added {
			for {
				is, ok := n.next()
				if !ok {
					break
				}
				_ = tell(is) // the client may have left
			}
		}
	})
	return n
}

func (n *news[N]) next() (is N, ok bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.queue) == 0 {
		return is, false
	}
	is, n.queue = n.queue[0], n.queue[1:]
	return is, true
}

// post sends a piece of news, unless it is of no more importance than progress and
// too many wait already.
func (n *news[N]) post(is N, important bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed || !important && len(n.queue) >= maxProgress {
		return
	}
	n.queue = append(n.queue, is)
	select {
	case n.added <- struct{}{}:
	default:
	}
}

// close waits until everything posted is sent; what is posted later is dropped.
func (n *news[N]) close() {
	n.mu.Lock()
	n.closed = true
	close(n.added)
	n.mu.Unlock()
	n.sent.Wait()
}
