package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/arguments"
	"ctxfs/providers/internal/names"
	"ctxfs/providers/mcp/policy"
	"ctxfs/providers/mcp/wire"
)

// Word is one word of a command line that gives arguments.
type Word = arguments.Word

// Schema is what a tool takes.
type Schema = arguments.Schema

// Call is one call of a tool.
type Call struct {
	Server string // as Restart names it
	Tool   string // by its own name or that of its file
	// Words are the arguments as a command line, or Arguments are one JSON
	// object; without both it is an empty one.
	Words     []Word
	Arguments json.RawMessage
	Caller    Caller
	// Confirmed says that a tool may be called that wants to be confirmed.
	Confirmed bool
	// Limit is the size in bytes of text over which it goes to a file; 0 is
	// the usual one, less is none.
	Limit int
	// Timeout is how long the tool may neither answer nor tell of progress; 0
	// is the call_timeout of the server, or else five minutes. Whatever it
	// tells of, it has no longer than an hour, or Timeout where that is more.
	// Starting the server does not count; it is waited for as long again.
	Timeout time.Duration
	// Progress may be nil. It is called from a connection's reader: it only
	// posts, and may be called for a moment after Call has returned.
	Progress func(wire.Progress)
}

// Caller is who calls, for the log of calls.
type Caller struct {
	Via     string `json:"via,omitempty"` // "command", "bin", "file" or "gateway"
	Agent   string `json:"agent,omitempty"`
	Session string `json:"session,omitempty"`
	Dir     string `json:"dir,omitempty"`
	PID     int    `json:"pid,omitempty"`
}

// Call calls a tool, and starts its server if need be. What can be judged from
// what is known of the server is judged before anything is started. A call is
// made once: it is sent again only where the server cannot have got it. Its
// line is in the log of calls before it returns.
//
// Errors are [*ArgumentsError], [*DeniedError], [*UseError] and those of ctx;
// that a tool says it failed is none, see [Result]. Outcome puts them all in a
// word.
func (p *Provider) Call(ctx context.Context, c Call) (*Result, error) {
	begun := p.env.Now()
	made, err := p.prepare(&c)
	var r *Result
	if err == nil {
		r, err = p.carryOut(ctx, made, &c)
	}
	p.logCall(begun, &c, made, r, err)
	return r, err
}

// carryOut makes a call that was judged.
func (p *Provider) carryOut(ctx context.Context, made *prepared, c *Call) (*Result, error) {
	session, err := p.use(ctx, made.server, Waiting{made.server.patience(c.Timeout), c.Progress})
	if err != nil {
		return nil, err
	}
	defer session.Release()
	if made.tool == nil { // nothing was known of the server
		if err := made.resolve(c); err != nil {
			return nil, err
		}
	}
	raw, wanted, err := session.call(ctx, made, c)
	if err != nil {
		return nil, inputWanted(err, wanted)
	}
	r, err := p.result(made, c, raw)
	if err != nil {
		return nil, err
	}
	if r.Failed && wanted != "" {
		r.addAside("the server wanted an answer from you (" + wanted + "), which a call cannot give")
	}
	return r, nil
}

// prepared is a call that may be made.
type prepared struct {
	server *server
	tool   *tool // nil where nothing is known of the server yet
	args   json.RawMessage
}

// prepare judges a call by what is known. It starts nothing and waits for
// nothing. What is returned with an error tells whose call it would be; it is
// nil where there is no such server.
func (p *Provider) prepare(c *Call) (*prepared, error) {
	s, err := p.chooseOne(c.Server)
	if err != nil {
		return nil, &ArgumentsError{What: err.Error()}
	}
	made := &prepared{server: s}
	if s.isKnown() {
		return made, made.resolve(c)
	}
	return made, p.policy.Load().Check(policy.NewSubject(s.names(), c.Tool, names.File(c.Tool)))
}

// resolve finds the tool that is meant, and judges the call.
func (m *prepared) resolve(c *Call) error {
	t, err := m.server.tool(c.Tool)
	if err != nil {
		return err
	}
	m.tool = t
	rules := m.server.p.policy.Load()
	is := policy.NewSubject(m.server.names(), t.name, t.file)
	if err := rules.Check(is); err != nil {
		return err
	}
	if m.args = c.Arguments; len(m.args) == 0 {
		m.args = json.RawMessage("{}")
	}
	if len(c.Words) > 0 {
		m.args, err = t.schema.Parse(c.Words)
	}
	if err == nil {
		err = t.schema.Check(m.args, c.Words...)
	}
	if fault := (*arguments.Error)(nil); errors.As(err, &fault) {
		return &ArgumentsError{What: fault.What, Hint: fault.Hint, Part: fault.Part}
	}
	if err == nil && !c.Confirmed {
		err = rules.NeedsConfirmation(is, t.destructive)
	}
	return err
}

// errSilent and errEndless say why a call was given up.
var (
	errSilent  = fmt.Errorf("the tool is silent: %w", context.DeadlineExceeded)
	errEndless = fmt.Errorf("the tool comes to no end: %w", context.DeadlineExceeded)
)

// patience is how long a tool of the server may be silent, if it is not given.
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

// call sends a call and waits for its result. Wanted is what the server asked
// for meanwhile, or "".
func (u *Session) call(ctx context.Context, made *prepared, c *Call) (raw json.RawMessage, wanted string, err error) {
	s := u.s
	patience := s.patience(c.Timeout)
	longest := max(patience, s.p.timing.toolMax)
	waiting, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	silent := time.AfterFunc(patience, func() { giveUp(errSilent) })
	defer silent.Stop()
	endless := time.AfterFunc(longest, func() { giveUp(errEndless) })
	defer endless.Stop()

	f := &wire.Flight{Progress: func(p wire.Progress) {
		silent.Reset(patience)
		if c.Progress != nil {
			c.Progress(p)
		}
	}}
	out := wire.Outgoing{
		Method: "tools/call",
		Params: map[string]any{"name": made.tool.name, "arguments": made.args},
		Schema: made.tool.input,
		Flight: f,
	}
	var last *wire.Connection
	for try := 0; ; try++ {
		conn, err := s.connected(waiting, last, nil)
		if err != nil {
			return nil, "", u.gaveUp(waiting, err, patience, longest)
		}
		last = conn
		raw, begun, err := conn.Send(waiting, out)
		switch {
		case err == nil:
			return raw, f.Wanted(), nil
		case waiting.Err() != nil:
			return nil, "", u.gaveUp(waiting, err, patience, longest)
		case try == 0 && (wire.IsForgotten(err) || !begun && conn.IsLost()):
			continue // it has not been carried out
		}
		err = s.unanswered(conn, err, patience)
		if use := (*UseError)(nil); begun && errors.As(err, &use) && use.State != "" {
			use.What += "; whether the tool has done its work is not known"
		}
		return nil, f.Wanted(), err
	}
}

// gaveUp is the error where a call is waited for no more.
func (u *Session) gaveUp(waiting context.Context, err error, patience, longest time.Duration) error {
	var use *UseError
	cause := context.Cause(waiting)
	file := u.s.brief().file
	more := "give it longer: --timeout, or call_timeout (in seconds) in ctxfs's config.toml, below [mcp.servers." + file + "]"
	switch {
	case cause == errSilent:
		return &UseError{Server: file, What: "the tool has neither answered nor told of progress for " + wording.Seconds(patience), Mend: more, cause: cause}
	case cause == errEndless:
		return &UseError{Server: file, What: "the tool has not answered within " + wording.Seconds(longest), Mend: more, cause: cause}
	case waiting.Err() != nil && !errors.As(err, &use):
		return waiting.Err()
	}
	return err
}

// inputWanted completes the error of a call during which the server asked for
// something.
func inputWanted(err error, wanted string) error {
	if use := (*UseError)(nil); errors.As(err, &use) && wanted != "" {
		use.What += "; it wanted an answer from you (" + wanted + "), which a call cannot give"
	}
	return err
}
