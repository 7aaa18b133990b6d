package fusefs

import (
	"context"
	"time"
)

// request is the context of one kernel request. It costs nothing, because most
// requests are answered from memory: the kernel's interrupt is its end as it
// comes. The tree bears with one that means nothing.
type request struct{ cancel <-chan struct{} }

func newRequest(cancel <-chan struct{}) request { return request{cancel} }

func (r request) Deadline() (time.Time, bool) { return time.Time{}, false }
func (r request) Done() <-chan struct{}       { return r.cancel }
func (r request) Value(any) any               { return nil }

func (r request) Err() error {
	select {
	case <-r.cancel:
		return context.Canceled
	default:
		return nil
	}
}
