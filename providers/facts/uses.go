package facts

import (
	"context"
	"iter"
	"time"
)

// UsageSource is a provider that knows what was used on this machine, and what somebody
// had wanted before. Searches learn from that (see package find of the providers).
type UsageSource interface {
	// Uses yields every part of what the provider knows, such as a session, once, in
	// any order. Known returns the version of a part that the caller has already, or
	// "": of a part that still has it, Uses may leave out what is in it. What Uses
	// does not yield is gone. It reads local files, and ends with ctx, after which
	// what it has yielded is incomplete. It is called by one goroutine at a time,
	// never before Start and only while learning is switched on.
	Uses(ctx context.Context, known func(name string) (version string)) iter.Seq[UsePart]
}

// UsePart is a part of what a provider knows of uses, in the order of time.
type UsePart struct {
	// Name identifies the part, among all providers'.
	Name string
	// Version is another one when the uses may be others.
	Version string
	// Path is where in the provider's folder the uses can be read about, or "".
	Path string
	// Uses are without secrets. They are not set where Unchanged is.
	Uses      []Use
	Unchanged bool
}

// Use is one use of something.
type Use struct {
	Used
	// Want is what a person had said last before, in short sentences of that
	// person's own: nothing that was pasted, quoted or said by a program. It may be
	// "".
	Want string `json:"want,omitempty"`
	// Said is the last sentence of the agent before the use, or "".
	Said    string     `json:"said,omitempty"`
	Outcome UseOutcome `json:"outcome,omitempty"`
	// Time is zero where it is not known.
	Time time.Time `json:"time,omitzero"`
}

// Used names what was used as its user named it.
type Used struct {
	// Kind is the kind of the document, see [fs.Document]: "tool", "prompt" or "skill".
	Kind string `json:"kind"`
	// Server is the server of a tool. It is "" where Name may have it before the
	// tool's own name, and nobody can tell where that begins: "my_server_my_tool".
	Server string `json:"server,omitempty"`
	Name   string `json:"name"`
}

// UseOutcome is what became of a use.
type UseOutcome string

// The outcomes. What is not known to have failed has worked.
const (
	Worked UseOutcome = ""
	Failed UseOutcome = "failed"
	Denied UseOutcome = "denied" // by a person, or by the rules of the configuration
)

// StatementSource is a provider that knows what the user has stated on this machine: rules,
// preferences, corrections and decisions. Somebody may want to remember them; nothing does
// so by itself.
type StatementSource interface {
	// Statements yields every part of what the provider knows, such as a session,
	// once, in any order. Known returns the version of a part that the caller has
	// already, or "": of a part that still has it, Statements leaves out what is in
	// it. What Statements does not yield is gone. It reads local files, and ends with
	// ctx, after which what it has yielded is incomplete. It is called by one
	// goroutine at a time, never before Start. News is reported by [fs.Env.Used].
	Statements(ctx context.Context, known func(name string) (version string)) iter.Seq[StatementPart]
}

// StatementPart is a part of what a provider knows of statements, in the order of time.
type StatementPart struct {
	// Name identifies the part, among all providers'.
	Name string `json:"part"`
	// Version is another one when the statements may be others.
	Version string `json:"version"`
	// Agent is the agent of the session, such as "claude-code", and Session its id.
	Agent   string `json:"agent,omitempty"`
	Session string `json:"session,omitempty"`
	// Path is the file in the provider's folder in which the statements are, Dir the
	// folder on disk that they were made for, or "" where that is not known.
	Path string `json:"path,omitempty"`
	Dir  string `json:"dir,omitempty"`
	// Statements are without secrets. They are not set where Unchanged is.
	Statements []Statement `json:"statements,omitempty"`
	Unchanged  bool        `json:"-"`
}

// Statement is one sentence of the user's that says what may hold on.
type Statement struct {
	// Kind is "rule", "preference", "correction" or "decision".
	Kind string `json:"kind"`
	// Text is the sentence as it was said, on one line, without words such as "ok, and"
	// that lead to it.
	Text string `json:"text"`
	// Anchor names the place in the file: "0b0e2bd1/00012".
	Anchor string `json:"anchor"`
	// Time is zero where it is not known.
	Time time.Time `json:"time,omitzero"`
}

// Statements are the statements of all providers.
type Statements interface {
	// All is [StatementSource.Statements] of all providers. Paths are those of the tree.
	All(ctx context.Context, known func(name string) (version string)) iter.Seq[StatementPart]
	// Notify has f called when there is news. F only enqueues.
	Notify(f func())
}
