// Package terminals is the folder terminals: what terminals have shown.
//
// Everything in it comes from the plain files that package record writes, one
// folder for each terminal. The recorder is another process; the provider never
// talks to it, and waits for nothing. The newest part of a terminal's log is
// <id>.txt, the one before it <id>.1.txt and so on; the folder <id> has
// everything else.
//
// The folders are live: neither their names nor the sizes of growing files are
// cached, so a line can be read as soon as it is written. Changes are announced as
// well, for programs that follow files by inotify, but at most once every
// [newsPause].
//
// A terminal whose recorder was killed is shown as ended, with what is known of it.
// The table [terminals] of config.toml limits what is kept.
//
// The packages below, lowest first, each do one job: shells starts a shell that
// marks its commands; grid turns bytes into the lines of a screen; record
// writes the lines, without secrets, to files; holder runs a program in a
// recorded terminal; config reads the settings; tmux records the panes of tmux servers.
package terminals

import (
	"cmp"
	"context"
	"errors"
	iofs "io/fs"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/rounds"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/folder"
	"ctxfs/providers/internal/fulltext"
	"ctxfs/providers/internal/host"
	"ctxfs/providers/internal/procs"
	"ctxfs/providers/internal/watch"
	"ctxfs/providers/terminals/config"
	"ctxfs/providers/terminals/record"
)

// Options are the settings of a [Provider].
type Options struct {
	// Host is the surroundings: State is the folder of the terminals on disk, Cache that of
	// the index of their words. Without Watch the terminals are those at the time of New, and
	// nothing is deleted.
	host.Host
	// Root returns the root of the project of a folder, or ""; nil knows none.
	Root func(dir string) string
	// TmuxFolder is where tmux keeps the sockets of the user's servers.
	TmuxFolder string
}

// Provider is the folder of terminals. It is safe for concurrent use.
type Provider struct {
	opts    Options
	root    liveFolder
	shown   atomic.Pointer[snapshot]
	watcher *watch.Watcher // nil if nothing is watched
	holders *procs.Ends
	pruner  *rounds.Worker  // keeps the files within their limits
	surveys *rounds.Worker  // finds out what running commands offer
	blink   atomic.Int64    // the time to the next survey if nothing changes
	ctx     context.Context // until Close
	cancel  context.CancelFunc
	tmux    adoption

	library  *library
	fulltext *fulltext.Index

	mu        sync.Mutex // held while a state is published
	dir       folder.Folder
	terminals map[string]*terminal
	serving   map[string]serving // by ID, of commands that run
	settings  config.Settings
	faults    []fs.Problem // of the settings
	pruneErr  error
}

// newsPause is the shortest time between two rounds of news.
const newsPause = 8 * time.Millisecond

// pruneInterval is how often the age of terminals is checked.
const pruneInterval = time.Hour

// New returns a provider of the terminals in Options.Dir. Terminals that cannot
// be read are left out or shown as such; New does not fail. It reads a few
// files for each.
func New(opts Options) *Provider {
	p := &Provider{
		opts: opts, root: liveFolder{new(fs.Folder)}, terminals: make(map[string]*terminal),
		dir: folder.At(opts.State),
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.pruner = rounds.NewWorker(rounds.Options{Round: p.prune, Most: func() time.Duration { return pruneInterval }})
	p.surveys = rounds.NewWorker(rounds.Options{Round: p.survey, Most: p.nextSurvey, Gather: surveySoon, Rest: surveySoon})
	p.settings, p.faults = config.Read(opts.SettingsPath)
	p.shown.Store(new(snapshot))
	p.library = newLibrary(func() []*record.Terminal { return p.shown.Load().terminals })
	p.fulltext = newFulltext(opts, p.library)
	if opts.Watch {
		p.holders = procs.NewEnds(p.ended)
		p.watcher = watch.New(watch.Options{Changed: p.changed, Hide: opts.Hide, Log: opts.Env.Log})
		p.watcher.Add(p.dir.Real) // first, so that later changes are reported
	}
	p.mu.Lock()
	p.loadAll()
	p.publish()
	p.mu.Unlock()
	if opts.Watch {
		p.pruner.Poke()
		p.pruner.Start()
		p.lookSoon()
		p.surveys.Start()
	} else {
		p.surveyed()
	}
	return p
}

// Root implements fs.Provider.
func (p *Provider) Root() fs.Dir { return p.root }

// Roots implements fs.Rooted.
func (p *Provider) Roots() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return []string{p.dir.Real}
}

// Tables implements fs.Configured.
func (p *Provider) Tables() []string { return []string{config.Table} }

// Reload implements fs.Configured.
func (p *Provider) Reload() {
	s, faults := config.Read(p.opts.SettingsPath)
	p.mu.Lock()
	p.settings, p.faults = s, faults
	p.publish()
	p.mu.Unlock()
	p.opts.Env.Changed(indexName)
	p.pruner.Poke()
	p.configured()
}

// Settled implements fs.Settler. What is deleted for the limits and where commands listen is
// noticed then, too.
func (p *Provider) Settled(ctx context.Context) error {
	p.surveys.Poke()
	for _, settled := range []func(context.Context) error{p.pruner.Settled, p.watcher.Settled, p.holders.Settled, p.surveys.Settled} {
		if err := settled(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Close implements fs.Provider.
func (p *Provider) Close() error {
	p.tmux.close()
	p.cancel()
	p.pruner.Close()
	p.surveys.Close()
	p.holders.Close()
	err := p.fulltext.Close()
	return errors.Join(err, p.watcher.Close())
}

// prune deletes terminals beyond the limits.
func (p *Provider) prune(context.Context) {
	p.mu.Lock()
	limits := p.settings.Limits
	p.mu.Unlock()
	err := record.Prune(p.opts.State, limits, p.opts.Env.Now())
	p.mu.Lock()
	defer p.mu.Unlock()
	if (err == nil) != (p.pruneErr == nil) {
		p.pruneErr = err
		p.publish()
		p.opts.Env.Changed(indexName)
	}
}

// loadAll reads all terminals and returns the IDs of those that changed.
func (p *Provider) loadAll() []string {
	p.dir.Resolve(p.opts.Hide)
	found, _ := record.List(p.dir.Real) // without a folder there are no terminals
	return folder.Load(p.terminals, found, p.load)
}

// load reads a terminal, and reports whether it changed.
func (p *Provider) load(id string) bool {
	old := p.terminals[id]
	if !record.IsID(id) {
		return false
	}
	t, err := loadTerminal(filepath.Join(p.dir.Real, id), old)
	switch {
	case err == nil:
		p.terminals[id] = t
		if now := t.state.Load(); p.holders != nil && now.Running() && !p.holders.Watch(id, now.Holder) {
			// It may have ended just before.
			if t, err := loadTerminal(now.Dir, t); err == nil {
				p.terminals[id] = t
			}
		}
		return true
	case errors.Is(err, iofs.ErrNotExist):
		delete(p.terminals, id)
		return old != nil
	}
	p.opts.Env.Log.Debug("a terminal cannot be read", "id", id, "error", err)
	return false
}

// ended is called when the holder of a terminal has ended.
func (p *Provider) ended(id string) { p.changed([]string{filepath.Join(p.opts.State, id)}) }

// changed is called with paths on disk that changed.
func (p *Provider) changed(paths []string) {
	p.mu.Lock()
	c := p.sort(paths)
	var changed []string
	before := len(p.terminals)
	if c.all {
		changed = p.loadAll()
	} else {
		for _, id := range slices.Sorted(maps.Keys(c.terminals)) {
			if p.load(id) {
				changed = append(changed, id)
			}
		}
	}
	news := c.news(p.terminals, changed)
	if len(changed) > 0 {
		p.publish()
	}
	fewer := len(p.terminals) < before
	quiet := p.allServe(c, changed)
	p.mu.Unlock()
	if !quiet {
		p.lookSoon()
	}
	if p.fulltext.Grew(p.library.grown(paths)); fewer {
		p.fulltext.Changed() // they leave the index
	}
	for _, path := range news {
		p.opts.Env.Changed(path)
	}
	if p.opts.Env.Documented != nil {
		for _, id := range changed {
			p.opts.Env.Documented(id + ".txt")
		}
	}
	select { // further changes meanwhile are reported together
	case <-time.After(newsPause):
	case <-p.ctx.Done():
	}
}

// changes are the effects of changed paths.
type changes struct {
	all       bool
	terminals map[string]bool // IDs of terminals to read again
	grown     map[string]bool // paths in the tree
}

// sort finds the effects of changed paths on disk.
func (p *Provider) sort(paths []string) changes {
	c := changes{terminals: make(map[string]bool), grown: make(map[string]bool)}
	for _, path := range paths {
		id, name, ok := p.dir.Of(path)
		if !ok {
			c.all = true
			continue
		}
		t := p.terminals[id]
		if t == nil {
			c.terminals[id] = true
			continue
		}
		switch name {
		case record.MetaFile, record.RecordsFile, "":
			c.terminals[id] = true
		case record.ScreenFile, record.ReplayFile:
			c.grown[id+"/"+name] = true
			c.terminals[id] = c.terminals[id] || !t.has(name)
		default:
			if shown := t.shownPart(name); shown != "" {
				c.grown[shown] = true
			} else if record.IsPart(name) {
				c.terminals[id] = true
			}
		}
	}
	maps.DeleteFunc(c.terminals, func(_ string, again bool) bool { return !again })
	return c
}

// news returns the paths in the tree that have changed.
func (c changes) news(terminals map[string]*terminal, changed []string) []string {
	for _, id := range changed {
		c.grown[id], c.grown[id+".txt"] = true, true
		if t := terminals[id]; t != nil {
			c.grown[id+"/"+record.RecordsFile] = true
		}
	}
	if len(changed) > 0 {
		c.grown[indexName] = true
	}
	return slices.Sorted(maps.Keys(c.grown))
}

// publish shows the terminals as they are known. The caller holds mu.
func (p *Provider) publish() {
	old := p.shown.Load()
	next := &snapshot{serving: p.serving, terminals: make([]*record.Terminal, 0, len(p.terminals)), problems: slices.Clone(p.faults)}
	nodes := make(map[string]fs.Node, 2*len(p.terminals)+1)
	for id, t := range p.terminals {
		next.terminals = append(next.terminals, t.state.Load())
		nodes[id] = t.folder
		maps.Copy(nodes, t.named)
	}
	next.complete(old, p)
	nodes[indexName] = fs.NewText(cmp.Or(next.modTime, p.opts.Env.Built), next.index)
	p.shown.Store(next)
	changed := cmp.Or(wording.Later(next.modTime, latest(next.terminals)), p.opts.Env.Built)
	if a, err := p.root.Attr(context.Background()); err == nil && !changed.After(a.ModTime) && !a.ModTime.IsZero() {
		changed = wording.Later(p.opts.Env.Now(), a.ModTime.Add(1))
	}
	p.root.Replace(changed, nodes)
}
