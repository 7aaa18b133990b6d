// Package terminals shows what terminals have shown: the folder terminals.
//
// Everything in it comes from the plain files that package record writes, one
// folder for each terminal. Who records is another process; it is never asked,
// and nothing here waits for it. The newest part of a terminal's log is <id>.txt,
// the one before it <id>.1.txt and so on; the folder <id> has what else there is.
//
// The folders are live: their names, and the sizes of what grows, are never kept
// by anybody, so that a line can be read as soon as it is written. That something
// has changed is told as well, for those who follow files by inotify, but not more
// often than every [newsPause].
//
// A terminal whose recorder was killed has ended: it is shown so, with what is
// known. The table [terminals] of config.toml limits what is kept.
package terminals

import (
	"cmp"
	"context"
	"errors"
	iofs "io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/watch"
	"ctxfs/providers/terminals/record"
)

// Options are what the provider needs.
type Options struct {
	Env fs.Env
	// Dir is the folder of the terminals on disk, SettingsPath the path of
	// config.toml.
	Dir, SettingsPath string
	// Hide leaves out a path, such as a mount point of ours; it may be nil.
	Hide func(path string) bool
	// TmuxFolder is where tmux keeps the sockets of the user's servers.
	TmuxFolder string
	// Watch keeps the provider current and the files within their limits. Without
	// it, for a command that reads once, the terminals are those of the moment of
	// New and nothing is deleted.
	Watch bool
}

// Provider is the folder of terminals.
type Provider struct {
	opts    Options
	root    liveFolder
	shown   atomic.Pointer[shown]
	watcher *watch.Watcher // nil where nothing is watched
	noWatch error          // why, though it should be
	holders *holders
	wake    chan struct{} // to prune
	closing chan struct{}
	running sync.WaitGroup
	tmux    adoption

	mu        sync.Mutex // held while something is published
	dir       string     // Options.Dir with links resolved
	terminals map[string]*terminal
	settings  Settings
	faults    []fs.Problem // of the settings
	pruneErr  error
}

// newsPause is the shortest time between two rounds of news.
const newsPause = 8 * time.Millisecond

// pruneInterval is how often age is looked at.
const pruneInterval = time.Hour

// New finds the terminals there are. What cannot be read is content and no error.
// Cost: a few files read for each.
func New(opts Options) *Provider {
	p := &Provider{
		opts: opts, root: liveFolder{new(fs.Folder)}, terminals: make(map[string]*terminal),
		dir: filepath.Clean(opts.Dir), wake: make(chan struct{}, 1), closing: make(chan struct{}),
	}
	p.settings, p.faults = ReadSettings(opts.SettingsPath)
	p.shown.Store(new(shown))
	if opts.Watch {
		p.holders = newHolders(p.ended)
		p.watcher, p.noWatch = watch.New(watch.Options{Changed: p.changed, Hide: opts.Hide, Log: opts.Env.Log})
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.watcher != nil {
		p.watcher.Add(p.dir) // first: what comes after that is told
	}
	p.loadAll()
	p.publish()
	if opts.Watch {
		p.running.Go(p.prune)
	}
	return p
}

// Root implements fs.Provider.
func (p *Provider) Root() fs.Dir { return p.root }

// Roots implements fs.Rooted.
func (p *Provider) Roots() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return []string{p.dir}
}

// Tables implements fs.Configured.
func (p *Provider) Tables() []string { return []string{Table} }

// Reload implements fs.Configured.
func (p *Provider) Reload() {
	s, faults := ReadSettings(p.opts.SettingsPath)
	p.mu.Lock()
	p.settings, p.faults = s, faults
	p.publish()
	p.mu.Unlock()
	p.opts.Env.Changed(indexName)
	p.pruneSoon()
	p.configured()
}

func (p *Provider) pruneSoon() {
	select {
	case p.wake <- struct{}{}:
	default: // it will be, anyway
	}
}

// Close implements fs.Provider.
func (p *Provider) Close() error {
	p.tmux.close()
	close(p.closing)
	p.running.Wait()
	if p.holders != nil {
		p.holders.close()
	}
	if p.watcher == nil {
		return nil
	}
	return p.watcher.Close()
}

// prune keeps the files within their limits.
func (p *Provider) prune() {
	tick := time.NewTicker(pruneInterval)
	defer tick.Stop()
	for {
		p.mu.Lock()
		limits := p.settings.Limits
		p.mu.Unlock()
		err := record.Prune(p.opts.Dir, limits, p.opts.Env.Now())
		p.mu.Lock()
		if (err == nil) != (p.pruneErr == nil) {
			p.pruneErr = err
			p.publish()
			p.opts.Env.Changed(indexName)
		}
		p.mu.Unlock()
		select {
		case <-tick.C:
		case <-p.wake:
		case <-p.closing:
			return
		}
	}
}

// loadAll looks at all terminals and returns those that are others now.
func (p *Provider) loadAll() (changed []string) {
	if real, err := (fs.DiskOptions{Hide: p.opts.Hide}).Resolve(p.opts.Dir); err == nil {
		p.dir = real
	}
	ids := make(map[string]bool)
	for id := range p.terminals {
		ids[id] = true
	}
	found, _ := record.List(p.dir) // where there is none, there are no terminals
	for _, id := range found {
		ids[id] = true
	}
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		if p.load(id) {
			changed = append(changed, id)
		}
	}
	return changed
}

// load looks at a terminal, and tells whether it is another now.
func (p *Provider) load(id string) bool {
	old := p.terminals[id]
	if !record.IsID(id) {
		return false
	}
	t, err := loadTerminal(filepath.Join(p.dir, id), old)
	switch {
	case err == nil:
		p.terminals[id] = t
		if now := t.state.Load(); p.holders != nil && now.Running() && !p.holders.watch(id, now.Holder) {
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

// ended is told that the holder of a terminal has ended.
func (p *Provider) ended(id string) { p.changed([]string{filepath.Join(p.opts.Dir, id)}) }

// changed is told of paths on disk.
func (p *Provider) changed(paths []string) {
	p.mu.Lock()
	c := p.sort(paths)
	var changed []string
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
	p.mu.Unlock()
	for _, path := range news {
		p.opts.Env.Changed(path)
	}
	if p.opts.Env.Documented != nil {
		for _, id := range changed {
			p.opts.Env.Documented(id + ".txt")
		}
	}
	pause := time.NewTimer(newsPause)
	defer pause.Stop()
	select { // what comes meanwhile is told together
	case <-pause.C:
	case <-p.closing:
	}
}

// changes are what paths on disk stand for.
type changes struct {
	all       bool
	terminals map[string]bool // that are to be read again
	grown     map[string]bool // paths in the tree
}

// sort finds out what has changed.
func (p *Provider) sort(paths []string) changes {
	c := changes{terminals: make(map[string]bool), grown: make(map[string]bool)}
	for _, path := range paths {
		inside, err := filepath.Rel(p.dir, path)
		if err != nil || !filepath.IsLocal(inside) {
			inside, err = filepath.Rel(p.opts.Dir, path)
		}
		if err != nil || !filepath.IsLocal(inside) || inside == "." {
			c.all = true
			continue
		}
		id, name, _ := strings.Cut(inside, "/")
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

// news are the paths in the tree that have changed.
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
	next := &shown{terminals: make([]*record.Terminal, 0, len(p.terminals)), limits: p.settings.Limits, problems: slices.Clone(p.faults)}
	nodes := make(map[string]fs.Node, 2*len(p.terminals)+1)
	for id, t := range p.terminals {
		next.terminals = append(next.terminals, t.state.Load())
		nodes[id] = t.folder
		maps.Copy(nodes, t.named)
	}
	next.finish(old, p)
	nodes[indexName] = fs.NewText(cmp.Or(next.modTime, p.opts.Env.Built), next.index)
	p.shown.Store(next)
	changed := cmp.Or(later(next.modTime, latest(next.terminals)), p.opts.Env.Built)
	if a, err := p.root.Attr(context.Background()); err == nil && !changed.After(a.ModTime) && !a.ModTime.IsZero() {
		changed = later(p.opts.Env.Now(), a.ModTime.Add(1))
	}
	p.root.Replace(changed, nodes)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
