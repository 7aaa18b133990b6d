// Package memory shows what agents and their user remember as one folder: memories of our
// own, which any program may add, and those that agents keep, all in one shape (package
// fact).
//
// There is a folder for those of the user, and one for each project, with a file for each
// memory; SUMMARY.md is short enough to be put before every agent, INDEX.md has a line
// for each. What is created in inbox/ is remembered.
//
// The order of the parts: package fact is one memory, files reads files, store is our own
// folder, read knows those of agents, page writes the pages. Here snapshot.go is all that
// is shown at one moment, worker.go finds what the next one is made of, and package shelf
// shows it, card.go writes the files, inbox.go and operations.go take what is to be
// remembered, and proposals.go shows what may be worth it (package proposed).
//
// Equal memories are shown once, with all who said it; such as seem to contradict each
// other are shown beside each other. What lies in the files of a project is marked, and
// not put before an agent, until the user trusts the project (package trust).
package memory

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/drop"
	"ctxfs/fs/facts"
	"ctxfs/fs/rounds"
	"ctxfs/providers/internal/host"
	"ctxfs/providers/internal/shelf"
	"ctxfs/providers/internal/trust"
	"ctxfs/providers/internal/workspaces"
	"ctxfs/providers/memory/proposed"
	"ctxfs/providers/memory/read"
	"ctxfs/providers/memory/store"
)

// Options are the settings of a provider.
type Options struct {
	host.Host
	Workspaces *workspaces.Set
	Trust      *trust.Store
	// Statements are what is proposed, and OnStatement has a function called when there is
	// news of them, which only enqueues; nil if nothing is.
	Statements  facts.Source[facts.Statement]
	OnStatement func(f func())
	// Pause is how long to wait at most before what was stated is read again; 0 is the
	// usual time.
	Pause time.Duration
	// Quiet is for tests; see [drop.Options].
	Quiet time.Duration
}

// The names in the root that no section has.
const (
	indexName   = "INDEX.md"
	summaryName = "SUMMARY.md"
	inboxName   = "inbox"
	userName    = "user"
	// proposedName is where what may be worth remembering is listed.
	proposedName = "proposed"
)

// Provider is the folder of memories.
type Provider struct {
	*shelf.Shelf
	opts    Options
	inbox   *drop.Folder
	book    *proposed.Book
	heard   *rounds.Worker // reads what was stated
	prober  *fs.Prober
	current atomic.Pointer[snapshot]
	whole   atomic.Bool // memories are looked for

	configured sync.Mutex
	store      *store.Store
	problems   []fs.Problem // of the settings

	// What follows is used by look alone.
	reader  *read.Reader
	foreign read.Found // as it was last read
	maker   *maker
}

// patience is how long a folder may take to answer. A command that reads once has no
// second chance, and waits longer.
const (
	patience     = 2 * time.Second
	oncePatience = 8 * time.Second
)

// New returns a provider. Memories are read when they are first asked for, and with Watch
// by Start.
func New(opts Options) *Provider {
	opts.Env = opts.Env.WithDocuments()
	p := &Provider{
		opts: opts, book: proposed.Open(opts.Cache, opts.State), prober: fs.NewProber(oncePatience),
	}
	if opts.Watch {
		p.prober = fs.NewProber(patience)
	}
	p.maker = newMaker(p)
	p.inbox = p.newInbox()
	p.configure()
	p.reader = read.New(read.Options{
		Machine: opts.Machine, Workspaces: opts.Workspaces, Configs: []string{opts.SettingsPath}, Hide: opts.Hide, Now: opts.Env.Now,
	})
	p.current.Store(new(snapshot))
	p.Shelf = shelf.New(opts.Env, shelf.Options{
		Look: p.look, Watch: opts.Watch, Hide: opts.Hide, What: "changes of memories", Index: indexName, Poll: pollPause, Blind: unwatched,
	})
	p.Look()
	p.whole.Store(true)
	opts.Trust.Notify(func(string, bool) { p.Poke() })
	p.listen()
	return p
}

// Status implements fs.Provider. It looks for nothing.
func (p *Provider) Status() fs.Status {
	s := p.Shelf.Status()
	p.configured.Lock()
	defer p.configured.Unlock()
	s.Problems = slices.Concat(p.problems, s.Problems, p.book.Problems())
	return s
}

// Documents implements fs.Documented: one for every memory.
func (p *Provider) Documents(below string) iter.Seq[fs.Document] { return p.shown().documents(below) }

// Brief implements facts.Briefer: the memories of the project that has the folder.
func (p *Provider) Brief(dir string) []facts.Remark {
	return p.shown().brief(filepath.Clean(dir), p.opts.Trust.Trusts)
}

// Refresh implements facts.Overview: there may be new workspaces, or first memories of an
// agent.
func (p *Provider) Refresh() { p.Poke() }

// Start implements fs.Starter. Memories are read when it returns.
func (p *Provider) Start() {
	if p.opts.Watch {
		p.Look()
		p.Shelf.Start()
		p.heard.Poke()
		p.heard.Start()
	}
}

// Settled implements fs.Settler.
func (p *Provider) Settled(ctx context.Context) error {
	return cmp.Or(p.heard.Settled(ctx), p.Shelf.Settled(ctx))
}

// Close implements fs.Provider.
func (p *Provider) Close() error {
	err := p.inbox.Close()
	p.heard.Close()
	return errors.Join(err, p.Shelf.Close())
}

// shown returns what is shown now. Without a watch the first call reads it.
func (p *Provider) shown() *snapshot {
	p.Ready()
	return p.current.Load()
}

// ours returns the store.
func (p *Provider) ours() *store.Store {
	p.configured.Lock()
	defer p.configured.Unlock()
	return p.store
}
