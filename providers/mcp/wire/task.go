package wire

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
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

// CancelledError reports that the server, or another client, has cancelled a task.
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

// taskState is a task as the server describes it, in either era.
type taskState struct {
	Task
	poll     time.Duration           // how often it wants to be asked
	result   json.RawMessage         // in the new era, of one that is completed
	fault    json.RawMessage         // in the new era, of one that failed
	requests map[string]inputRequest // in the new era, of one that asks
}

// readTask reads a task. The error reports that the text is not a task.
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
	t.poll = min(max(cmp.Or(t.poll, pollUsual), pollLeast), pollMost)
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

// CancelTask cancels a task at the server. One that has already ended, or that the
// server does not know, is a [*ResponseError].
func (c *Connection) CancelTask(ctx context.Context, id string) error {
	_, err := c.Request(ctx, string(mcp.MethodTasksCancel), map[string]any{"taskId": id})
	return err
}
