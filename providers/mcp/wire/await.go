package wire

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"ctxfs/fs/cell"
	"ctxfs/fs/rounds"
	"ctxfs/providers/mcp/lines"
)

// polling is the timeout of one such question, and pollFaults how many may fail one
// after the other: a server over HTTP may be away for a moment.
const (
	polling    = 30 * time.Second
	pollFaults = 5
)

// AwaitTask waits for the end of a task that began in another request, maybe over
// another connection, and returns the result or the error of that request, as
// [Connection.Send] would have. P is informed of it and asked as if the request
// were its own; it may be nil. When ctx ends for another cause than [ErrLeft], the
// task is cancelled at the server.
func (c *Connection) AwaitTask(ctx context.Context, id string, p *Pending) (json.RawMessage, error) {
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	r := c.pending.begin(waiting, p)
	defer c.pending.end(r)
	result, err := c.await(waiting, r, tools, taskState{Task: Task{ID: id, State: TaskWorking}})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return result, err
}

// await waits for the end of the task that a request has become. Method is the
// request's.
func (c *Connection) await(ctx context.Context, r *request, method string, t taskState) (json.RawMessage, error) {
	c.pending.becomes(r, t.ID)
	news, forget := c.tasks.expect(t.ID)
	defer forget()
	if t.poll > 0 { // else nothing is known of it
		r.onTask(t.Task)
	}
	w := &waiting{c: c, r: r, method: method, id: t.ID, asked: make(map[string]bool), came: make(chan outcome, 1), failed: make(chan error, 1)}
	defer w.all.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	result, err := w.run(ctx, t, news)
	var unanswered *UnansweredError
	if (ctx.Err() != nil && context.Cause(ctx) != ErrLeft || errors.As(err, &unanswered)) && !c.IsLost() {
		go c.guard(func() {
			cancelling, stop := context.WithTimeout(c.Context, cancelling)
			defer stop()
			_ = c.CancelTask(cancelling, t.ID) // otherwise the server works in vain
		})
	}
	return result, err
}

// onTask informs the caller of the request. It may be nil.
func (r *request) onTask(t Task) {
	if r.Pending != nil && r.OnTask != nil {
		r.OnTask(t)
	}
}

// waiting waits for the end of a task.
type waiting struct {
	c      *Connection
	r      *request
	method string
	id     string

	all     cell.Group      // its goroutines
	asked   map[string]bool // in the new era, the keys of earlier questions
	came    chan outcome    // receives the result that tasks/result has brought
	fetches bool            // it has been sent, and has not failed
	failed  chan error      // receives why an answer could not be given
}

// outcome is the answer to tasks/result.
type outcome struct {
	result json.RawMessage
	err    error
}

// run asks for the state of the task until it ends, or ctx does.
func (w *waiting) run(ctx context.Context, t taskState, news <-chan struct{}) (json.RawMessage, error) {
	faults := 0
	for {
		if result, over, err := w.take(ctx, t); over {
			return result, err
		}
		select {
		case <-time.After(t.poll):
		case <-news:
		case err := <-w.failed:
			return nil, err
		case is := <-w.came:
			if w.fetches = false; w.final(is.err) {
				return is.result, is.err
			}
		case <-ctx.Done():
		case <-w.c.Lost:
		}
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case w.c.IsLost():
			return nil, w.c.Over()
		}
		is, err := w.c.state(ctx, w.r, w.id)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err == nil:
			t, faults = is, 0
			w.r.onTask(t.Task)
		case w.final(err):
			return nil, err
		default:
			if faults++; faults > pollFaults {
				return nil, err
			}
		}
	}
}

// final reports whether an error, which may be nil, would come again.
func (w *waiting) final(err error) bool {
	var answered *ResponseError
	return err == nil || errors.As(err, &answered) || IsForgotten(err) || w.c.IsLost()
}

// take does what the state of the task wants. Over reports whether the task has
// ended, with the outcome of its request.
func (w *waiting) take(ctx context.Context, t taskState) (result json.RawMessage, over bool, err error) {
	switch {
	case t.State == TaskCancelled:
		return nil, true, &CancelledError{t.Message}
	case !w.c.legacy && t.State == TaskCompleted:
		return t.result, true, nil
	case !w.c.legacy && t.State == TaskFailed:
		_, err := w.c.result(w.method, lines.Message{Fault: t.fault})
		if err == nil {
			err = &ResponseError{method: w.method, message: cmp.Or(t.Message, "the task has failed"), Code: mcp.INTERNAL_ERROR}
		}
		return nil, true, err
	case t.Ended(): // the result of the request, or its error
		if !w.fetches {
			result, _, err := w.c.sendOnce(ctx, w.r, Outgoing{Method: string(mcp.MethodTasksResult), Params: map[string]any{"taskId": w.id}})
			if err != nil && ctx.Err() == nil && t.State == TaskFailed && t.Message != "" {
				err = fmt.Errorf("%w: %s", err, t.Message)
			}
			return result, true, err
		}
		select { // the answer is on its way
		case is := <-w.came:
			return is.result, true, is.err
		case <-ctx.Done():
			return nil, true, ctx.Err()
		case <-w.c.Lost:
			return nil, true, w.c.Over()
		}
	case w.c.legacy && t.State == TaskAsks:
		w.fetch(ctx)
	case !w.c.legacy && t.State == TaskAsks:
		w.answer(ctx, t.requests)
	}
	return nil, false, nil
}

// fetch sends tasks/result, in whose stream the server asks its questions, and
// which it answers at the end of the task.
func (w *waiting) fetch(ctx context.Context) {
	if w.fetches {
		return
	}
	w.fetches = true
	w.all.Go(func() {
		result, err := cell.Value(func() (json.RawMessage, error) {
			result, _, err := w.c.sendOnce(ctx, w.r, Outgoing{Method: string(mcp.MethodTasksResult), Params: map[string]any{"taskId": w.id}})
			return result, err
		})
		w.came <- outcome{result, err}
	})
}

// answer answers what the task asks for in the new era, each thing once.
func (w *waiting) answer(ctx context.Context, requests map[string]inputRequest) {
	fresh := make(map[string]inputRequest)
	for key, asked := range requests {
		if !w.asked[key] && len(w.asked) < maxRounds*maxAsked {
			w.asked[key] = true
			fresh[key] = asked
		}
	}
	for key, asked := range fresh {
		w.all.Go(func() {
			answers, err := w.c.fulfil(ctx, w.r, map[string]inputRequest{key: asked})
			if err == nil {
				_, _, err = w.c.sendOnce(ctx, w.r, Outgoing{
					Method: "tasks/update", Params: map[string]any{"taskId": w.id, "inputResponses": answers},
				})
			}
			if err != nil {
				select {
				case w.failed <- err:
				default: // there is one already
				}
			}
		})
	}
}

// taskNews says which tasks have news.
type taskNews struct {
	mu   sync.Mutex
	news map[string]chan struct{}
}

// expect returns a channel that receives a value when the server says that the
// state of a task has changed, and a function that must be called at the end.
func (n *taskNews) expect(id string) (news <-chan struct{}, forget func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.news == nil {
		n.news = make(map[string]chan struct{})
	}
	is := make(chan struct{}, 1)
	n.news[id] = is
	return is, func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.news[id] == is {
			delete(n.news, id)
		}
	}
}

// post reports that a task has news.
func (n *taskNews) post(id string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	rounds.Tell(n.news[id]) // nil where no one waits for it
}
