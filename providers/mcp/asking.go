package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/form"
	"ctxfs/providers/facts"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/clients"
	"ctxfs/providers/mcp/instance"
	"ctxfs/providers/mcp/questions"
	"ctxfs/providers/mcp/tasks"
	"ctxfs/providers/mcp/wire"
)

// Questions returns the open questions of all servers, the oldest first, or the one
// with an ID. The ID of a task stands for its open questions.
func (p *Provider) Questions(id string) ([]questions.Question, error) {
	all := p.questions.List(nil)
	if id == "" {
		return all, nil
	}
	of := slices.DeleteFunc(slices.Clone(all), func(q questions.Question) bool { return q.Task != id })
	if len(of) > 0 {
		return of, nil
	}
	q, err := p.questions.Find(id)
	if err != nil {
		return nil, err
	}
	return []questions.Question{q}, nil
}

var _ facts.HookSource = (*Provider)(nil)

// News implements facts.HookSource: which servers want an answer or a login, of those that the
// session's folder may use.
func (p *Provider) News(_ context.Context, m facts.Moment) (news []facts.News) {
	if m.Kind != facts.Prompted {
		return nil
	}
	for _, q := range p.questions.List(nil) {
		news = append(news, facts.News{Kind: facts.NewsServers, Key: q.ID + "@" + q.Since.Format(time.RFC3339Nano), Rank: facts.Blocking, Text: "An MCP server waits: question " + q.Line()})
	}
	for _, s := range p.all() {
		d, _, _ := s.named()
		b := s.summary()
		if b.condition.State != wire.StateNeedsAuth || d.Project != "" && !fs.Within(m.Dir, d.Project) {
			continue
		}
		text := fmt.Sprintf("The MCP server %s wants a login, which only the user can give", b.file)
		if fix := cmp.Or(b.condition.FixHere, b.condition.Fix); fix != "" {
			text += ": " + clean.Cut(clean.Line(fix), maxNews)
		}
		news = append(news, facts.News{Kind: facts.NewsServers, Key: b.file + " wants a login", Rank: facts.Behind, Text: text})
	}
	return news
}

// maxNews is the longest fix that is said, in bytes.
const maxNews = 200

// Answer answers a question, once: see [questions.Store.Answer]. The ID of a task
// stands for its question, if it has one.
func (p *Provider) Answer(id string, a form.Answer) (questions.Question, error) {
	if all, err := p.Questions(id); err == nil && len(all) == 1 {
		id = all[0].ID
	}
	return p.questions.Answer(id, a)
}

// Detach makes a call that goes on without its caller, and does not wait for it. Its
// errors are those with which [Provider.Call] refuses a call.
func (p *Provider) Detach(c calls.Call) (tasks.Task, error) {
	begun := p.env.Now()
	made, err := p.judge(&c)
	if err != nil {
		p.logCall(begun, &c, made, nil, err)
		return tasks.Task{}, err
	}
	u := &underway{begun: begun, call: c, made: made, detached: true}
	go p.beginCall(u, nil)()
	return p.tasks.Find(u.leave())
}

// Tasks returns all tasks, the newest first, or the one with an ID. The ID of a
// question stands for the task of its call.
func (p *Provider) Tasks(id string) ([]tasks.Task, error) {
	var all []tasks.Task
	if id == "" {
		all = p.tasks.List("")
	} else {
		t, err := p.task(id)
		if err != nil {
			return nil, err
		}
		all = []tasks.Task{t}
	}
	for i := range all {
		if u := p.underwayOf(all[i].ID); u != nil {
			u.following.Lock()
			all[i].Done, all[i].Total = u.progress.Done, u.progress.Total
			u.following.Unlock()
		}
	}
	return all, nil
}

// task returns the task with an ID, or that of the question with the ID.
func (p *Provider) task(id string) (tasks.Task, error) {
	if of := p.questions.TaskOf(id); of != "" {
		id = of
	}
	t, err := p.tasks.Find(id)
	if err != nil {
		if q, unknown := p.questions.Find(id); unknown == nil {
			return t, &questions.Error{What: "the call that asks " + q.ID + " has not been left: its caller waits for it", Mend: "answer it: " + q.Answer}
		}
	}
	return t, err
}

// underwayOf returns the call of a task, or nil if it is not under way here.
func (p *Provider) underwayOf(task string) *underway {
	p.underMu.Lock()
	defer p.underMu.Unlock()
	for u := range p.under {
		if u.taskID() == task {
			return u
		}
	}
	return nil
}

// Continue waits for the outcome of a task, and returns what [Provider.Call] would
// have: of c only Progress, Asked and Leave count. With Leave, a question that is
// open or opened meanwhile is an [*calls.AskedError]. The task goes on when ctx
// ends. Errors are those, [*calls.EndedError], those of ctx, and that there is no
// such task.
func (p *Provider) Continue(ctx context.Context, id string, c calls.Call) (*calls.Result, error) {
	t, err := p.task(id)
	if err != nil {
		return nil, err
	}
	u := p.underwayOf(t.ID)
	if u == nil {
		if t, err = p.task(t.ID); err == nil && !t.HasEnded() { // still
			u, err = p.resume(t)
		}
		if err != nil {
			return nil, err
		}
	}
	if u != nil {
		f := newFollower(&c)
		_, err := u.follow(ctx, f, c.Leave, false)
		if t, _ = p.tasks.Find(t.ID); !t.HasEnded() {
			return nil, err // it asks, ctx has ended, or its server cannot be reached
		}
	}
	o, err := p.tasks.Outcome(t.ID)
	switch {
	case err != nil:
		return nil, err
	case o.Result == nil:
		return nil, &calls.EndedError{Outcome: o.Word, What: o.Fault, Mend: o.Fix}
	}
	return o.Result, nil
}

// AwaitTask waits for the end of a task, whatever its server asks meanwhile.
func (p *Provider) AwaitTask(ctx context.Context, id string) (tasks.Task, error) {
	t, err := p.task(id)
	if err != nil || t.HasEnded() {
		return t, err
	}
	u := p.underwayOf(t.ID)
	if u == nil {
		if u, err = p.resume(t); err != nil {
			return t, err
		}
	}
	return p.awaitEnd(ctx, u, t.ID)
}

// awaitEnd waits for the end of a task that is under way.
func (p *Provider) awaitEnd(ctx context.Context, u *underway, id string) (tasks.Task, error) {
	select {
	case <-u.done:
	case <-ctx.Done():
		return tasks.Task{}, ctx.Err()
	}
	t, err := p.tasks.Find(id)
	if err == nil && !t.HasEnded() { // its server cannot be reached
		err = u.err
	}
	return t, err
}

// CancelTask cancels a task, at its server too, and waits for its end. A task that
// has ended stays as it is.
func (p *Provider) CancelTask(ctx context.Context, id string) (tasks.Task, error) {
	t, err := p.task(id)
	if err != nil || t.HasEnded() {
		return t, err
	}
	u := p.underwayOf(t.ID)
	if u == nil {
		if err = p.cancelRemote(ctx, t); err != nil {
			return t, err
		}
		if u, err = p.resume(t); err != nil {
			return t, err
		}
	}
	u.cancel(errCancelled)
	return p.awaitEnd(ctx, u, t.ID)
}

// cancelRemote cancels a task that another process has begun, at its server. That
// the server does not know it any more is not an error.
func (p *Provider) cancelRemote(ctx context.Context, t tasks.Task) error {
	if t.Remote == "" {
		return errNotHere
	}
	s, err := p.chooseOne(t.Server)
	if err != nil {
		return err
	}
	session, err := p.use(ctx, s, instance.Waiting{})
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

// resume waits for a task that another process has begun: the server, which is
// reached over HTTP, knows it by its ID.
func (p *Provider) resume(t tasks.Task) (*underway, error) {
	p.resuming.Lock()
	defer p.resuming.Unlock()
	if u := p.underwayOf(t.ID); u != nil {
		return u, nil
	}
	if t.Remote == "" {
		return nil, errNotHere
	}
	s, err := p.chooseOne(t.Server)
	if err != nil {
		return nil, err
	}
	u := &underway{
		begun: t.Since, made: &judgedCall{server: s}, resumed: t.Remote, task: t.ID, remote: t.Remote, asked: t.Asked,
		call: calls.Call{Server: t.Server, Tool: t.Tool, Caller: t.Caller, Project: t.Project},
	}
	if err := u.made.locate(&u.call); err != nil {
		return nil, err
	}
	run := p.beginCall(u, nil)
	u.asker.SetTask(t.ID)
	go u.keepShown() // until the call ends
	go run()
	return u, nil
}

// stopCalls ends all calls under way. What goes on at its server can be continued by
// another process.
func (p *Provider) stopCalls() {
	p.underMu.Lock()
	defer p.underMu.Unlock()
	p.stopped = true
	for u := range p.under {
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

// isCalling reports whether calls are under way.
func (p *Provider) isCalling() bool {
	p.underMu.Lock()
	defer p.underMu.Unlock()
	return len(p.under) > 0
}

// storeSampling applies the settings of questions. Servers learn when they are
// connected to whether they may ask a language model, and may list other tools then:
// where that has changed they are connected to again once nobody uses them.
func (p *Provider) storeSampling(settings clients.Settings) {
	if !p.sampling.Set(settings.Sampler, settings.QuestionTimeout) {
		return
	}
	for _, s := range p.all() {
		for _, i := range s.instances() {
			i.Renew()
		}
	}
}
