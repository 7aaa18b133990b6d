// Package executor is the folder agents: the agents that ctxfs was told to start, and what
// came of them.
//
// Everything in it comes from the plain files of package job, one folder for each run, and
// from the recordings of the terminals in which agents run. Neither this package nor the
// background process is needed for an agent to run: the provider shows runs, deletes old
// ones, and ends what is left of those whose processes were killed.
//
// The packages below, lowest first, each do one job: request is the question and the
// answer; programs knows how agents are started and read; job is the files of a run; keeper
// and runner are its processes.
//
// In order: provider.go (the folder), run.go (the folder of one run), page.go (its texts),
// index.go (the list of all), status.go (what other parts of ctxfs are told), await.go
// (waiting for a run), prune.go (what is deleted when).
package executor

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/cell"
	"ctxfs/providers/executor/job"
	"ctxfs/providers/executor/programs"
	"ctxfs/providers/executor/request"
	"ctxfs/providers/executor/runner"
	"ctxfs/providers/internal/confined"
	"ctxfs/providers/internal/folder"
	"ctxfs/providers/internal/host"
	"ctxfs/providers/internal/procs"
	"ctxfs/providers/internal/watch"
)

// Options are the settings of a [Provider].
type Options struct {
	// Host is the surroundings; without Watch the runs are those at the time of New.
	host.Host
	// Root is ctxfs's state folder.
	Root string
	// Log returns the log of the terminal that is recorded in a folder. An error means that
	// it does not exist.
	Log func(recording string) (Log, error)
	// HasSession reports whether a session is in the tree, by its id. It may be nil, which
	// takes each for being there, as that of a run that goes on is.
	HasSession func(id string) bool
}

// Log is the live log of a terminal.
type Log interface {
	fs.Headed
	// Exists reports whether it has not been deleted. It costs a stat.
	Exists() bool
}

// Provider is the folder of runs. It is safe for concurrent use.
type Provider struct {
	opts     Options
	store    job.Store
	register confined.Register
	root     *fs.Folder
	shown    atomic.Pointer[snapshot]
	watcher  *watch.Watcher  // nil if nothing is watched
	ends     *procs.Ends     // of keepers; nil if nothing is watched
	ctx      context.Context // until Close
	cancel   context.CancelFunc
	running  cell.Group

	mu       sync.Mutex // held while a state is published
	dir      folder.Folder
	runs     map[string]*run
	faults   []fs.Problem // of the settings
	pruneErr error
}

// New returns a provider of the runs in the state folder. It does not fail: a run that
// cannot be read is left out.
func New(opts Options) *Provider {
	opts.Env = opts.Env.WithDocuments()
	store := job.In(opts.Root)
	p := &Provider{
		opts: opts, store: store, register: confined.In(opts.Root), root: new(fs.Folder), runs: make(map[string]*run),
		dir: folder.At(store.Dir),
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	_, p.faults = programs.ReadSettings(opts.SettingsPath)
	p.shown.Store(new(snapshot))
	if opts.Watch {
		p.ends = procs.NewEnds(p.ended)
		p.watcher = watch.New(watch.Options{Changed: p.changed, Hide: p.hidden, Log: opts.Env.Log})
		p.watcher.Add(p.dir.Real) // first, so that later changes are reported
	}
	p.mu.Lock()
	p.loadAll()
	p.publish()
	p.mu.Unlock()
	if opts.Watch {
		p.running.Go(p.keep)
	}
	return p
}

// hidden leaves out what runs write for themselves, which may be very much.
func (p *Provider) hidden(path string) bool {
	switch filepath.Base(path) {
	case job.TreeDir, job.ScratchDir:
		return true
	}
	return p.opts.Hide != nil && p.opts.Hide(path)
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
func (p *Provider) Tables() []string { return []string{request.Table} }

// Reload implements fs.Configured. Runs read their settings when they start.
func (p *Provider) Reload() {
	_, faults := programs.ReadSettings(p.opts.SettingsPath)
	p.mu.Lock()
	p.faults = faults
	p.publish()
	p.mu.Unlock()
	p.opts.Env.Changed(indexName)
}

// Settled implements fs.Settler. A runner that is ending its run is not waited for.
func (p *Provider) Settled(ctx context.Context) error {
	return cmp.Or(p.watcher.Settled(ctx), p.ends.Settled(ctx))
}

// Close implements fs.Provider.
func (p *Provider) Close() error {
	p.mu.Lock()
	p.cancel() // nothing more begins
	p.mu.Unlock()
	p.ends.Close()
	err := p.watcher.Close()
	p.running.Wait()
	return err
}

// A runner whose keeper was killed ends its run within lastTime, and is looked at every
// lastPause meanwhile.
const (
	lastTime  = 10 * time.Second
	lastPause = 20 * time.Millisecond
)

// ended is called when the keeper of a run has ended. Its runner may be ending it.
func (p *Provider) ended(id string) {
	over := func() bool {
		j, err := p.store.Load(id)
		return err != nil || j.Ended()
	}
	last := func() {
		runner.EndLost(p.store)
		p.changed([]string{filepath.Join(p.store.Dir, id)})
	}
	if over() {
		last()
		return
	}
	p.running.Go(func() {
		ctx, cancel := context.WithTimeout(p.ctx, lastTime)
		defer cancel()
		for ctx.Err() == nil && !over() {
			select {
			case <-time.After(lastPause):
			case <-ctx.Done():
			}
		}
		last()
	})
}

// changed is called with paths on disk that changed.
func (p *Provider) changed(paths []string) {
	p.mu.Lock()
	var changed []string
	ids, all := p.sort(paths)
	if all {
		changed = p.loadAll()
	} else {
		for _, id := range ids {
			if p.load(id) {
				changed = append(changed, id)
			}
		}
	}
	if len(changed) > 0 {
		p.publish()
	}
	p.mu.Unlock()
	if len(changed) == 0 {
		return
	}
	for _, id := range changed {
		p.opts.Env.Changed(id)
	}
	p.opts.Env.Changed(indexName)
}

// sort returns the ids of the runs that changed paths on disk belong to, or that any may
// have changed.
func (p *Provider) sort(paths []string) (ids []string, all bool) {
	wanted := make(map[string]bool)
	for _, path := range paths {
		id, name, ok := p.dir.Of(path)
		if !ok {
			return nil, true
		}
		if id == filepath.Base(p.register.Dir) {
			id, name = strings.TrimSuffix(name, ".json"), ""
		}
		switch name {
		case "", job.RequestFile, job.StatusFile, job.ResultFile, job.DiffFile:
			wanted[id] = true
		}
	}
	return slices.Sorted(maps.Keys(wanted)), false
}

// loadAll reads all runs, and returns the ids of those that changed.
func (p *Provider) loadAll() []string {
	p.dir.Resolve(p.opts.Hide)
	found, _ := p.store.List() // without a folder there are no runs
	return folder.Load(p.runs, found, p.load)
}

// load reads a run, and reports whether it changed.
func (p *Provider) load(id string) bool {
	old := p.runs[id]
	j, err := p.store.Load(id)
	if err == nil && !j.Ended() && p.ends != nil && p.ctx.Err() == nil {
		if keeper, ok := p.register.Run(id); ok && !p.ends.Watch(id, keeper.PID) || !ok && slices.ContainsFunc(p.register.Abandoned(), func(r confined.Run) bool { return r.ID == id }) {
			p.running.Go(func() { p.ended(id) })
		}
	}
	switch {
	case err == nil:
		p.runs[id] = p.newRun(j, old)
		return true
	case errors.Is(err, job.ErrUnknown):
		delete(p.runs, id)
		return old != nil
	}
	p.opts.Env.Log.Warn("a run of an agent cannot be read", "id", id, "error", err)
	return false
}

// publish shows the runs as they are known. The caller holds mu.
func (p *Provider) publish() {
	old := p.shown.Load()
	next := newSnapshot(p.runs, old, p.opts.Env.Now)
	next.problems = p.problems()
	nodes := make(map[string]fs.Node, len(p.runs)+1)
	for id, r := range p.runs {
		nodes[id] = r.folder
	}
	at := cmp.Or(next.modTime, p.opts.Env.Built)
	nodes[indexName] = fs.NewText(at, next.index)
	p.shown.Store(next)
	if a, err := p.root.Attr(context.Background()); err == nil && a.ModTime.After(at) {
		at = a.ModTime
	}
	p.root.Replace(at, nodes)
}
