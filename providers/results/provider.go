package results

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/rounds"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/fulltext"
	"ctxfs/providers/internal/host"
	"ctxfs/providers/internal/watch"
)

// Options are the settings of a [Provider].
type Options = host.Host

// Provider is the folder of results. It is safe for concurrent use.
type Provider struct {
	opts  Options
	store *Store
	root  *fs.Folder
	shown atomic.Pointer[snapshot]

	fulltext *fulltext.Index
	replaced replaced

	watcher *watch.Watcher // nil if nothing is watched

	tidy    sync.Once      // the folder is brought within its limits
	counter *rounds.Worker // does that, and counts the lines of results of other programs
}

// snapshot is the published state.
type snapshot struct {
	entries []*entry
	size    int64
	changed time.Time
	err     error
	dir     string // with links resolved
}

// New returns a provider of the results in Options.State. It does not fail: what
// cannot be read is reported in the tree.
func New(opts Options) *Provider {
	opts.State = filepath.Clean(opts.State)
	p := &Provider{opts: opts, root: new(fs.Folder)}
	p.store = Open(StoreOptions{Dir: opts.State, SettingsPath: opts.SettingsPath, Now: opts.Env.Now, Log: opts.Env.Log})
	p.store.disk = fs.DiskOptions{Hide: p.hidden}
	if opts.Watch {
		p.watcher = watch.New(watch.Options{Changed: p.changed, Hide: p.hidden, Log: opts.Env.Log})
		p.store.disk.Watched = p.watcher.Watched
	}
	p.counter = rounds.NewWorker(rounds.Options{Round: p.work})
	p.shown.Store(new(snapshot))
	p.fulltext = fulltext.New(fulltext.Options{Path: filepath.Join(opts.Cache, fulltext.FileName), Library: library{p}, Plain: true, Log: opts.Env.Log})
	if p.watcher != nil {
		p.watcher.Add(opts.State) // first, so that later changes are reported
	}
	p.store.show(p)
	if opts.Watch {
		p.counter.Start()
	}
	return p
}

// hidden leaves out what is not to be watched: drafts grow all the time.
func (p *Provider) hidden(path string) bool {
	return filepath.Base(path) == ownFolder || p.opts.Hide != nil && p.opts.Hide(path)
}

// Store returns the store whose saves are in the folder at once.
func (p *Provider) Store() *Store { return p.store }

// Tables implements fs.Configured.
func (p *Provider) Tables() []string { return []string{Table} }

// Reload implements fs.Configured.
func (p *Provider) Reload() { p.store.Reload() }

// Root implements fs.Provider.
func (p *Provider) Root() fs.Dir { return p.root }

// Roots implements fs.Rooted.
func (p *Provider) Roots() []string { return []string{cmp.Or(p.shown.Load().dir, p.opts.State)} }

// Settled implements fs.Settler.
func (p *Provider) Settled(ctx context.Context) error {
	return cmp.Or(p.watcher.Settled(ctx), p.counter.Settled(ctx))
}

// Close implements fs.Provider.
func (p *Provider) Close() error {
	p.counter.Close()
	err := p.fulltext.Close()
	return errors.Join(err, p.watcher.Close())
}

// changed is called with paths on disk that changed.
func (p *Provider) changed(paths []string) {
	var names []string
	whole, now := false, p.shown.Load()
	for _, path := range paths {
		if path == p.opts.State || path == now.dir {
			whole = true
		} else if name := filepath.Base(path); isResult(name) {
			names = append(names, name)
		}
	}
	switch {
	case whole:
		p.store.update((*index).load)
	case len(names) > 0:
		p.store.update(func(now *index) change { return now.update(names...) })
	}
}

// ignoreName is the file that makes search tools skip files. The root of the
// tree hides files that repeat others: these do not.
const (
	ignoreName = ".ignore"
	ignoreText = "!*.jsonl\n"
)

// publish implements view.
func (p *Provider) publish(now *index, c change) {
	at := cmp.Or(now.changed, p.opts.Env.Built)
	for _, e := range c.removed {
		if now.byName[e.name] == nil {
			p.root.Remove(at, e.name)
		}
	}
	for _, e := range c.added {
		if now.byName[e.name] == e {
			p.root.Set(at, e.name, e.node)
		}
	}
	p.root.Set(at, indexName, now.indexFile(p.opts.Watch, at))
	p.counter.Poke()
	p.root.Set(at, ignoreName, fs.NewText(p.opts.Env.Built, []byte(ignoreText)))
	next := &snapshot{entries: now.entries, size: now.size, changed: now.changed, err: now.err}
	if now.dir != nil {
		next.dir = now.dir.Path()
	}
	p.shown.Store(next)
}

// maxNews is how many changes are announced one by one.
const maxNews = 1000

// announce implements view.
func (p *Provider) announce(c change) {
	p.fulltext.Changed()
	if len(c.added)+len(c.removed) > maxNews {
		p.opts.Env.Changed("")
		return
	}
	for _, e := range slices.Concat(c.removed, c.added) {
		p.opts.Env.Changed(e.name)
	}
	p.opts.Env.Changed(indexName)
}

// Status implements fs.Provider.
func (p *Provider) Status() fs.Status {
	now := p.shown.Load()
	s := fs.Status{State: "ready", Since: now.changed, Summary: fmt.Sprintf("%s, %s", wording.Count(len(now.entries), "results"), wording.Size(now.size))}
	if len(now.entries) == 0 {
		s.State, s.Summary = "empty", "no results"
	}
	s.Problems = slices.Clone(p.store.settings.Load().problems)
	if f := p.store.broken.Load(); f != nil {
		s.Problems = append(s.Problems, f.Problem)
	}
	if now.err != nil {
		s.Problems = append(s.Problems, p.store.fault("read", now.err).Problem)
	}
	s.Problems = append(s.Problems, watch.Problems(p.watcher, p.opts.State, "results of other programs")...)
	if len(s.Problems) > 0 {
		s.State = "degraded"
	}
	return s
}
