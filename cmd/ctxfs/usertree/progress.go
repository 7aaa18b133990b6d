package usertree

import (
	"sync"

	"ctxfs/providers/mcp/wire"
)

// progressQueue sends progress to a client without blocking the server that reports
// it. Progress that arrives faster than the client reads it is dropped.
type progressQueue struct {
	news chan wire.Progress
	end  func()
	sent sync.WaitGroup
}

func newProgressQueue(tell func(wire.Progress) error) *progressQueue {
	over := make(chan struct{})
	q := &progressQueue{news: make(chan wire.Progress, 64), end: func() { close(over) }}
	send := func(p wire.Progress) { _ = tell(p) } // the client may have left
	q.sent.Go(func() {
		for {
			select {
			case p := <-q.news:
				send(p)
			case <-over:
				for len(q.news) > 0 {
					send(<-q.news)
				}
				return
			}
		}
	})
	return q
}

func (q *progressQueue) post(p wire.Progress) {
	select {
	case q.news <- p:
	default:
	}
}

// close waits until everything posted is sent.
func (q *progressQueue) close() {
	q.end()
	q.sent.Wait()
}
