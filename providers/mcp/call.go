package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/names"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/instance"
	"ctxfs/providers/mcp/pins"
	"ctxfs/providers/mcp/policy"
	"ctxfs/providers/mcp/wire"
)

// Call calls a tool, and starts its server if necessary. Policy and arguments are
// checked before anything is started, as far as the server's tools are known. A
// call is made once: it is sent again only if the server cannot have received it.
// When ctx ends, the call is cancelled. Its line is in the log of calls when Call
// returns, unless it goes on without its caller.
//
// Errors are [*calls.ArgumentsError], [*policy.DeniedError], [*calls.UseError],
// [*calls.AskedError] and those of ctx. A failure that the tool reports is not an
// error: see [calls.Result]. [calls.Outcome] maps them all to one word.
func (p *Provider) Call(ctx context.Context, c calls.Call) (*calls.Result, error) {
	begun := p.env.Now()
	made, err := p.judge(&c)
	if err != nil {
		p.logCall(begun, &c, made, nil, err)
		return nil, err
	}
	return p.finishCall(ctx, &underway{begun: begun, call: c, made: made})
}

// makeCall makes a call that may be made.
func (p *Provider) makeCall(ctx context.Context, made *judgedCall, c *calls.Call) (*calls.Result, error) {
	session, err := made.use(ctx, instance.Waiting{Limit: made.server.patience(c.Timeout), Progress: c.Progress})
	if err != nil {
		return nil, err
	}
	defer session.Release()
	if err := made.settle(c); err != nil {
		return nil, err
	}
	raw, unmet, err := made.send(ctx, session, c)
	if err != nil {
		return nil, p.withUnmet(err, unmet)
	}
	r, err := calls.NewResult(made.under.asker.HideSecrets(raw), calls.ResultOptions{
		Server: made.server.summary().file, Tool: made.tool, Protocol: made.server.protocol(), Limit: c.Limit, Results: made.under.stored(p.opts.Results),
	})
	if err != nil {
		return nil, err
	}
	r.Note = made.note
	if unmet.What != "" {
		r.AddAside(p.unmetText(unmet))
	}
	return r, nil
}

// judgedCall is a call that may be made, as far as is known.
type judgedCall struct {
	server *server
	tool   *calls.Tool // nil where the server's tools are not known yet
	args   json.RawMessage
	at     place     // whose instance answers it
	placed *placed   // that instance, when it is running; nil is the shared one
	note   string    // what the caller is told about how it was made, or ""
	under  *underway // nil while it is judged
}

// judge checks a call against what is known. It starts nothing, and waits for nothing
// but the folders in which the caller stands. With an error it returns the server and
// tool of the call as far as they are known, or nil if there is no such server.
func (p *Provider) judge(c *calls.Call) (*judgedCall, error) {
	s, err := p.chooseFor(c)
	if err != nil {
		return nil, err
	}
	made := &judgedCall{server: s}
	if err := made.locate(c); err != nil {
		return made, err
	}
	if s.isKnown() {
		return made, made.resolve(c)
	}
	return made, p.policy.Load().Check(policy.NewSubject(s.names(), c.Tool, names.File(c.Tool)))
}

// resolve finds the tool by its name, and checks the call.
func (m *judgedCall) resolve(c *calls.Call) error {
	t, err := m.server.tool(c.Tool)
	if err != nil {
		return err
	}
	m.tool = t
	if m.under != nil && m.under.resumed != "" {
		return nil // it was checked when it was made
	}
	if m.args, err = t.Prepare(c, m.server.names(), m.server.p.policy.Load()); err != nil || c.Caller.Confined == nil {
		return err
	}
	return m.server.vouch(t, c.Caller.Confined)
}

// vouch returns why a tool that is marked as one that only reads is not called for a
// program that may do no more: the mark counts if the tool had it when it was pinned, too.
func (s *server) vouch(t *calls.Tool, by *fs.Confined) error {
	s.mu.Lock()
	doubt, file := s.pins.Doubt(t.File, calls.OnlyReads), s.file
	s.mu.Unlock()
	if doubt == "" {
		return nil
	}
	is := policy.NewSubject(s.names(), t.Name, t.File)
	return is.Confined(by, doubt, "whoever has started the agent can look at it, and accept it: "+pins.AcceptCommand(file, t.File))
}

// patience returns how long a tool of the server may be silent: the given time,
// or else the configured one.
func (s *server) patience(given time.Duration) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case given > 0:
		return given
	case s.def.CallTimeout > 0:
		return s.def.CallTimeout
	}
	return s.p.timing.tool
}

// taskTTL is how long a server is asked to keep what becomes of a task: as long as
// it is kept here.
const taskTTL = 7 * 24 * time.Hour

// send sends a call and waits for its result. Unmet is what the server asked for
// meanwhile in vain.
func (m *judgedCall) send(ctx context.Context, u *instance.Session, c *calls.Call) (raw json.RawMessage, unmet wire.Unmet, err error) {
	s := m.server
	patience := s.patience(c.Timeout)
	longest := max(patience, s.p.timing.toolMax)
	waiting, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	under := m.under
	under.clock.Start(patience, longest, giveUp)
	defer under.clock.Stop()

	f := &wire.Pending{
		OnProgress: func(p wire.Progress) {
			under.clock.Heard()
			c.Progress(p)
		},
		OnQuestion: under.asker.Ask,
		OnTask:     under.onTask,
	}
	out := wire.Outgoing{
		Method:      "tools/call",
		Params:      map[string]any{"name": m.tool.Name, "arguments": m.args},
		Schema:      m.tool.Input,
		TaskSupport: m.tool.TaskSupport, Task: under.detached, TaskTTL: taskTTL,
		Pending: f,
	}
	var last *wire.Connection
	for try := 0; ; try++ {
		conn, err := u.Connected(waiting, last)
		if err != nil {
			return nil, unmet, s.gaveUp(waiting, err, patience, longest)
		}
		last = conn
		raw, begun, err := under.send(waiting, conn, out)
		switch {
		case err == nil:
			return raw, f.Unmet(), nil
		case waiting.Err() != nil:
			err = s.gaveUp(waiting, err, patience, longest)
			if stopping := (*calls.UseError)(nil); begun && context.Cause(waiting) == errStopping && errors.As(err, &stopping) {
				stopping.What += workUnknown
			}
			return nil, unmet, err
		case try == 0 && (wire.IsForgotten(err) || !begun && conn.IsLost()):
			continue // the server has not received it
		}
		err = u.Unanswered(conn, err, patience)
		if useErr := (*calls.UseError)(nil); begun && errors.As(err, &useErr) && useErr.State != "" {
			useErr.What += workUnknown
		}
		return nil, f.Unmet(), err
	}
}

// workUnknown is added to the error of a call that its server has received.
const workUnknown = "; whether the tool has done its work is not known"

// gaveUp returns the error of a call that was given up.
func (s *server) gaveUp(waiting context.Context, err error, patience, longest time.Duration) error {
	var useErr *calls.UseError
	cause := context.Cause(waiting)
	file := s.folder()
	more := "allow more time: --timeout, or call_timeout (in seconds) in ctxfs's config.toml, below [mcp.servers." + file + "]"
	switch {
	case cause == calls.ErrSilent:
		return &calls.UseError{Server: file, What: "the tool has neither answered nor reported progress for " + wording.Seconds(patience), Mend: more, Cause: cause}
	case cause == calls.ErrEndless:
		return &calls.UseError{Server: file, What: "the tool has not answered within " + wording.Seconds(longest), Mend: more, Cause: cause}
	case cause == errStopping:
		return &calls.UseError{Server: file, What: cause.Error(), Mend: "start it again: ctxfs mount", Cause: waiting.Err()}
	case waiting.Err() != nil && !errors.As(err, &useErr):
		return waiting.Err()
	}
	return err
}

// withUnmet adds to the error of a call what the server asked for in vain.
func (p *Provider) withUnmet(err error, unmet wire.Unmet) error {
	if useErr := (*calls.UseError)(nil); errors.As(err, &useErr) && unmet.What != "" {
		useErr.What += "; " + p.unmetText(unmet)
	}
	return err
}

// unmetText says that the server got no answer to what it asked for.
func (p *Provider) unmetText(unmet wire.Unmet) string {
	by := ""
	if unmet.Uncertain {
		by = ", for this call or for another one that waited"
	}
	switch {
	case unmet.What != "sampling/createMessage":
		return "the server sent a request that was not answered" + by + ": " + unmet.What
	case p.sampling.Answers():
		return "the server wanted the answer of a language model" + by + " (" + unmet.What + "), which was declined: no command answered when it was started; it is started again once nothing uses it, so call again"
	}
	return "the server wanted the answer of a language model" + by + " (" + unmet.What + "), which was declined: " + samplerHint
}

// samplerHint says how to have language models asked.
const samplerHint = `no command answers; to name one: [mcp] sampler = ["PROGRAM", …] in config.toml`

// stored returns what stores long results of the call without the answers that
// were given in its course.
func (u *underway) stored(in calls.Results) calls.Results {
	if in == nil || !u.asker.Answered() {
		return in
	}
	return &redactedResults{in, u.asker.Redact}
}

// redactedResults stores results without answers.
type redactedResults struct {
	calls.Results
	redact func(string) string
}

// Save implements calls.Results.
func (r *redactedResults) Save(server, tool, ext string, body []byte) (calls.SavedResult, error) {
	return r.Results.Save(server, tool, ext, []byte(r.redact(string(body))))
}

// logCall writes the line of a call. A line that cannot be written is not an error
// of the call.
func (p *Provider) logCall(begun time.Time, c *calls.Call, made *judgedCall, r *calls.Result, failed error) {
	if p.opts.Offline {
		return // nothing is called, and nothing written
	}
	in := calls.Entry{Begun: begun, Took: p.env.Now().Sub(begun)}
	if made != nil {
		s := made.server
		s.mu.Lock()
		def := s.def
		in.Server = s.file
		s.mu.Unlock()
		in.Clean = func(text string) string { return s.clean(def, text) }
		if u := made.under; u != nil {
			in.Task = u.taskID()
			in.Clean = func(text string) string { return u.asker.Redact(s.clean(def, text)) }
		}
		if made.tool != nil {
			in.Tool = made.tool.Name
		}
		if p.policy.Load().LogArguments {
			in.Arguments = made.args
		}
	}
	line, err := p.callLog.Record(c, in, r, failed)
	if err != nil {
		p.env.Log.Error("a call is missing in the log of calls", "server", line.Server, "tool", line.Tool, "err", err)
		return
	}
	p.publishCalls()
	if line.Wanted != "" && p.env.Used != nil {
		p.env.Used()
	}
}
