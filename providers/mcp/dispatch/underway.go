package dispatch

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"ctxfs/fs/cell"
	"ctxfs/fs/rounds"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/fleet"
	"ctxfs/providers/mcp/questions"
	"ctxfs/providers/mcp/tasks"
	"ctxfs/providers/mcp/wire"
)

// underway is a call under way. Usually its caller waits for it; one that has been
// left goes on as a task, for which others may wait.
type underway struct {
	d      *Dispatcher
	begun  time.Time
	call   calls.Call
	made   *judgedCall
	asker  *questions.Asker
	clock  calls.Patience
	cancel context.CancelCauseFunc
	// detached reports that the call was made to be left: a tool whose support of tasks
	// is optional is asked for one.
	detached bool
	// resumed is the ID of the server's own task, where the call was made by another
	// process; "" sends the call.
	resumed string

	done chan struct{} // closed when the call has ended
	r    *calls.Result // read after done
	err  error         // the same

	stale chan struct{} // receives a value when the task is to be shown again

	following sync.Mutex
	followers map[*follower]bool
	progress  wire.Progress // the last

	mu     sync.Mutex
	task   string   // the ID of its task; "" while it has not been left
	ended  bool     // what has become of it is known
	asked  []string // the IDs of all its questions
	remote string   // the ID of the server's own task, if it outlives a connection
	said   string   // what the server says of that task
}

// follower is one that waits for a call.
type follower struct {
	progress func(wire.Progress)
	asked    func(q questions.Question, open bool)
	news     chan struct{} // receives a value when a question has been opened
}

func newFollower(c *calls.Call) *follower {
	f := &follower{c.Progress, c.Asked, make(chan struct{}, 1)}
	if f.progress == nil {
		f.progress = func(wire.Progress) {}
	}
	if f.asked == nil {
		f.asked = func(questions.Question, bool) {}
	}
	return f
}

// errStopping is the cause of the end of calls when ctxfs stops, and errCancelled
// that of one that was cancelled.
var (
	errStopping  = errors.New("ctxfs is stopping")
	errCancelled = errors.New("it has been cancelled")
)

// beginCall begins a call that may be made, and returns the function that makes it,
// which must be called once. F follows the call from the beginning; it may be nil.
func (d *Dispatcher) beginCall(u *underway, f *follower) (run func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	u.d, u.cancel = d, cancel
	u.done, u.stale, u.followers = make(chan struct{}), make(chan struct{}, 1), make(map[*follower]bool)
	if f != nil {
		u.followers[f] = true
	}
	s := u.made.server
	def := s.Definition()
	u.asker = d.o.Questions.NewAsker(questions.AskerOptions{
		Owner: s, Server: s.Folder(), Tool: u.toolName(), Limit: d.o.Sampling.Wait(),
		Clean: func(text string) string { return s.Clean(def, text) },
		Told:  u.tell, Waiting: u.clock.Pause, Sample: d.o.Sampling.Answer(), Samples: u.call.Samples,
	})
	u.call.Progress = u.report
	u.made.under = u
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stopped {
		u.err, u.ended = fleet.ErrNotHere, true
		close(u.done)
		return func() {}
	}
	d.under[u] = true
	d.running.Add(1)
	return func() {
		defer d.running.Done()
		u.run(ctx)
	}
}

// finishCall makes a call that may be made, and waits for its end, or until it has
// been left. When ctx ends, the call is cancelled. One that cannot be left is made by
// the goroutine of its caller: another one costs a tenth of a fast call.
func (d *Dispatcher) finishCall(ctx context.Context, u *underway) (*calls.Result, error) {
	f := newFollower(&u.call)
	run := d.beginCall(u, f)
	if u.call.Leave {
		go run()
		return u.follow(ctx, f, true, true)
	}
	stop := context.AfterFunc(ctx, func() { u.cancel(context.Cause(ctx)) })
	defer stop()
	run()
	return u.r, u.err
}

// toolName returns the tool's own name as far as it is known.
func (u *underway) toolName() string {
	if u.made.tool != nil {
		return clean.Line(u.made.tool.Name)
	}
	return clean.Line(u.call.Tool)
}

// run makes the call, and records what became of it.
func (u *underway) run(ctx context.Context) {
	defer u.cancel(nil)
	r, err := cell.Value(func() (*calls.Result, error) { return u.d.makeCall(ctx, u.made, &u.call) })
	u.asker.Close()
	if cause := context.Cause(ctx); err != nil && errors.Is(err, context.Canceled) && errors.Is(cause, context.DeadlineExceeded) {
		err = cause
	}
	for _, note := range u.asker.Notes() {
		err = noted(r, err, note)
	}
	useErr := (*calls.UseError)(nil)
	stays := context.Cause(ctx) == wire.ErrLeft || u.resumed != "" && errors.As(err, &useErr) && useErr.State != "" // at the server
	u.mu.Lock()
	u.r, u.err, u.ended = r, err, true
	if u.task != "" && !stays {
		u.keep()
	}
	u.mu.Unlock()
	if !stays {
		u.d.logCall(u.begun, &u.call, u.made, r, err)
	}
	u.d.mu.Lock()
	delete(u.d.under, u)
	u.d.mu.Unlock()
	close(u.done)
}

// taskID returns the ID of the call's task, or "" if it has not been left.
func (u *underway) taskID() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.task
}

// send sends the call, or waits for the server's own task if another process has
// sent it.
func (u *underway) send(ctx context.Context, c *wire.Connection, out wire.Outgoing) (raw json.RawMessage, begun bool, err error) {
	if u.resumed == "" {
		return c.Send(ctx, out)
	}
	raw, err = c.AwaitTask(ctx, u.resumed, out.Pending)
	return raw, true, err
}

// noted adds a sentence to what became of a call.
func noted(r *calls.Result, err error, note string) error {
	if r != nil {
		r.AddAside(note)
		return err
	}
	if useErr := (*calls.UseError)(nil); errors.As(err, &useErr) {
		useErr.What += "; " + note
	}
	return err
}

// report passes the progress of the tool on.
func (u *underway) report(p wire.Progress) {
	u.following.Lock()
	defer u.following.Unlock()
	u.progress = p
	for f := range u.followers {
		f.progress(p)
	}
}

// tell passes on that a question has been opened, changed or closed.
func (u *underway) tell(q questions.Question, open bool) {
	u.mu.Lock()
	if !slices.Contains(u.asked, q.ID) {
		u.asked = append(u.asked, q.ID)
	}
	u.mu.Unlock()
	u.following.Lock()
	defer u.following.Unlock()
	for f := range u.followers {
		f.asked(q, open)
		if open {
			rounds.Tell(f.news)
		}
	}
	rounds.Tell(u.stale)
}

// onTask takes what the server says of its own task, which the call has become.
func (u *underway) onTask(t wire.Task) {
	u.clock.Heard()
	outlives := u.made.server.Definition().Transport != config.Stdio
	said := clean.Cut(clean.Line(u.asker.Redact(t.Message)), 200)
	u.mu.Lock()
	if outlives {
		u.remote = t.ID
	}
	u.said = said
	u.mu.Unlock()
	rounds.Tell(u.stale)
}

// keepShown shows the state of the task until the call ends.
func (u *underway) keepShown() {
	for {
		select {
		case <-u.stale:
			u.mu.Lock()
			u.describe()
			u.mu.Unlock()
		case <-u.done:
			return
		}
	}
}

// describe shows the state of the task. The caller holds mu.
func (u *underway) describe() {
	if u.task == "" || u.ended {
		return
	}
	asked, remote, said := slices.Clone(u.asked), u.remote, u.said
	var open []string
	for _, q := range u.asker.Open() {
		open = append(open, q.ID)
	}
	u.d.o.Tasks.Update(u.task, func(t *tasks.Task) {
		t.State, t.What = tasks.Working, said
		if len(open) > 0 {
			t.State = tasks.Asks
		}
		t.Questions, t.Asked, t.Remote = open, asked, remote
	})
}

// leave lets the call go on without its caller, and returns the ID of its task.
func (u *underway) leave() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.task == "" {
		c := &u.call
		caller := c.Caller
		caller.Folders = nil
		u.task = u.d.o.Tasks.Begin(tasks.Task{
			Server: u.made.server.Folder(), Tool: u.toolName(), Since: u.begun.UTC(), Project: c.Project, Caller: caller,
			Arguments: tasks.Digest(u.made.args), Remote: u.remote, Asked: slices.Clone(u.asked),
		}).ID
		u.asker.SetTask(u.task)
		if u.ended {
			u.keep()
		} else {
			u.d.running.Go(u.keepShown)
		}
	}
	u.describe()
	return u.task
}

// follow waits for the end of the call. When ctx ends, an owned call is cancelled,
// and any other goes on.
func (u *underway) follow(ctx context.Context, f *follower, leave, owned bool) (*calls.Result, error) {
	u.following.Lock()
	u.followers[f] = true
	u.following.Unlock()
	defer func() {
		u.following.Lock()
		delete(u.followers, f)
		u.following.Unlock()
	}()
	if !owned {
		for _, q := range u.asker.Open() { // those that it was not told of
			f.asked(q, true)
		}
	}
	for {
		if leave {
			if rounds.IsClosed(u.done) {
				return u.r, u.err
			}
			if open := u.asker.Open(); len(open) > 0 {
				id := u.leave()
				q := open[0]
				if q, err := u.d.o.Questions.Find(q.ID); err == nil { // now it has the task
					return nil, &calls.AskedError{Question: q, Task: id}
				}
				continue // it has just been answered
			}
		}
		select {
		case <-u.done:
			return u.r, u.err
		case <-f.news:
		case <-ctx.Done():
			if !owned {
				return nil, ctx.Err()
			}
			u.cancel(context.Cause(ctx))
			<-u.done
			return u.r, u.err
		}
	}
}

// keep records what became of the task. The caller holds mu.
func (u *underway) keep() {
	live := outcomeOf(u.r, u.err)
	state, what := tasks.Done, ""
	answer := (*wire.ResponseError)(nil)
	switch {
	case u.resumed != "" && errors.As(u.err, &answer):
		state, what = tasks.Lost, "the server does not know it any more: "+live.Fault
	case live.Word == calls.OutcomeCancelled:
		state, what = tasks.Cancelled, live.Fault
	case live.Word != calls.OutcomeOK:
		state, what = tasks.Failed, live.Fault
		if u.r != nil {
			what = string(u.r.Text)
		}
	}
	first, _, _ := strings.Cut(strings.TrimSpace(what), "\n")
	what = clean.Cut(clean.Line(u.asker.Redact(first)), 300)
	u.d.o.Tasks.End(u.task, state, what, live, live.Redacted(u.asker.Redact))
}

// outcomeOf returns what became of a call that returned r and err.
func outcomeOf(r *calls.Result, err error) tasks.Outcome {
	o := tasks.Outcome{Word: calls.Outcome(r, err), Result: r}
	if err == nil {
		return o
	}
	o.Fault = err.Error()
	if fix, ok := err.(interface{ Fix() string }); ok {
		o.Fix = fix.Fix()
	}
	if errors.Is(err, context.Canceled) {
		o.Fault, o.Fix = "the call has been cancelled; whether the tool has done its work is not known", ""
	}
	return o
}
