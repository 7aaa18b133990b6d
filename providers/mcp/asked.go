package mcp

import (
	"context"
	"errors"

	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/questions"
	"ctxfs/providers/mcp/tasks"
)

var errNotYet = errors.New("not yet")

// Questions returns the open questions of all servers, the oldest first, or the one
// with an ID.
func (p *Provider) Questions(id string) ([]questions.Question, error) { return nil, errNotYet }

// Answer answers a question, once: see [questions.Store.Answer].
func (p *Provider) Answer(id string, r questions.Reply) (questions.Question, error) {
	return questions.Question{}, errNotYet
}

// Detach makes a call that goes on without its caller. Its errors are those of
// [Provider.Call] that come before anything is started.
func (p *Provider) Detach(c calls.Call) (tasks.Task, error) { return tasks.Task{}, errNotYet }

// Continue waits for the outcome of a task, and returns what [Provider.Call] would
// have: of c only Progress, Asked and Leave count. The task goes on when ctx ends.
// With Leave a question that is open is an [*calls.AskedError] at once.
func (p *Provider) Continue(ctx context.Context, id string, c calls.Call) (*calls.Result, error) {
	return nil, errNotYet
}

// Tasks returns all tasks, the newest first, or the one with an ID.
func (p *Provider) Tasks(id string) ([]tasks.Task, error) { return nil, errNotYet }

// AwaitTask waits for the end of a task.
func (p *Provider) AwaitTask(ctx context.Context, id string) (tasks.Task, error) {
	return tasks.Task{}, errNotYet
}

// CancelTask cancels a task, at its server too, and waits for its end.
func (p *Provider) CancelTask(ctx context.Context, id string) (tasks.Task, error) {
	return tasks.Task{}, errNotYet
}
