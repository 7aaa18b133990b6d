package fs

import (
	"cmp"
	"context"
	"iter"
	"log/slog"
	"time"
)

// Env is what every provider is given. Anything else that it needs it asks for by
// small interfaces of its own.
type Env struct {
	// Changed reports that the node at path, relative to the provider's root
	// ("" for the root itself), was added, removed or changed; for a folder,
	// that anything below it may have. It only enqueues and never blocks.
	// Publish first, then notify.
	Changed func(path string)
	// Documented reports that the documents at or below path, relative to the
	// provider's root, were added, removed or changed, see [Documented]. It only
	// enqueues and never blocks; it may be nil. It is separate from Changed because
	// a growing file changes all the time while its document stays the same.
	Documented func(path string)
	// Used reports that there is news of what was used or stated (package facts). It only
	// enqueues and never blocks; it may be nil.
	Used func()
	// Log is for the daemon's log; what a user must know is content.
	Log *slog.Logger
	// Now is the clock.
	Now func() time.Time
	// Built is when the program was built: the modification time of text that is
	// part of it. A status without any fact that has a time has the zero time.
	Built time.Time
}

// WithDocuments returns an Env whose Changed calls Documented as well, for a
// provider whose documents may change with anything, and that has a logger.
func (e Env) WithDocuments() Env {
	e.Log = cmp.Or(e.Log, slog.Default())
	if e.Documented == nil || e.Changed == nil {
		return e
	}
	changed, documented := e.Changed, e.Documented
	e.Changed = func(path string) {
		documented(path)
		changed(path)
	}
	return e
}

// Provider is one source of context: a folder in the tree's root, and its status.
// Its constructor reads configuration and caches, and is quick: it waits for no
// network and starts no program.
//
// A provider offers more than a tree by implementing further interfaces of this package:
// [Starter], [Settler], [Configured], [Watched], [Rooted], [Documented], [Itemized], [Busy]
// and [Operator], and those of packages facts and wait of the providers. The list of
// providers asks each provider for each of them, once, after all were made; it knows no
// provider by name. Their methods are called concurrently with one another and with those
// of the nodes unless they say otherwise. After Close has started only nodes, Status,
// Documents and Search are called; they answer from what was known or return an error.
type Provider interface {
	// Root is the provider's folder, the same node for its whole life.
	Root() Dir
	// Status is cheap: from memory. It is called after every change.
	Status() Status
	// Close ends every process, watch and goroutine of the provider and
	// waits for them. It is called once, whether or not Start was. The tree may
	// still be read afterwards.
	Close() error
}

// Starter is a Provider that works in the background.
type Starter interface {
	// Start starts that work and returns at once. It is called at most once:
	// when the tree is first shown, or first needed by a gateway or a call. A
	// command that reads the tree once and ends never calls it.
	Start()
}

// Settler is a Provider that takes in changes in the background.
type Settler interface {
	// Settled returns when everything that the provider was told, or its watches
	// noticed, before the call is published. Pauses that only collect changes are cut
	// short. It waits for no server, no program and no later event, returns at once where
	// the provider is not started, and ends with ctx.
	Settled(ctx context.Context) error
}

// Configured is a Provider with settings.
type Configured interface {
	// Tables returns the names of the tables of config.toml that the provider
	// reads. A table that no provider names is reported as a mistake.
	Tables() []string
	// Reload reads the settings again. It is called after config.toml, or one of
	// the files that [Watched] names, has changed, also before Start, by one
	// goroutine at a time. Problems with the settings become part of Status; they
	// are no reason to show nothing.
	Reload()
}

// Watched is a Configured provider that reads configuration files besides
// config.toml.
type Watched interface {
	Configured
	// ConfigFiles returns the absolute paths of the files that need a Reload when
	// they change, whether or not they exist. It is called after the provider was
	// made and after each Reload, which may change the answer; the slice is not
	// written to.
	ConfigFiles() []string
}

// Rooted is a Provider that passes folders on disk through.
type Rooted interface {
	// Roots returns the absolute paths of these folders, links resolved, and of
	// those that will be passed through once they exist. It is called whenever
	// the tree is to be shown somewhere: a mount point inside one of them would
	// deadlock, and is refused.
	Roots() []string
}

// Documented is a Provider whose documents can be found by their words. The
// index is kept in memory: documents are names and descriptions, not long texts
// (see Searcher in package facts).
type Documented interface {
	// Documents returns the documents at and below a path, relative to the
	// provider's root; "" stands for all. It may return others, which are ignored.
	// Each document occurs once. It is called when the index is made and after
	// [Env.Documented] was, by one goroutine at a time.
	Documents(below string) iter.Seq[Document]
}

// Itemized is a Provider whose items (Status.Items) contain things that have
// names of their own, as a server contains tools.
type Itemized interface {
	// Inside returns these things by the name of their item. It is called for a
	// prompt that has room for more than the names of items.
	Inside() map[string][]Item
}

// Busy is a Provider that starts things which should not be interrupted.
type Busy interface {
	// Busy reports whether the process should not exit now although it is unused.
	// It is called when the process has been idle, and again a while later as long
	// as the answer is yes.
	Busy() bool
}

// Operator is a Provider that answers questions.
type Operator interface {
	// Operations returns the operations that the command line, the socket of the
	// background process and the gateway offer. It is called once, before Start.
	// The operations themselves are called concurrently, until Close, and also
	// where Start never was.
	Operations() []Operation
}

// Status is what a provider reports about itself in the root's STATUS.md and
// AGENTS.md.
type Status struct {
	// State is one word: "ready", "starting", "empty", "degraded" (works, but
	// something in it does not) or "error".
	State string `json:"state"`
	// Since is when the state was reached, as far as the facts show: zero if none
	// does.
	Since time.Time `json:"since,omitzero"`
	// Summary is a short line of counts: "3 servers, 48 tools".
	Summary string `json:"summary"`
	// Problems are faults that a user can fix, with how to fix each.
	Problems []Problem `json:"problems,omitempty"`
	// Items are what the provider holds, by name, for AGENTS.md.
	Items []Item `json:"items,omitempty"`
}

// Problem is a fault and its fix.
type Problem struct {
	// What is one sentence that names the cause.
	What string `json:"what"`
	// Mend is the command that fixes it, or what to change where.
	Mend string `json:"mend,omitempty"`
}

// Item is one thing that a provider holds: a server, a skill, a terminal.
type Item struct {
	Name  string `json:"name"`
	State string `json:"state,omitempty"`
	// Count is the number of things inside, such as tools; -1 where that
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
	// Kind says what it is in one word, see facts.Match.
	Kind string
	// Fields are texts by the name of the field: "name", "description",
	// "parameters".
	Fields map[string]string
	// Asides are for a document that would answer questions which are about
	// something else: unless a query has one of these words, it counts for less.
	// They are in the form in which people write them.
	Asides []string
	// Time and Place are those of its facts.Evidence.
	Time  time.Time
	Place string
	// Signature, Use and Whole are those of its facts.Match.
	Signature string
	Use       string
	Whole     string
	// Known are the ids of the agents that tell their models of it by themselves: they
	// need not be told.
	Known []string
	// Quiet is set for what is found by those who search, and not pushed to others: what
	// a project says that the user does not trust, what does not work now.
	Quiet bool
}
