package wire

import (
	"context"
	"encoding/json"
	"errors"
	"time"
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

// AwaitTask waits for the end of a task that began in another request, maybe over
// another connection, and returns the result or the error of that request, as
// [Connection.Send] would have. P is informed of it and asked as if the request
// were its own; it may be nil. When ctx ends for another cause than [ErrLeft], the
// task is cancelled at the server.
func (c *Connection) AwaitTask(ctx context.Context, id string, p *Pending) (json.RawMessage, error) {
	return nil, errors.New("not yet")
}

// TaskState asks the server for the state of a task. The error is a
// [*ResponseError] if the server does not know it (any more).
func (c *Connection) TaskState(ctx context.Context, id string) (Task, error) {
	return Task{}, errors.New("not yet")
}

// CancelTask cancels a task at the server. One that has already ended is not an
// error.
func (c *Connection) CancelTask(ctx context.Context, id string) error {
	return errors.New("not yet")
}

// Tasks returns the tasks that the server knows, or none if it cannot list them.
func (c *Connection) Tasks(ctx context.Context) ([]Task, error) {
	return nil, errors.New("not yet")
}
