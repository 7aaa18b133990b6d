package mcp

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/await"
	"ctxfs/fs/facts"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/mcp/instance"
	"ctxfs/providers/mcp/server"
	"ctxfs/providers/mcp/wire"
)

var _ await.Awaiter = (*Provider)(nil)

// showTasks shows the tasks of the server whose folder has a name.
func (p *Provider) showTasks(file string) {
	for _, s := range p.All() {
		if s.Folder() == file {
			s.Show()
		}
	}
}

// Awaits implements await.Awaiter.
func (p *Provider) Awaits() []await.Awaitable {
	server := await.Awaitable{Kind: "server", Name: "NAME", Until: []string{"ready"}}
	for _, s := range p.All() {
		server.Names = append(server.Names, s.Folder())
	}
	return []await.Awaitable{server, {Kind: "question", Name: "", Until: []string{""}}}
}

// Await implements await.Awaiter. A server that is waited for is started.
func (p *Provider) Await(_ context.Context, c await.Condition) (await.Pending, error) {
	switch {
	case c.Kind == "question" && (c.Name != "" || c.Until != ""):
		return nil, &await.AwaitError{State: await.NoSense, What: "question has no name, and nothing follows it"}
	case c.Kind == "server" && c.Name == "":
		return nil, &await.AwaitError{State: await.NoSense, What: "server: which one? give its name", Mend: "list them: ctxfs ls mcps"}
	case c.Kind == "server" && c.Until != "ready":
		return nil, &await.AwaitError{State: await.NoSense, What: "what of server " + c.Name + "?", Mend: "server NAME ready waits until it can be called"}
	case c.Kind == "question" && p.opts.Watch:
		return questionWait{p}, nil
	}
	if c.Kind == "server" {
		chosen, err := p.Choose(c.Name)
		if err != nil {
			what, mend, _ := strings.Cut(err.Error(), "; ")
			return nil, &await.AwaitError{State: await.Unnamed, What: what, Mend: mend}
		}
		if p.opts.Watch {
			return &serverWait{p: p, s: chosen[0]}, nil
		}
	}
	return nil, &await.AwaitError{State: await.NeedsProcess, What: "servers run in the background process only", Mend: "ctxfs mount"}
}

// questionWait waits for an open question of any server.
type questionWait struct{ p *Provider }

// Paths implements await.Pending.
func (questionWait) Paths() []string { return nil }

// Check implements await.Pending.
func (w questionWait) Check(context.Context) (await.Standing, error) {
	for _, q := range w.p.questions.List(nil) {
		if !q.Opened {
			return await.Standing{State: await.Met, What: q.Line(), Path: q.Server + "/" + server.QuestionsName + "/" + q.ID + ".json", More: "ctxfs answer " + q.ID + " --help"}, nil
		}
	}
	return await.Standing{What: "no server asks anything", More: "ctxfs answer"}, nil
}

// lastingFailures is how many times in a row a server must have failed to start for
// callers not to wait for its next try: one failure may pass.
const lastingFailures = 2

// serverWait waits until a server can be called.
type serverWait struct {
	p       *Provider
	s       *server.Server
	started bool
}

// Paths implements await.Pending.
func (*serverWait) Paths() []string { return nil }

// Check implements await.Pending. It starts a server that does not run, once: one that is
// stopped later, because it is unused, starts when it is called.
func (w *serverWait) Check(context.Context) (await.Standing, error) {
	b := w.s.Summary()
	is := &b.Condition
	s := await.Standing{What: fmt.Sprintf("server %s is %s", b.File, is.State), Path: b.File + "/STATUS.md", More: "ctxfs tools " + b.File}
	switch {
	case is.State == instance.StateReady, is.State == instance.StateCached && (w.started || w.s.WantsProject()):
		s.State = await.Met
		s.What = fmt.Sprintf("server %s is ready, %s", b.File, wording.Count(len(b.Tools), "tools"))
	case is.State == instance.StateCached, is.State == instance.StateStopped && !w.s.WantsProject():
		if w.started {
			break
		}
		w.started = true
		if err := w.p.EnsureBegun(w.s); err != nil {
			s.State, s.What = await.Never, err.Error()
		} else if err := w.s.Wake(); err != nil {
			s.State, s.What = await.Never, err.Error()
		}
	case is.Failing() && (is.Next.IsZero() || is.Failures >= lastingFailures), is.State == instance.StateDisabled:
		s.State = await.Never
		s.What, s.More = strings.TrimSuffix(s.What+": "+is.What, ": "), cmp.Or(is.Fix, "ctxfs cat mcps/"+b.File+"/STATUS.md")
	case is.What != "":
		s.What += ": " + is.What
	}
	return s, nil
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
	for _, s := range p.All() {
		d, _, state := s.Named()
		if state != wire.StateNeedsAuth || d.Project != "" && !fs.Within(m.Dir, d.Project) {
			continue
		}
		b := s.Summary()
		text := fmt.Sprintf("The MCP server %s wants a login, which only the user can give", b.File)
		if fix := cmp.Or(b.Condition.FixHere, b.Condition.Fix); fix != "" {
			text += ": " + clean.Cut(clean.Line(fix), maxNews)
		}
		news = append(news, facts.News{Kind: facts.NewsServers, Key: b.File + " wants a login", Rank: facts.Behind, Text: text})
	}
	return news
}

// maxNews is the longest fix that is said, in bytes.
const maxNews = 200
