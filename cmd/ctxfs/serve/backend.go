package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"ctxfs/cmd/ctxfs/call"
	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/places"
	"ctxfs/cmd/ctxfs/usertree"
	"ctxfs/fs"
	"ctxfs/fs/form"
	"ctxfs/fs/rounds"
	"ctxfs/fs/wording"
	"ctxfs/mounts"
	"ctxfs/mounts/control"
	"ctxfs/mounts/gateway"
	"ctxfs/providers/find"
	"ctxfs/providers/mcp"
)

// backend implements gateway.Backend by asking the background process. It starts
// that process at the first request and keeps it alive from then on; if it has
// ended, the next request starts another.
type backend struct {
	app  *cli.App
	life context.Context // that of the gateway
	// who is the gateway, with the agent's session according to its environment,
	// unless many agents share the gateway.
	who call.Caller
	// project is the folder for which all calls are made, as the user has named it;
	// "" if they are made for the folder of each client.
	project string

	mu   sync.Mutex
	held <-chan struct{} // closed when the process that is kept alive has ended; nil before the first
}

// lookTime bounds requests that change nothing.
const lookTime = 60 * time.Second

// keepAlive keeps a background process running although nothing else uses it.
func (b *backend) keepAlive() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held != nil && !rounds.IsClosed(b.held) {
		return nil
	}
	c, err := b.app.Start(b.life)
	if err != nil {
		return err
	}
	holds, ended := make(chan struct{}), make(chan struct{})
	first := sync.OnceFunc(func() { close(holds) })
	var failed error // read when ended is closed
	go func() {
		defer close(ended)
		defer c.Close()
		failed = c.Stay(b.life, mounts.OpHold.Name, fs.None{}, first)
	}()
	select {
	case <-holds:
		b.held = ended
		return nil
	case <-ended:
		return failed
	}
}

// Ask implements fs.Asker: it asks the background process, and the next one if that
// was just exiting, but never again once a reply before the last has arrived.
func (b *backend) Ask(ctx context.Context, r fs.Request) error {
	begun := false
	progress := r.Progress
	r.Slow, r.Progress = true, func(reply json.RawMessage) {
		begun = true
		if progress != nil {
			progress(reply)
		}
	}
	var err error
	_ = places.UntilServed(func() error {
		err = b.askOnce(ctx, r)
		if begun || ctx.Err() != nil {
			return nil // not again
		}
		return err
	})
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if f := (*control.Fault)(nil); errors.As(err, &f) {
		return usertree.FaultForAgent(f)
	}
	return err
}

func (b *backend) askOnce(ctx context.Context, r fs.Request) error {
	if err := b.keepAlive(); err != nil {
		return err
	}
	err := b.app.Process().Ask(ctx, r)
	if errors.Is(err, control.ErrNotRunning) {
		b.awaitEnd(ctx) // a moment ago it was there
		return control.ErrGone
	}
	return err
}

// endTime is how long a process that accepts no more requests may take to exit.
const endTime = 10 * time.Second

// awaitEnd waits for a process that accepts no more requests to exit, which may
// take a while on a busy machine: only then does keepAlive start the next.
func (b *backend) awaitEnd(ctx context.Context) {
	b.mu.Lock()
	held := b.held
	b.mu.Unlock()
	select {
	case <-held:
	case <-ctx.Done():
	case <-time.After(endTime):
	}
}

// withinLookTime bounds how long something that changes nothing may take.
func withinLookTime(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, lookTime, errors.New("ctxfs did not answer in time"))
}

// Overview implements gateway.Backend.
func (b *backend) Overview(ctx context.Context) (string, error) {
	ctx, cancel := withinLookTime(ctx)
	defer cancel()
	all, err := usertree.OpProviders.Ask(ctx, b, fs.None{})
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for _, p := range all {
		if len(p.Items) > 0 {
			fmt.Fprintf(&text, "%s: %s\n", p.Name, itemLine(p.Status))
		}
	}
	return strings.TrimSpace(text.String()), nil
}

// itemLine lists the items of a provider, with the state of those that are not
// ready.
func itemLine(s fs.Status) string {
	if len(s.Items) == 0 {
		return "None yet."
	}
	var words []string
	for _, i := range s.Items {
		word := i.Name
		var more []string
		if i.State != "" && i.State != "ready" {
			more = append(more, i.State)
		}
		if i.Count >= 0 {
			more = append(more, wording.Count(i.Count, i.Unit))
		}
		if len(more) > 0 {
			word += " (" + strings.Join(more, ", ") + ")"
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

// List implements gateway.Backend.
func (b *backend) List(ctx context.Context, path string) ([]gateway.Entry, error) {
	ctx, cancel := withinLookTime(ctx)
	defer cancel()
	listed, err := usertree.OpList.Ask(ctx, b, usertree.PathQuery{Path: path})
	if err != nil {
		return nil, err
	}
	entries := make([]gateway.Entry, len(listed))
	for i, e := range listed {
		entries[i] = gateway.Entry{Name: e.Name, Dir: e.Type == "dir", Size: e.Size, Itself: e.Itself}
	}
	return entries, nil
}

// Read implements gateway.Backend.
func (b *backend) Read(ctx context.Context, path string, w io.Writer) error {
	ctx, cancel := withinLookTime(ctx)
	defer cancel()
	_, err := usertree.OpRead.Ask(ctx, b, usertree.PathQuery{Path: path}, nil, w)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the file was cut off; ask again")
	}
	return err
}

// Find implements gateway.Backend.
func (b *backend) Find(ctx context.Context, q gateway.Query) (string, error) {
	ctx, cancel := withinLookTime(ctx)
	defer cancel()
	answers, any := make([]find.Answer, len(q.Wants)), false
	for i, want := range q.Wants {
		matches, err := usertree.OpFind.Ask(ctx, b, usertree.FindQuery{Query: want, In: q.In, Limit: q.Limit, Caller: b.who.Standpoint})
		if err != nil {
			return "", err
		}
		answers[i] = find.Answer{Want: want, Matches: matches}
		any = any || len(matches) > 0
	}
	if !any {
		return "", nil
	}
	return find.List(answers, false), nil
}

// caller returns the caller of a call: the client, which stands where the gateway
// does. Each client has a session of its own, by whatever name.
func (b *backend) caller(c gateway.Call) call.Caller {
	who := b.who
	who.Agent = c.Client
	who.Session = cmp.Or(who.Session, c.Session, fmt.Sprintf("gateway-%d", who.PID))
	return who
}

// Call implements gateway.Backend. It requests a call, and never again once that
// has started: tools have effects.
func (b *backend) Call(ctx context.Context, c gateway.Call, progress func(gateway.Progress)) (*gateway.Result, error) {
	return b.call(ctx, usertree.AgentCall{
		Server: c.Server, Tool: c.Tool, Arguments: c.Arguments, Confirmed: c.Confirmed, Samples: c.Samples,
		Project: cmp.Or(b.project, c.Root), Caller: b.caller(c),
	}, progress)
}

// Continue implements gateway.Backend.
func (b *backend) Continue(ctx context.Context, task string, progress func(gateway.Progress)) (*gateway.Result, error) {
	return b.call(ctx, usertree.AgentCall{Task: task}, progress)
}

// Answered implements gateway.Backend.
func (b *backend) Answered(ctx context.Context, q form.Question) error {
	_, err := usertree.OpAnswered.Ask(ctx, b, usertree.QuestionQuery{ID: q.ID, Task: q.Task, Opened: q.Opened})
	return err
}

// Answer implements gateway.Backend.
func (b *backend) Answer(ctx context.Context, a form.Answer) error {
	ctx, cancel := withinLookTime(ctx)
	defer cancel()
	_, err := call.OpAnswer.Ask(ctx, b, a)
	if f := (*gateway.Fault)(nil); errors.As(err, &f) && f.Missing {
		return gateway.ErrAnswered
	}
	return err
}

// CancelTask implements gateway.Backend.
func (b *backend) CancelTask(ctx context.Context, task string) error {
	_, err := mcp.OpCancelTask.Ask(ctx, b, mcp.IDQuery{ID: task})
	return err
}

// call makes a call or goes on with a task.
func (b *backend) call(ctx context.Context, c usertree.AgentCall, progress func(gateway.Progress)) (*gateway.Result, error) {
	begun := false
	reply, err := usertree.OpAgentCall.Ask(ctx, b, c, func(news usertree.AgentNews) {
		begun = true
		if news.Progress != nil {
			progress(*news.Progress)
		}
	}, nil)
	switch {
	case errors.Is(err, control.ErrGone) && begun:
		return nil, &gateway.Fault{
			What: "ctxfs ended during the call; whether the tool has done its work is not known",
			Mend: "check before you call it again",
		}
	case err != nil:
		return nil, err
	case reply.Fault != nil:
		return nil, reply.Fault
	}
	return reply.Result, nil
}
