package dispatch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/names"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/config"
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
		if unmet.What != "" {
			err = noted(nil, err, d.unmetText(unmet))
		}
		return nil, err
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
		def, file, _ := s.Named()
		in.Server = file
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

// locate finds out for which project the call is made, and which instance of the
// server may answer it. It puts the project into the call. Errors are
// [*calls.ArgumentsError] if the call names a project that there is not,
// [*policy.DeniedError] if the server may not be called from there, and
// [*calls.UseError] if it can only be called from within a project.
func (m *judgedCall) locate(c *calls.Call) error {
	s := m.server
	def, file, _ := s.Named()
	why := ""
	if c.Project != "" {
		root, err := m.d.o.Projects.Named(fs.Standpoint{Dir: c.Project, Folders: c.ProjectFolders})
		if err != nil {
			return &calls.ArgumentsError{What: "the project cannot be used: " + clean.Line(err.Error()), Project: true}
		}
		c.Project, c.ProjectFolders = root, nil
	} else {
		c.Project, why = m.d.o.Projects.Of(c.Caller.Standpoint())
	}
	owner, ok := def.Owner(c.Project)
	if !ok {
		return elsewhere(def, file, c, why)
	}
	switch def.Sharing.By {
	case config.ShareUser:
		return nil
	case config.ShareSession:
		m.at.Session = c.Caller.Session
	}
	if m.at.Project = owner; owner == def.Project && m.at.Session == "" {
		m.at.Project = "" // the shared instance is that of its own project
	}
	if c.Project != "" {
		return nil
	}
	if f := def.Fault; f != nil && f.WantsProject {
		return &calls.UseError{Server: file, State: f.State, What: f.What + "; " + clean.Line(cmp.Or(why, "the caller stands in no project: "+c.Caller.Dir)), Mend: f.Fix}
	}
	if def.InProject != nil && why != "" {
		m.note = clean.Line(why) + "; so the call was made in no project (ctxfs call --project DIR names one)"
	}
	return nil
}

// elsewhere returns the error of a call, from outside of the projects of its server.
func elsewhere(d *config.Server, file string, c *calls.Call, why string) error {
	of := "the project "
	if len(d.Projects) > 1 {
		of = "the projects "
	}
	from := cmp.Or(c.Project, why, c.Caller.Dir, "nowhere")
	return &policy.DeniedError{
		What: fmt.Sprintf("server %s belongs to %s, and is called only from there; this call is made from: %s",
			file, of+clean.Line(strings.Join(d.Projects, ", ")), clean.Line(from)),
		Mend: "call it there, or name the project: --project " + wording.ShellWord(clean.Line(d.Projects[0])),
	}
}

// use uses the instance that answers the call, and starts it if necessary.
func (m *judgedCall) use(ctx context.Context, w instance.Waiting) (session *instance.Session, err error) {
	session, m.placed, err = m.d.o.Fleet.Use(ctx, m.server, m.at, w)
	return session, err
}

// settle judges a call by the definition that the tool has in the instance which is
// about to answer: that may be another one than the call was judged by before the
// instance was running.
func (m *judgedCall) settle(c *calls.Call) error {
	before := m.tool
	if now, err := m.server.Tool(c.Tool); err != nil || now != before {
		if err := m.resolve(c); err != nil {
			return err
		}
	}
	if before != nil && before.Sum != m.tool.Sum {
		m.remark("the server has just changed the definition of the tool: see tools/" + m.tool.File + ".json")
	}
	if m.placed == nil {
		return nil
	}
	t, err := m.placed.Tool(m.tool)
	if err != nil || t == m.tool {
		return err
	}
	m.remark(fmt.Sprintf("for %s the tool is defined otherwise than tools/%s.json says: see STATUS.md", clean.Line(m.at.String()), m.tool.File))
	m.tool = t
	m.args, err = t.Prepare(c, m.server.Names(), m.d.o.Fleet.Policy())
	return err
}

// remark adds a clause to what the caller is told.
func (m *judgedCall) remark(what string) {
	if m.note != "" {
		m.note += "; "
	}
	m.note += what
}
