package dispatch

import (
	"context"
	"errors"
	"slices"

	"ctxfs/fs/form"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/fleet"
	"ctxfs/providers/mcp/instance"
	"ctxfs/providers/mcp/questions"
	"ctxfs/providers/mcp/server"
	"ctxfs/providers/mcp/tasks"
	"ctxfs/providers/mcp/wire"
)

// Questions returns the open questions of all servers, the oldest first, or the one
// with an ID. The ID of a task stands for its open questions.
func (d *Dispatcher) Questions(id string) ([]questions.Question, error) {
	all := d.o.Questions.List(nil)
	if id == "" {
		return all, nil
	}
	of := slices.DeleteFunc(slices.Clone(all), func(q questions.Question) bool { return q.Task != id })
	if len(of) > 0 {
		return of, nil
	}
	q, err := d.o.Questions.Find(id)
	if err != nil {
		return nil, err
	}
	return []questions.Question{q}, nil
}

// Answer answers a question, once: see [questions.Store.Answer]. The ID of a task
// stands for its question, if it has one.
func (d *Dispatcher) Answer(id string, a form.Answer) (questions.Question, error) {
	if all, err := d.Questions(id); err == nil && len(all) == 1 {
		id = all[0].ID
	}
	return d.o.Questions.Answer(id, a)
}

// Detach makes a call that goes on without its caller, and does not wait for it. Its
// errors are those with which [Dispatcher.Call] refuses a call.
func (d *Dispatcher) Detach(c calls.Call) (tasks.Task, error) {
	u, err := d.judged(c)
	if err != nil {
		return tasks.Task{}, err
	}
	u.detached = true
	go d.beginCall(u, nil)()
	return d.o.Tasks.Find(u.leave())
}

// Tasks returns all tasks, the newest first, or the one with an ID. The ID of a
// question stands for the task of its call.
func (d *Dispatcher) Tasks(id string) ([]tasks.Task, error) {
	var all []tasks.Task
	if id == "" {
		all = d.o.Tasks.List("")
	} else {
		t, err := d.task(id)
		if err != nil {
			return nil, err
		}
		all = []tasks.Task{t}
	}
	for i := range all {
		if u := d.underwayOf(all[i].ID); u != nil {
			u.following.Lock()
			all[i].Done, all[i].Total = u.progress.Done, u.progress.Total
			u.following.Unlock()
		}
	}
	return all, nil
}

// task returns the task with an ID, or that of the question with the ID.
func (d *Dispatcher) task(id string) (tasks.Task, error) {
	if of := d.o.Questions.TaskOf(id); of != "" {
		id = of
	}
	t, err := d.o.Tasks.Find(id)
	if err != nil {
		if q, unknown := d.o.Questions.Find(id); unknown == nil {
			return t, &questions.Error{What: "the call that asks " + q.ID + " has not been left: its caller waits for it", Mend: "answer it: " + q.Answer}
		}
	}
	return t, err
}

// underwayOf returns the call of a task, or nil if it is not under way here.
func (d *Dispatcher) underwayOf(task string) *underway {
	d.mu.Lock()
	defer d.mu.Unlock()
	for u := range d.under {
		if u.taskID() == task {
			return u
		}
	}
	return nil
}

// Continue waits for the outcome of a task, and returns what [Dispatcher.Call] would
// have: of c only Progress, Asked and Leave count. With Leave, a question that is
// open or opened meanwhile is an [*calls.AskedError]. The task goes on when ctx
// ends. Errors are those, [*calls.EndedError], those of ctx, and that there is no
// such task.
func (d *Dispatcher) Continue(ctx context.Context, id string, c calls.Call) (*calls.Result, error) {
	t, err := d.task(id)
	if err != nil {
		return nil, err
	}
	u := d.underwayOf(t.ID)
	if u == nil {
		if t, err = d.task(t.ID); err == nil && !t.HasEnded() { // still
			u, err = d.resume(t)
		}
		if err != nil {
			return nil, err
		}
	}
	if u != nil {
		f := newFollower(&c)
		_, err := u.follow(ctx, f, c.Leave, false)
		if t, _ = d.o.Tasks.Find(t.ID); !t.HasEnded() {
			return nil, err // it asks, ctx has ended, or its server cannot be reached
		}
	}
	o, err := d.o.Tasks.Outcome(t.ID)
	switch {
	case err != nil:
		return nil, err
	case o.Result == nil:
		return nil, &calls.EndedError{Outcome: o.Word, What: o.Fault, Mend: o.Fix}
	}
	return o.Result, nil
}

// AwaitTask waits for the end of a task, whatever its server asks meanwhile.
func (d *Dispatcher) AwaitTask(ctx context.Context, id string) (tasks.Task, error) {
	return d.awaitEnd(ctx, id, false)
}

// CancelTask cancels a task, at its server too, and waits for its end. A task that
// has ended stays as it is.
func (d *Dispatcher) CancelTask(ctx context.Context, id string) (tasks.Task, error) {
	return d.awaitEnd(ctx, id, true)
}

// awaitEnd waits for the end of a task, which it cancels before if it is told to.
func (d *Dispatcher) awaitEnd(ctx context.Context, id string, cancel bool) (tasks.Task, error) {
	t, err := d.task(id)
	if err != nil || t.HasEnded() {
		return t, err
	}
	u := d.underwayOf(t.ID)
	if u == nil {
		if cancel {
			err = d.cancelRemote(ctx, t)
		}
		if err == nil {
			u, err = d.resume(t)
		}
		if err != nil {
			return t, err
		}
	}
	if cancel {
		u.cancel(errCancelled)
	}
	select {
	case <-u.done:
	case <-ctx.Done():
		return tasks.Task{}, ctx.Err()
	}
	t, err = d.o.Tasks.Find(t.ID)
	if err == nil && !t.HasEnded() { // its server cannot be reached
		err = u.err
	}
	return t, err
}

// cancelRemote cancels a task that another process has started, at its server. That
// the server does not know it any more is not an error.
func (d *Dispatcher) cancelRemote(ctx context.Context, t tasks.Task) error {
	if t.Remote == "" {
		return fleet.ErrNotHere
	}
	s, err := d.o.Fleet.ChooseOne(t.Server)
	if err != nil {
		return err
	}
	session, _, err := d.o.Fleet.Use(ctx, s, server.Place{}, instance.Waiting{})
	if err != nil {
		return err
	}
	defer session.Release()
	c, err := session.Connected(ctx, nil)
	if err != nil {
		return err
	}
	err = c.CancelTask(ctx, t.Remote)
	if answer := (*wire.ResponseError)(nil); errors.As(err, &answer) {
		return nil
	}
	return err
}

// resume waits for a task that another process has started: the server, which is
// reached over HTTP, knows it by its ID.
func (d *Dispatcher) resume(t tasks.Task) (*underway, error) {
	d.resuming.Lock()
	defer d.resuming.Unlock()
	if u := d.underwayOf(t.ID); u != nil {
		return u, nil
	}
	if t.Remote == "" {
		return nil, fleet.ErrNotHere
	}
	s, err := d.o.Fleet.ChooseOne(t.Server)
	if err != nil {
		return nil, err
	}
	u := &underway{
		begun: t.Since, made: &judgedCall{d: d, server: s}, resumed: t.Remote, task: t.ID, remote: t.Remote, asked: t.Asked,
		call: calls.Call{Server: t.Server, Tool: t.Tool, Caller: t.Caller, Project: t.Project},
	}
	if err := u.made.locate(&u.call); err != nil {
		return nil, err
	}
	run := d.beginCall(u, nil)
	u.asker.SetTask(t.ID)
	go u.keepShown() // until the call ends
	go run()
	return u, nil
}

// Stop ends all calls under way. What goes on at its server can be continued by
// another process. No more calls are made.
func (d *Dispatcher) Stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stopped = true
	for u := range d.under {
		u.mu.Lock()
		stays := u.task != "" && u.remote != ""
		u.mu.Unlock()
		if stays {
			u.cancel(wire.ErrLeft)
		} else {
			u.cancel(errStopping)
		}
	}
}

// IsCalling reports whether calls are under way.
func (d *Dispatcher) IsCalling() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.under) > 0
}
