package facts

import (
	"context"
	"iter"
	"time"
)

// SpendingSource is a provider that knows which requests to models there were, and what they
// took: tokens and, where that was logged, money.
type SpendingSource interface {
	// Spent yields every part of what the provider knows, such as a session, once, in
	// any order. Known returns the version of a part that the caller has already, or "":
	// of a part that still has it, Spent may leave out the calls. What Spent does not
	// yield is gone. It reads local files, and ends with ctx, after which what it has
	// yielded is incomplete.
	Spent(ctx context.Context, known func(name string) (version string)) iter.Seq[SpentPart]
}

// SpentPart is a part of what a provider knows of requests to models.
type SpentPart struct {
	// Name identifies the part, among all providers'.
	Name string
	// Version is another one when the calls may be others.
	Version string
	// Path is where in the provider's folder the part is shown, or "".
	Path string
	// Agent and Session are the ids of the agent and of its session, Title what that is
	// called, Dir the absolute path of the folder that it worked in; each may be "".
	Agent, Session, Title, Dir string
	// Subagent reports whether another session has started this one.
	Subagent bool
	// Calls are in the order in which they were logged. They are not set where Unchanged
	// is.
	Calls     []ModelCall
	Unchanged bool
}

// ModelCall is a request to a model, as its agent has logged what it took. Agents log one
// several times: while the answer comes, in a session that begins with the end of another,
// and in those of subagents. Two calls of one agent are the same if their Keys are; or if
// their Copies are, and one of them is Aside.
type ModelCall struct {
	// Key and Copy identify the request among all of the agent's; 0 is equal to nothing.
	Key, Copy uint64
	// Aside is set for a call of a subagent, or of a session that may repeat another one:
	// of two that are the same, the other one counts. Else the one with more tokens does.
	Aside bool
	// Time is when it was answered; zero where that is not known.
	Time time.Time
	// Model is the provider's name of the model, or "".
	Model  string
	Tokens Tokens
	// Cost is what the agent says that it costs, in US dollars; 0 where it does not.
	Cost float64
}

// Tokens are counts of tokens that are billed differently; none is part of another.
type Tokens struct {
	// Input is what was neither read from a cache nor written to one.
	Input  int64 `json:"input"`
	Output int64 `json:"output"`
	// CacheRead was read from a cache. CacheWrite was written to one for five minutes, or
	// for a time that is not known, CacheWriteLong for an hour.
	CacheRead      int64 `json:"cache_read"`
	CacheWrite     int64 `json:"cache_write"`
	CacheWriteLong int64 `json:"cache_write_long"`
	// Reasoning is what the model thought, where that is not in Output. It is billed as
	// that is.
	Reasoning int64 `json:"reasoning"`
}

// Add returns the sums of the counts.
func (t Tokens) Add(o Tokens) Tokens {
	return Tokens{
		Input: t.Input + o.Input, Output: t.Output + o.Output, CacheRead: t.CacheRead + o.CacheRead,
		CacheWrite: t.CacheWrite + o.CacheWrite, CacheWriteLong: t.CacheWriteLong + o.CacheWriteLong,
		Reasoning: t.Reasoning + o.Reasoning,
	}
}

// Total returns how many tokens there are in all.
func (t Tokens) Total() int64 {
	return t.Input + t.Output + t.CacheRead + t.CacheWrite + t.CacheWriteLong + t.Reasoning
}

// Replaces reports whether the call counts instead of another one that is the same.
func (c ModelCall) Replaces(o ModelCall) bool {
	if c.Aside != o.Aside {
		return o.Aside
	}
	if n, m := c.Tokens.Total(), o.Tokens.Total(); n != m {
		return n > m
	}
	return c.Cost > o.Cost
}
