package dispatch

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/names"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/instance"
	"ctxfs/providers/mcp/policy"
	"ctxfs/providers/mcp/server"
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
func (d *Dispatcher) Call(ctx context.Context, c calls.Call) (*calls.Result, error) {
	u, err := d.judged(c)
	if err != nil {
		return nil, err
	}
	return d.finishCall(ctx, u)
}

// Prepare judges a call, and returns the function that makes it as Call does, which is
// called at most once, and what its caller is to be told.
func (d *Dispatcher) Prepare(c calls.Call) (call func(context.Context) (*calls.Result, error), note string, err error) {
	u, err := d.judged(c)
	if err != nil {
		return nil, "", err
	}
	return func(ctx context.Context) (*calls.Result, error) { return d.finishCall(ctx, u) }, u.made.note, nil
}

// judged returns a call that may be made, and logs one that may not.
func (d *Dispatcher) judged(c calls.Call) (*underway, error) {
	begun := d.o.Env.Now()
	made, err := d.judge(&c)
	if err != nil {
		d.logCall(begun, &c, made, nil, err)
		return nil, err
	}
	return &underway{begun: begun, call: c, made: made}, nil
}

// makeCall makes a call that may be made.
func (d *Dispatcher) makeCall(ctx context.Context, made *judgedCall, c *calls.Call) (*calls.Result, error) {
	session, err := made.use(ctx, instance.Waiting{Limit: made.server.Patience(c.Timeout), Progress: c.Progress})
	if err != nil {
		return nil, err
	}
	defer session.Release()
	if err := made.settle(c); err != nil {
		return nil, err
	}
	raw, unmet, err := made.send(ctx, session, c)
	if err != nil {
		return nil, d.withUnmet(err, unmet)
	}
	r, err := calls.NewResult(made.under.asker.HideSecrets(raw), calls.ResultOptions{
		Server: made.server.Folder(), Tool: made.tool, Protocol: made.server.Protocol(), Limit: c.Limit, Results: made.under.stored(d.o.Results),
	})
	if err != nil {
		return nil, err
	}
	r.Note = made.note
	if unmet.What != "" {
		r.AddAside(d.unmetText(unmet))
	}
	return r, nil
}

// judgedCall is a call that may be made, as far as is known.
type judgedCall struct {
	d      *Dispatcher
	server *server.Server
	tool   *calls.Tool // nil where the server's tools are not known yet
	args   json.RawMessage
	at     server.Place   // whose instance answers it
	placed *server.Placed // that instance, when it is running; nil is the shared one
	note   string         // what the caller is told about how it was made, or ""
	under  *underway      // nil while it is judged
}

// judge checks a call against what is known. It starts nothing, and waits for nothing
// but the folders in which the caller stands. With an error it returns the server and
// tool of the call as far as they are known, or nil if there is no such server.
func (d *Dispatcher) judge(c *calls.Call) (*judgedCall, error) {
	s, err := d.o.Fleet.ChooseFor(c)
	if err != nil {
		return nil, err
	}
	made := &judgedCall{d: d, server: s}
	if err := made.locate(c); err != nil {
		return made, err
	}
	if s.IsKnown() {
		return made, made.resolve(c)
	}
	return made, d.o.Fleet.Policy().Check(policy.NewSubject(s.Names(), c.Tool, names.File(c.Tool)))
}

// resolve finds the tool by its name, and checks the call.
func (m *judgedCall) resolve(c *calls.Call) error {
	t, err := m.server.Tool(c.Tool)
	if err != nil {
		return err
	}
	m.tool = t
	if m.under != nil && m.under.resumed != "" {
		return nil // it was checked when it was made
	}
	if m.args, err = t.Prepare(c, m.server.Names(), m.d.o.Fleet.Policy()); err != nil || c.Caller.Confined == nil {
		return err
	}
	return m.server.Vouch(t, c.Caller.Confined)
}

// taskTTL is how long a server is asked to keep what becomes of a task: as long as
// it is kept here.
const taskTTL = 7 * 24 * time.Hour

// send sends a call and waits for its result. Unmet is what the server asked for
// meanwhile in vain.
func (m *judgedCall) send(ctx context.Context, u *instance.Session, c *calls.Call) (raw json.RawMessage, unmet wire.Unmet, err error) {
	s := m.server
	patience := s.Patience(c.Timeout)
	longest := max(patience, m.d.o.ToolMax)
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
			return nil, unmet, gaveUp(s.Folder(), waiting, err, patience, longest)
		}
		last = conn
		raw, begun, err := under.send(waiting, conn, out)
		switch {
		case err == nil:
			return raw, f.Unmet(), nil
		case waiting.Err() != nil:
			err = gaveUp(s.Folder(), waiting, err, patience, longest)
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
func gaveUp(file string, waiting context.Context, err error, patience, longest time.Duration) error {
	var useErr *calls.UseError
	cause := context.Cause(waiting)
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
func (d *Dispatcher) withUnmet(err error, unmet wire.Unmet) error {
	if useErr := (*calls.UseError)(nil); errors.As(err, &useErr) && unmet.What != "" {
		useErr.What += "; " + d.unmetText(unmet)
	}
	return err
}

// unmetText reports that the server got no answer to what it asked for.
func (d *Dispatcher) unmetText(unmet wire.Unmet) string {
	by := ""
	if unmet.Uncertain {
		by = ", for this call or for another one that waited"
	}
	switch {
	case unmet.What != "sampling/createMessage":
		return "the server sent a request that was not answered" + by + ": " + unmet.What
	case d.o.Sampling.Answers():
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
func (d *Dispatcher) logCall(begun time.Time, c *calls.Call, made *judgedCall, r *calls.Result, failed error) {
	if d.o.Offline {
		return // nothing is called, and nothing written
	}
	in := calls.Entry{Begun: begun, Took: d.o.Env.Now().Sub(begun)}
	if made != nil {
		s := made.server
		def := s.Definition()
		in.Server = s.Folder()
		in.Clean = func(text string) string { return s.Clean(def, text) }
		if u := made.under; u != nil {
			in.Task = u.taskID()
			in.Clean = func(text string) string { return u.asker.Redact(s.Clean(def, text)) }
		}
		if made.tool != nil {
			in.Tool = made.tool.Name
		}
		if d.o.Fleet.Policy().LogArguments {
			in.Arguments = made.args
		}
	}
	line, err := d.o.Log.Record(c, in, r, failed)
	if err != nil {
		d.o.Env.Log.Error("a call is missing in the log of calls", "server", line.Server, "tool", line.Tool, "err", err)
		return
	}
	d.o.Logged()
	if line.Wanted != "" && d.o.Env.Used != nil {
		d.o.Env.Used()
	}
}
