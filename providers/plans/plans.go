// Package plans shows what agents have planned as one folder: their lists of tasks and the
// plans that they proposed, of all sessions and agents.
//
// There is a folder for each project, with a file for each list and plan and the same
// front matter whatever its origin; INDEX.md lists them, and OPEN.md the tasks that are
// still open. What sessions have comes from the providers that know them and
// is kept in a book ([factbook.Book]), so that it need not be read again; what agents keep in
// files of their own is read by package files. collect.go joins both, open.go tells which
// tasks are open, card.go writes the files, snapshot.go is all that is shown at one moment,
// and worker.go makes the next one when something has changed.
//
// What lies in a project's own files is marked as long as the user has not trusted the
// project (package trust), and is in no page that an agent gets without asking.
package plans

import (
	"context"
	"iter"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/providers/internal/factbook"
	"ctxfs/providers/internal/host"
	"ctxfs/providers/internal/shelf"
	"ctxfs/providers/internal/trust"
	"ctxfs/providers/internal/workspaces"
	"ctxfs/providers/plans/files"
)

// bookName is the file in the cache folder with what sessions have planned.
const bookName = "sessions.jsonl"

// Options are the settings of a provider.
type Options struct {
	host.Host
	Workspaces *workspaces.Set
	Trust      *trust.Store
	// Sessions is what all providers know.
	Sessions facts.Source[facts.Plan]
	// Known waits until Sessions yields all that there is, at most until ctx ends, and
	// reports whether it does; nil stands for always.
	Known func(ctx context.Context) bool
}

// Provider is the folder of plans.
type Provider struct {
	*shelf.Shelf
	opts    Options
	prober  *fs.Prober
	current atomic.Pointer[snapshot]
	whole   atomic.Bool // plans are looked for

	looking sync.Mutex // held while what follows is used
	book    *factbook.Book[facts.Plan]
	edition int                      // counts changes of plans in the book
	finder  *files.Finder            // of the user's files
	finders map[string]*files.Finder // of those of projects, by folder
	known   map[string][]files.Found // what these have found
	last    string                   // what the last view was made of
	view    shelf.View               // the last one
	read    bool                     // all sessions were read, once
	saved   time.Time

	rooting sync.Mutex
	roots   map[string]string // of projects, by the folder of the work

	started atomic.Bool // it is kept current
}

// New returns a provider. It looks for plans after Start or, without Watch, when they are
// first asked for.
func New(opts Options) *Provider {
	opts.Env = opts.Env.WithDocuments()
	if opts.Known == nil {
		opts.Known = func(context.Context) bool { return true }
	}
	p := &Provider{opts: opts, prober: fs.NewProber(patience), roots: make(map[string]string), book: factbook.Open[facts.Plan](filepath.Join(opts.Cache, bookName), nil)}
	p.finder, p.finders = p.newFinder(), make(map[string]*files.Finder)
	p.known = make(map[string][]files.Found)
	p.Shelf = shelf.New(opts.Env, shelf.Options{
		Look: p.look, Watch: opts.Watch, Hide: opts.Hide, What: "changes of plans", Index: indexName, Poll: pollPause, Blind: pollPause,
	})
	p.Look()
	p.whole.Store(true)
	opts.Trust.Notify(func(string, bool) { p.Poke() })
	return p
}

func (p *Provider) newFinder() *files.Finder {
	return files.New(files.Options{Machine: p.opts.Machine, Hide: p.opts.Hide})
}

// Documents implements fs.Documented: one for every plan and list.
func (p *Provider) Documents(string) iter.Seq[fs.Document] { return p.shown().documents() }

// Brief implements facts.Briefer: the open tasks of a folder.
func (p *Provider) Brief(dir string) []facts.Remark {
	return p.shown().brief(filepath.Clean(dir), p.opts.Env.Now(), p.trusts)
}

// Refresh implements facts.Overview.
func (p *Provider) Refresh() { p.Poke() }

// Start implements fs.Starter.
func (p *Provider) Start() {
	p.started.Store(true)
	p.Shelf.Start()
}

// Close implements fs.Provider.
func (p *Provider) Close() error {
	err := p.Shelf.Close()
	if p.opts.Watch {
		p.book.Keep(p.opts.Env.Log)
	}
	return err
}

// shown returns what is shown now. Without a watch the first call looks for it.
func (p *Provider) shown() *snapshot {
	p.Ready()
	return p.current.Load()
}
