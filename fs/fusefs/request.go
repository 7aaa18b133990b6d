package fusefs

import (
	"context"
	"sync"
	"time"
)

// patience is how long an interrupted request is still waited for: signals
// that mean nothing, such as those with which Go programs preempt themselves,
// must not fail a stat that takes a microsecond.
const patience = 20 * time.Millisecond

// request is the context of one kernel request. Most requests are answered
// from memory, so it costs nothing until somebody asks for Done.
type request struct {
	cancel <-chan struct{}

	once sync.Once
	ctx  context.Context
	end  context.CancelFunc
}

func newRequest(cancel <-chan struct{}) *request { return &request{cancel: cancel} }

func (r *request) start() context.Context {
	r.once.Do(func() {
		r.ctx, r.end = context.WithCancel(context.Background())
		go func() {
			select {
			case <-r.ctx.Done():
				return
			case <-r.cancel:
			}
			timer := time.NewTimer(patience)
			defer timer.Stop()
			select {
			case <-r.ctx.Done():
			case <-timer.C:
				r.end()
			}
		}()
	})
	return r.ctx
}

// done ends the context; the handler calls it before it answers.
func (r *request) done() {
	if r.ctx != nil {
		r.end()
	}
}

func (r *request) Deadline() (time.Time, bool) { return time.Time{}, false }
func (r *request) Done() <-chan struct{}       { return r.start().Done() }
func (r *request) Err() error                  { return r.start().Err() }
func (r *request) Value(any) any               { return nil }
