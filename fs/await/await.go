// Package await is how providers offer conditions to wait for, such as that a terminal prints
// something. It imports the standard library only.
package await

import (
	"context"
	"strings"
	"time"
)

// Awaiter is a provider that offers conditions to wait for: that a terminal prints
// something, that a server is ready.
type Awaiter interface {
	// Awaits returns the kinds of conditions that it knows; no other provider knows one
	// of them. It answers from memory.
	Awaits() []Awaitable
	// Await begins to wait for a condition of such a kind. Its error is an [*AwaitError]
	// if there is nothing to wait for. It is called at any time between New and Close, by
	// several goroutines.
	Await(ctx context.Context, c Condition) (Pending, error)
}

// Awaitable describes a kind of conditions.
type Awaitable struct {
	Kind string `json:"kind"` // the first word: "terminal"
	// Name says what the second word names, "ID", or is "".
	Name string `json:"name,omitempty"`
	// Until are the ways to go on: "ready", "--exit", "--for REGEX". Where the first is "",
	// nothing need follow.
	Until []string `json:"until,omitempty"`
	// Names are the names that are known now.
	Names []string `json:"names,omitempty"`
}

// Condition is something that may be met later.
type Condition struct {
	Kind string `json:"kind"`
	Name string `json:"name,omitempty"` // as a user names it
	// Until is what is waited for, as one of Awaitable.Until without its value: "ready",
	// "--exit", "--for".
	Until string `json:"until,omitempty"`
	// Pattern is the regular expression of --for, in Go's syntax (package regexp). It is
	// matched with one line at a time.
	Pattern string `json:"pattern,omitempty"`
	// Quiet is how long nothing must happen for --idle; 0 is the provider's own time.
	Quiet time.Duration `json:"quiet,omitempty"`
}

// String returns the condition as a user writes it.
func (c Condition) String() string {
	words := []string{c.Kind}
	for _, w := range []string{c.Name, c.Until, c.Pattern} {
		if w != "" {
			words = append(words, w)
		}
	}
	if c.Quiet > 0 {
		words = append(words, c.Quiet.String())
	}
	return strings.Join(words, " ")
}

// Pending is a condition that is waited for, by one goroutine at a time.
type Pending interface {
	// Check returns how it stands now. It is called at once, after each change that the
	// provider has announced by [fs.Env.Changed], after each change of Paths, and at
	// Standing.Again; further calls do no harm. It takes as long as reading what is new on
	// the local disk takes, and ends with ctx. After it has returned [Met] or [Never] it
	// is not called again.
	Check(ctx context.Context) (Standing, error)
	// Paths returns the paths on disk whose changes may concern it, where the provider
	// announces none; a folder stands for all below it. It is called once, before the first Check.
	Paths() []string
}

// AwaitState is how a condition stands.
type AwaitState string

// The states of conditions. The last three are those of an [AwaitError].
const (
	NotYet  AwaitState = ""
	Met     AwaitState = "met"
	Never   AwaitState = "never"   // it can no longer be met
	Unnamed AwaitState = "unknown" // nothing has that name
	NoSense AwaitState = "usage"   // it is no condition, or its pattern is invalid
	// NeedsProcess is what only the background process can wait for: it is not in files.
	NeedsProcess AwaitState = "process"
)

// Standing is how a condition stands.
type Standing struct {
	State AwaitState `json:"state,omitempty"`
	// What says on one line what was met, what holds instead, or why it never will be
	// met.
	What string `json:"what,omitempty"`
	// More is a command that shows more.
	More string `json:"more,omitempty"`
	// Path is the path of a file that has more, relative to the provider's root (callers
	// get it relative to the tree's root), or "".
	Path string `json:"path,omitempty"`
	// Again is when to look again although nothing has changed; zero is never.
	Again time.Time `json:"-"`
}

// AwaitError is why nothing can be waited for.
type AwaitError struct {
	State AwaitState
	What  string
	Mend  string // what to do about it, or ""
}

func (e *AwaitError) Error() string { return e.What }

// Fix returns what can be done.
func (e *AwaitError) Fix() string { return e.Mend }
