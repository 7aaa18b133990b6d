package workspaces

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/fs/rounds"
	"ctxfs/providers/internal/background"
	"ctxfs/providers/internal/host"
	"ctxfs/providers/internal/watch"
	known "ctxfs/providers/internal/workspaces"
	"ctxfs/providers/workspaces/git"
	"ctxfs/providers/workspaces/processes"
	"ctxfs/providers/workspaces/programs"
	"ctxfs/providers/workspaces/system"
)

// Options are the settings of a [Provider].
type Options struct {
	host.Host
	// Known is the set of workspaces; the provider configures it.
	Known *known.Set
	// Brief returns what all providers have to say about a folder, with paths from the
	// tree's root.
	Brief func(dir string) []facts.Remark
	// Edits returns who has worked on files in a folder since a time, with paths from the
	// tree's root; Seen what a session last saw of the files there.
	Edits func(dir string, since time.Time) []facts.Edit
	Reads func(ctx context.Context, session, dir string) ([]facts.Read, error)
	// Trusts reports whether the user trusts the project in a folder.
	Trusts func(dir string) bool
	// OnTrust has a function called after the user has said whether a project is trusted,
	// as trust.Store.Notify does; it may be nil.
	OnTrust func(changed func(dir string, trusted bool))
}

// Provider is the folder of workspaces. It is safe for concurrent use.
type Provider struct {
	opts  Options
	root  *root
	index *fs.Folder

	git     *git.Reader
	system  *system.Reader
	runner  *programs.Runner
	watcher *watch.Watcher                  // nil if nothing is watched
	watched map[string]bool                 // what it watches; of the worker
	mounts  atomic.Pointer[map[string]bool] // file systems in workspaces, which are not watched
	prober  *fs.Prober                      // of whether folders answer
	looks   *fs.Prober                      // of looks at them
	edits   edits

	readProcesses func(processes.Options) (map[string][]processes.Process, error)

	looking     sync.Mutex // held while processes are looked at
	processesAt time.Time  // when they were

	ctx     context.Context // of the worker
	cancel  context.CancelFunc
	visits  turns // of folders where sessions start
	working background.Work
	worker  *rounds.Worker
	hurried atomic.Int32 // those who wait in Settled

	mu       sync.Mutex
	places   map[string]*place              // by name
	asked    map[string]time.Time           // folders whose pages were asked for
	running  map[string][]processes.Process // by name of place
	due      map[string]time.Time           // names of places whose pages are to be made, and when at the earliest
	trustAt  time.Time                      // when what is trusted has changed
	problems []fs.Problem                   // of the settings
	unseen   []fs.Problem                   // why not every change is noticed at once
	listed   string                         // INDEX.md
	listedAt time.Time
	closed   bool
}

var (
	_ facts.Overview    = (*Provider)(nil)
	_ facts.VisitSource = (*Provider)(nil)
	_ fs.Configured     = (*Provider)(nil)
	_ fs.Documented     = (*Provider)(nil)
	_ fs.Operator       = (*Provider)(nil)
)

const (
	indexName = "INDEX.md"
	hereName  = "HERE.md"
	notesName = "notes"
)

// New returns the provider, with the workspaces and pages that were last known. It looks
// at none of them.
func New(opts Options) *Provider {
	p := &Provider{
		opts: opts, index: new(fs.Folder),
		places: make(map[string]*place), due: make(map[string]time.Time), watched: make(map[string]bool),
		prober: fs.NewProber(answerTime), looks: fs.NewProber(patience + answerTime),
	}
	p.prober.Answered, p.looks.Answered = p.answered, p.answered
	p.readProcesses = processes.Read
	p.worker = rounds.NewWorker(rounds.Options{Round: p.work, Most: p.mostPause})
	p.mounts.Store(new(map[string]bool))
	p.asked = readAsked(opts.State)
	p.root = &root{p: p}
	p.runner = programs.New()
	p.git = git.New(git.Options{
		Scratch: p.opts.scratch(), Home: opts.Home, Config: p.opts.configHome(), Path: p.opts.variable("PATH"), Work: p.opts.folders, Programs: p.runner,
	})
	p.system = system.New(system.Options{
		Path: p.opts.variable("PATH"), Shell: p.opts.variable("SHELL"), Home: opts.Home, Work: p.opts.folders, Programs: p.runner,
	})
	if opts.Watch {
		p.watcher = watch.New(watch.Options{Changed: p.changedOnDisk, Hide: p.leavesOut, MaxDirs: maxDirs(), Log: opts.Env.Log})
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.Reload()
	if opts.Watch {
		p.meet() // those that were known to the process before
	}
	p.publish()
	if opts.OnTrust != nil {
		opts.OnTrust(p.trustChanged)
	}
	return p
}

// Root implements fs.Provider.
func (p *Provider) Root() fs.Dir { return p.root }

// Tables implements fs.Configured.
func (p *Provider) Tables() []string { return []string{Table} }

// Reload implements fs.Configured. The set of workspaces is made again soon after.
func (p *Provider) Reload() {
	dirs, lately, problems := readSettings(p.opts.SettingsPath, p.opts.Home)
	p.opts.Known.Configure(dirs, lately)
	p.mu.Lock()
	p.problems = problems
	p.mu.Unlock()
	p.opts.Env.Changed(indexName)
}

// Start implements fs.Starter.
func (p *Provider) Start() {
	p.worker.Poke()
	p.worker.Start()
}

// Close implements fs.Provider.
func (p *Provider) Close() error {
	p.cancel()
	p.worker.Close()
	p.working.End()
	p.runner.Close()
	failed := p.watcher.Close()
	p.mu.Lock()
	p.closed = true
	places := slices.Collect(maps.Values(p.places))
	p.mu.Unlock()
	for _, w := range places {
		failed = errors.Join(failed, w.box.Close())
	}
	if !p.opts.Watch {
		failed = errors.Join(failed, os.RemoveAll(p.opts.scratch()))
	}
	return failed
}

// Visits implements facts.VisitSource: a folder counts as worked in if its pages were asked
// for.
func (p *Provider) Visits(since time.Time) (all []facts.Visit) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for dir, at := range p.asked {
		if !at.Before(since) {
			all = append(all, facts.Visit{Dir: dir, Time: at, Certain: true})
		}
	}
	return all
}

// meet makes the places of the workspaces, and reports whether there are others than
// before.
func (p *Provider) meet() (changed bool) {
	all := p.opts.Known.All()
	var gone []*place
	defer func() {
		for _, w := range gone { // whatever was being written there is still kept
			w.box.Close()
		}
	}()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	met := make(map[string]bool, len(all))
	for _, w := range all {
		met[w.Name] = true
		old := p.places[w.Name]
		if old == nil || old.workspace().Dir != w.Dir {
			if old != nil {
				gone = append(gone, old)
			}
			p.places[w.Name] = p.newPlace(w)
			p.due[w.Name] = time.Time{}
			changed = true
			continue
		}
		if old.update(w) {
			p.dueLocked(old)
			changed = true
		}
	}
	for name, w := range p.places {
		if !met[name] {
			delete(p.places, name)
			delete(p.due, name)
			gone = append(gone, w)
			changed = true
		}
	}
	return changed
}

// newestFirst returns the places, those with the latest work first. The caller holds
// mu.
func (p *Provider) newestFirst() []*place {
	all := slices.Collect(maps.Values(p.places))
	slices.SortFunc(all, func(x, y *place) int {
		a, b := x.workspace(), y.workspace()
		return cmp.Or(b.Time.Compare(a.Time), strings.Compare(a.Name, b.Name))
	})
	return all
}

// announce announces what has changed in a workspace, wherever it is shown.
func (p *Provider) announce(w known.Workspace, name string) {
	p.opts.Env.Changed(path.Join(w.Name, name))
	for _, dir := range w.Folders() {
		p.opts.Env.Changed(path.Join(known.ByPath+dir, name))
	}
	if p.opts.Env.Documented != nil && (name == hereName || strings.HasPrefix(name, notesName)) {
		p.opts.Env.Documented(w.Name)
	}
}

// placeOf returns the innermost place that has a path on disk.
func (p *Provider) placeOf(dir string) *place {
	w, ok := p.opts.Known.Of(dir)
	if !ok {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.places[w.Name]
}
