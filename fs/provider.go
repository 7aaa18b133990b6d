package fs

import (
	"iter"
	"log/slog"
	"time"
)

// Env is what every provider is given. What else it needs it asks for as
// small interfaces of its own.
type Env struct {
	// Changed tells that the node at path, relative to the provider's root
	// ("" for the root itself), was added, removed or changed; for a folder,
	// that anything below it may have. It only enqueues and never blocks.
	// Publish first, then notify.
	Changed func(path string)
	// Log is for the daemon's log; what a user must know is content.
	Log *slog.Logger
	// Now is the clock.
	Now func() time.Time
	// Built is when the program was built: the modification time of text that is
	// part of it. Where no fact has a time, a status tells none.
	Built time.Time
}

// Provider is one source of context: a folder in the tree's root, and what is
// said about it.
type Provider interface {
	// Root is the provider's folder, the same node for its whole life.
	Root() Dir
	// Status is cheap: from memory.
	Status() Status
	// Documents are what can be found: each once, in a stable order.
	Documents() iter.Seq[Document]
	// Close ends every process, watch and goroutine of the provider and
	// waits for them. The tree may still be read afterwards.
	Close() error
}

// Status is what a provider says of itself in the root's STATUS.md and
// AGENTS.md.
type Status struct {
	// State is one word: "ready", "starting", "empty", "degraded" (works, but
	// something in it does not) or "error".
	State string `json:"state"`
	// Since is when the state was reached, as far as facts tell it: zero where
	// none does.
	Since time.Time `json:"since,omitzero"`
	// Summary is a short line of counts: "3 servers, 48 tools".
	Summary string `json:"summary"`
	// Problems are faults that a user can mend, with how to mend each.
	Problems []Problem `json:"problems,omitempty"`
	// Items are what the provider holds, by name, for AGENTS.md.
	Items []Item `json:"items,omitempty"`
}

// Problem is a fault and its cure.
type Problem struct {
	// What is one sentence that names the cause.
	What string `json:"what"`
	// Mend is the command that mends it, or what to change where.
	Mend string `json:"mend,omitempty"`
}

// Item is one thing that a provider holds: a server, a skill, a terminal.
type Item struct {
	Name  string `json:"name"`
	State string `json:"state,omitempty"`
	// Count is the number of what is inside, such as tools; -1 where that
	// does not apply.
	Count int `json:"count"`
	// Unit names what Count counts, in the plural: "tools".
	Unit string `json:"unit,omitempty"`
	// About is one sentence.
	About string `json:"about,omitempty"`
	// Since is when State was reached.
	Since time.Time `json:"since,omitzero"`
}

// Document is one thing to be found, with its path relative to the provider's
// root.
type Document struct {
	Path  string
	Title string
	// Fields are texts by the name of the field: "name", "description",
	// "parameters".
	Fields map[string]string
}
