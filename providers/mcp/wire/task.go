package wire

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"ctxfs/providers/internal/clean"
)

// The states of a [Task].
const (
	TaskWorking   = "working"
	TaskAsks      = "input_required" // it waits for the answer to a question
	TaskCompleted = "completed"
	TaskFailed    = "failed"
	TaskCancelled = "cancelled"
)

// Task is a request that a server works on after it has answered: its result is
// fetched later, also over another connection to the same server.
//
// Source: Tasks, specification 2025-11-25, where a client asks for a task and
// fetches its result by tasks/result; and the extension io.modelcontextprotocol/tasks
// of 2026-07-28, where the server decides and tasks/get has it all.
type Task struct {
	ID      string
	State   string
	Message string        // what the server says of the state, one line; may be ""
	Created time.Time     // zero if the server does not say
	TTL     time.Duration // how long the server keeps it from then on; 0 is without end, or unknown
}

// Ended reports whether the task is in a state that it does not leave.
func (t Task) Ended() bool {
	return t.State == TaskCompleted || t.State == TaskFailed || t.State == TaskCancelled
}

// ErrLeft is the cause with which to cancel the context of a request that has
// become a task so that the server goes on with it: see [context.WithCancelCause].
// With any other cause the task is cancelled at the server.
var ErrLeft = errors.New("the task is left to itself")

// CancelledError reports that the server, or somebody else, has cancelled a task.
type CancelledError struct {
	Message string // what the server says of it; may be ""
}

func (e *CancelledError) Error() string {
	if e.Message == "" {
		return "the task was cancelled"
	}
	return "the task was cancelled: " + e.Message
}

const (
	tasksExtension    = "io.modelcontextprotocol/tasks"
	notificationTasks = "notifications/tasks" // in the new era

	tools          = string(mcp.MethodToolsCall)
	resultTypeTask = "task"
)

// How often a server is asked about a task, whatever it suggests.
const (
	pollUsual = time.Second
	pollLeast = 100 * time.Millisecond
	pollMost  = time.Minute
)

// polling is the timeout of one such question, and pollFaults how many may fail one
// after the other: a server over HTTP may be away for a moment.
const (
	polling    = 30 * time.Second
	pollFaults = 5
)

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

// post says that a task has news.
func (n *taskNews) post(id string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	select {
	case n.news[id] <- struct{}{}:
	default: // nobody waits for it, or it has been said
	}
}

// taskState is a task as the server describes it, in either era.
type taskState struct {
	Task
	poll     time.Duration           // how often it wants to be asked
	result   json.RawMessage         // in the new era, of one that is completed
	fault    json.RawMessage         // in the new era, of one that failed
	requests map[string]inputRequest // in the new era, of one that asks
}

// readTask reads a task. The error is that it is none.
func readTask(text json.RawMessage) (t taskState, err error) {
	var is struct {
		ID        string                  `json:"taskId"`
		Status    string                  `json:"status"`
		Message   string                  `json:"statusMessage"`
		Created   string                  `json:"createdAt"`
		TTL       *float64                `json:"ttl"`
		TTLMs     *float64                `json:"ttlMs"`
		Poll      *float64                `json:"pollInterval"`
		PollMs    *float64                `json:"pollIntervalMs"`
		Result    json.RawMessage         `json:"result"`
		Fault     json.RawMessage         `json:"error"`
		Requested map[string]inputRequest `json:"inputRequests"`
	}
	if err := json.Unmarshal(text, &is); err != nil {
		return t, err
	}
	if is.ID == "" || len(is.ID) > maxAddress {
		return t, errors.New("the task has no id")
	}
	created, _ := time.Parse(time.RFC3339, is.Created) // else it is not known
	t = taskState{
		Task: Task{
			ID: is.ID, State: clean.Cut(clean.Line(is.Status), progressLength),
			Message: clean.Cut(clean.Line(is.Message), progressLength), Created: created, TTL: milliseconds(is.TTL, is.TTLMs),
		},
		poll: milliseconds(is.Poll, is.PollMs), result: is.Result, fault: is.Fault, requests: is.Requested,
	}
	if t.poll == 0 {
		t.poll = pollUsual
	}
	t.poll = min(max(t.poll, pollLeast), pollMost)
	return t, nil
}

// milliseconds returns the first of the numbers that is there as a duration of at
// most a hundred years, or 0.
func milliseconds(numbers ...*float64) time.Duration {
	const most = 100 * 365 * 24 * time.Hour
	n := cmp.Or(numbers...)
	if n == nil || !(*n > 0) {
		return 0
	}
	return time.Duration(min(*n*float64(time.Millisecond), float64(most)))
}

// maxTaskResult is how long a result can be that says that there is a task, in
// bytes. A longer one is not looked at.
const maxTaskResult = 64 << 10

// taskIn returns the task that the result of a request says it has become.
func (c *Connection) taskIn(result json.RawMessage) (t taskState, ok bool) {
	if len(result) > maxTaskResult || !bytes.Contains(result, []byte(`"taskId"`)) {
		return t, false
	}
	var is struct {
		Type    string          `json:"resultType"`
		Task    json.RawMessage `json:"task"`
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(result, &is) != nil {
		return t, false
	}
	text := is.Task
	switch {
	case c.legacy && text != nil && is.Content == nil:
	case !c.legacy && is.Type == resultTypeTask:
		text = result
	default:
		return t, false
	}
	t, err := readTask(text)
	return t, err == nil
}

// withTask returns the parameters of a request, which ask for a task if the tool
// requires one, or if the caller asks for one and the tool supports it. In the new
// era the server decides.
func (c *Connection) withTask(out Outgoing) map[string]any {
	caps := c.info.Capabilities.Tasks
	can := c.legacy && out.Method == tools && caps != nil && caps.Requests != nil && caps.Requests.Tools != nil && caps.Requests.Tools.Call != nil
	if !can || out.TaskSupport != "required" && !(out.TaskSupport == "optional" && out.Task) {
		return out.Params
	}
	task := map[string]any{}
	if out.TaskTTL > 0 {
		task["ttl"] = out.TaskTTL.Milliseconds()
	}
	params := maps.Clone(out.Params)
	params["task"] = task
	return params
}

// AwaitTask waits for the end of a task that began in another request, maybe over
// another connection, and returns the result or the error of that request, as
// [Connection.Send] would have. P is informed of it and asked as if the request
// were its own; it may be nil. When ctx ends for another cause than [ErrLeft], the
// task is cancelled at the server.
func (c *Connection) AwaitTask(ctx context.Context, id string, p *Pending) (json.RawMessage, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	r := c.pending.begin(ctx, p)
	defer c.pending.end(r)
	return c.await(ctx, r, tools, taskState{Task: Task{ID: id, State: TaskWorking}})
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
		go func() {
			cancelling, stop := context.WithTimeout(c.Context, cancelling)
			defer stop()
			_ = c.CancelTask(cancelling, t.ID) // otherwise the server works in vain
		}()
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

	all     sync.WaitGroup  // its goroutines
	asked   map[string]bool // in the new era, the keys of what was asked
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
		timer := time.NewTimer(t.poll)
		select {
		case <-timer.C:
		case <-news:
		case err := <-w.failed:
			timer.Stop()
			return nil, err
		case is := <-w.came:
			timer.Stop()
			if w.fetches = false; w.final(is.err) {
				return is.result, is.err
			}
		case <-ctx.Done():
		case <-w.c.Lost:
		}
		timer.Stop()
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
		_, err := w.c.result(w.method, message{fault: t.fault})
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
		result, _, err := w.c.sendOnce(ctx, w.r, Outgoing{Method: string(mcp.MethodTasksResult), Params: map[string]any{"taskId": w.id}})
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

// state asks for the state of a task.
func (c *Connection) state(ctx context.Context, r *request, id string) (taskState, error) {
	ctx, stop := context.WithTimeout(ctx, polling)
	defer stop()
	result, _, err := c.sendOnce(ctx, r, Outgoing{Method: string(mcp.MethodTasksGet), Params: map[string]any{"taskId": id}})
	if err != nil {
		return taskState{}, err
	}
	t, err := readTask(result)
	if err == nil && t.ID != id {
		err = errors.New("it is another task")
	}
	if err != nil {
		return t, fmt.Errorf("%s: the answer has a wrong form: %w", mcp.MethodTasksGet, err)
	}
	return t, nil
}

// TaskState asks the server for the state of a task. The error is a
// [*ResponseError] if the server does not know it (any more).
func (c *Connection) TaskState(ctx context.Context, id string) (Task, error) {
	r := c.pending.begin(ctx, nil)
	defer c.pending.end(r)
	t, err := c.state(ctx, r, id)
	return t.Task, err
}

// CancelTask cancels a task at the server. One that has already ended, or that the
// server does not know, is a [*ResponseError].
func (c *Connection) CancelTask(ctx context.Context, id string) error {
	_, err := c.Request(ctx, string(mcp.MethodTasksCancel), map[string]any{"taskId": id})
	return err
}

// Tasks returns the tasks that the server knows, or none if it cannot list them:
// in the new era none can.
func (c *Connection) Tasks(ctx context.Context) (all []Task, err error) {
	caps := c.info.Capabilities.Tasks
	if !c.legacy || caps == nil || caps.List == nil {
		return nil, nil
	}
	seen := make(map[string]bool)
	for params := map[string]any{}; len(seen) < maxPages; {
		result, err := c.Request(ctx, string(mcp.MethodTasksList), params)
		if err != nil {
			return nil, err
		}
		var page struct {
			Tasks []json.RawMessage `json:"tasks"`
			Next  string            `json:"nextCursor"`
		}
		if err := json.Unmarshal(result, &page); err != nil {
			return nil, fmt.Errorf("%s: the answer has a wrong form: %w", mcp.MethodTasksList, err)
		}
		for _, text := range page.Tasks {
			if t, err := readTask(text); err == nil {
				all = append(all, t.Task)
			}
		}
		if page.Next == "" || seen[page.Next] {
			break
		}
		seen[page.Next] = true
		params = map[string]any{"cursor": page.Next}
	}
	return all, nil
}
