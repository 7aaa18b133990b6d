package facts

import (
	"context"
	"iter"
	"time"
)

// Part is a part of what a source knows, such as a session.
type Part[T any] struct {
	// Name identifies the part, among those of all sources.
	Name string `json:"part"`
	// Version is another one when the facts may be others. It may be another one where they
	// are Unchanged, too.
	Version string `json:"version"`
	// Path is where in the tree the facts can be read about, or "": relative to the
	// provider's folder where the provider says so, to the root everywhere else.
	Path string `json:"path,omitempty"`
	// Agent and Session are the ids of the agent and of its session, Title what that is
	// called, Dir the absolute path of the folder that it worked in; each may be "".
	Agent   string `json:"agent,omitempty"`
	Session string `json:"session,omitempty"`
	Title   string `json:"title,omitempty"`
	Dir     string `json:"dir,omitempty"`
	// Subagent reports whether another session has started this one.
	Subagent bool `json:"subagent,omitempty"`
	// Time is when the part last changed; zero if that does not matter.
	Time time.Time `json:"time,omitzero"`
	// Facts are without secrets, in the order of time. They are not set where Unchanged is.
	Facts     []T  `json:"facts,omitempty"`
	Unchanged bool `json:"-"`
}

// Keep reports that the facts are those of a version that the caller has.
func (p *Part[T]) Keep(version string) { p.Version, p.Facts, p.Unchanged = version, nil, true }

// Source yields every part of what is known, once, in any order. Known returns the version
// of a part that the caller has already, or "": of a part that still has it, the facts may be
// left out. What is not yielded is gone. A source reads local files, and ends with ctx, after
// which what it has yielded is incomplete.
type Source[T any] func(ctx context.Context, known func(name string) (version string)) iter.Seq[Part[T]]

// Sources are what one provider knows; it may be nil.
type Sources struct {
	Uses       Source[Use]
	Statements Source[Statement]
	Plans      Source[Plan]
	Calls      Source[Calls] // of models
	// Complete waits until there is nothing more to be found and read for Plans, at most
	// until ctx ends, and reports whether that is so.
	Complete func(ctx context.Context) bool
}

// Provider is a provider that knows facts. There is news of uses and statements when it calls
// [fs.Env.Used], of plans when it has changed.
type Provider interface {
	// Facts returns its sources, which are asked at any time between Start and Close.
	Facts() Sources
}
