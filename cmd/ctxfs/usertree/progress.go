package usertree

import (
	"sync"

	"ctxfs/providers/mcp/wire"
)

// progressQueue sends progress to a caller, without holding up who tells of it.
// Of what comes faster than it is taken some is left out.
type progressQueue struct {
	news chan wire.Progress
	end  func()
	sent sync.WaitGroup
}

func newProgressQueue(tell func(wire.Progress) error) *progressQueue {
	over := make(chan struct{})
	q := &progressQueue{news: make(chan wire.Progress, 64), end: func() { close(over) }}
	send := func(p wire.Progress) { _ = tell(p) } // who has left hears nothing
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

// close waits until what was posted is sent.
func (q *progressQueue) close() {
	q.end()
	q.sent.Wait()
}
