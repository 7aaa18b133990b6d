package workspaces

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/watch"
	known "ctxfs/providers/internal/workspaces"
	"ctxfs/providers/workspaces/git"
	"ctxfs/providers/workspaces/processes"
	"ctxfs/providers/workspaces/programs"
	"ctxfs/providers/workspaces/system"
)

// Options are the settings of a [Provider].
type Options struct {
	Env fs.Env
	// Known is the set of workspaces; the provider configures it.
	Known *known.Set
	// Brief returns what all providers have to say about a folder, with paths from the
	// tree's root.
	Brief func(dir string) []fs.Remark
	// Home is the user's home folder, SettingsPath the path of config.toml.
	Home, SettingsPath string
	// State is the folder for notes, Cache that for pages.
	State, Cache string
	// Environ returns the environment of a process, as far as it can be read.
	Environ func(pid int) func(string) (string, bool)
	// LookupEnv looks up a variable of the user's environment.
	LookupEnv func(string) (string, bool)
	// Trusts reports whether the user trusts the project in a folder.
	Trusts func(dir string) bool
	// Hide reports whether a path is the root of a view of ours; it may be nil.
	Hide func(path string) bool
	// Pause is for tests; 0 stands for the pause between two looks at a workspace.
	Pause time.Duration
	// Offline shows what was made before, and makes nothing.
	Offline bool
}

// Provider is the folder of workspaces. It is safe for concurrent use.
type Provider struct {
	opts  Options
	root  *root
	index *fs.Folder

	git     *git.Reader
	system  *system.Reader
	runner  *programs.Runner
	watcher *watch.Watcher  // nil if nothing is watched
	noWatch error           // why there is no watcher
	watched map[string]bool // what it watches; of the worker

	processesAt time.Time // when they were looked at; of the worker

	ctx     context.Context // of the worker
	cancel  context.CancelFunc
	working sync.WaitGroup
	wake    chan struct{} // has an element if there is something to do

	mu        sync.Mutex
	places    map[string]*place              // by name
	asked     map[string]time.Time           // folders for which somebody wanted pages
	running   map[string][]processes.Process // by name of place
	due       map[string]time.Time           // names of places whose pages are to be made, and when at the earliest
	problems  []fs.Problem                   // of the settings
	unwatched []fs.Problem                   // of the watches
	closed    bool
}

var (
	_ fs.Overview   = (*Provider)(nil)
	_ fs.Visited    = (*Provider)(nil)
	_ fs.Configured = (*Provider)(nil)
	_ fs.Documented = (*Provider)(nil)
	_ fs.Operator   = (*Provider)(nil)
)

const (
	indexName = "INDEX.md"
	hereName  = "HERE.md"
	notesName = "notes"
)

// New returns the provider. It looks at no workspace.
func New(opts Options) *Provider {
	opts.Pause = cmp.Or(opts.Pause, pause)
	p := &Provider{
		opts: opts, index: new(fs.Folder), wake: make(chan struct{}, 1),
		places: make(map[string]*place), due: make(map[string]time.Time),
	}
	p.asked = readAsked(opts.State)
	p.root = &root{p: p}
	p.runner = programs.New()
	p.git = git.New(git.Options{
		Scratch: p.scratch(), Home: opts.Home, Config: p.configHome(), Path: p.variable("PATH"), Work: p.folders, Programs: p.runner,
	})
	p.system = system.New(system.Options{
		Path: p.variable("PATH"), Shell: p.variable("SHELL"), Home: opts.Home, Env: p.variable, Work: p.folders, Programs: p.runner,
	})
	if !opts.Offline {
		p.watcher, p.noWatch = watch.New(watch.Options{Changed: p.changedOnDisk, Hide: opts.Hide, Log: opts.Env.Log})
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.Reload()
	p.publish()
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
func (p *Provider) Start() { p.working.Go(p.work) }

// Close implements fs.Provider.
func (p *Provider) Close() error {
	p.cancel()
	p.working.Wait()
	p.runner.Close()
	var failed error
	if p.watcher != nil {
		failed = p.watcher.Close()
	}
	p.mu.Lock()
	p.closed = true
	places := slices.Collect(maps.Values(p.places))
	p.mu.Unlock()
	for _, w := range places {
		failed = errors.Join(failed, w.box.Close())
	}
	if p.opts.Offline {
		failed = errors.Join(failed, os.RemoveAll(p.scratch()))
	}
	return failed
}

// Visits implements fs.Visited: a folder for which somebody wanted pages is worked in.
func (p *Provider) Visits(since time.Time) (all []fs.Visit) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for dir, at := range p.asked {
		if !at.Before(since) {
			all = append(all, fs.Visit{Dir: dir, Time: at, Settled: true})
		}
	}
	return all
}

// Refresh implements fs.Overview: the workspaces may be others, and each may have new
// pages.
func (p *Provider) Refresh() {
	changed := p.meet()
	p.mu.Lock()
	for _, w := range p.places {
		p.dueLocked(w)
	}
	p.mu.Unlock()
	if changed {
		p.publish()
		p.opts.Env.Changed("")
	}
	p.poke()
}

func (p *Provider) poke() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
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
			changed = true
			continue
		}
		changed = old.update(w) || changed
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

// work is the worker: it makes the pages that are due, one workspace after the other.
func (p *Provider) work() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-p.wake:
		case <-timer.C:
		case <-p.ctx.Done():
			return
		}
		p.follow()
		p.lookAtProcesses()
		for p.ctx.Err() == nil {
			w, wait := p.next()
			if w == nil {
				if p.isWorked() && (wait == 0 || wait > processesAge) {
					wait = processesAge
				}
				if wait > 0 {
					timer.Reset(wait)
				}
				break
			}
			w.survey(p.ctx)
		}
	}
}

// next returns a place whose pages are due now; or else how long it is until the first
// of them are, 0 if none are due at all.
func (p *Provider) next() (w *place, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	for _, w := range p.newestFirst() {
		name := w.workspace().Name
		at, ok := p.due[name]
		switch {
		case ok && !at.After(now):
			delete(p.due, name)
			return w, 0
		case ok && (wait == 0 || at.Sub(now) < wait):
			wait = at.Sub(now)
		}
	}
	return nil, wait
}

// newestFirst returns the places, those in which somebody worked last first. The caller
// holds mu.
func (p *Provider) newestFirst() []*place {
	all := slices.Collect(maps.Values(p.places))
	slices.SortFunc(all, func(x, y *place) int {
		a, b := x.workspace(), y.workspace()
		return cmp.Or(b.Time.Compare(a.Time), strings.Compare(a.Name, b.Name))
	})
	return all
}

// publish makes INDEX.md and the list of workspaces.
func (p *Provider) publish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	var text strings.Builder
	text.WriteString("# Workspaces\n\nA line for each folder in which somebody works, the last one first. HERE.md in it is the\npage to begin with. `ctxfs here` prints the path of the one that you stand in; so does\nby-path/ABSOLUTE/PATH.\n\n")
	nodes := make(map[string]fs.Node, len(p.places)+1)
	newest := p.opts.Env.Built
	for _, place := range p.newestFirst() {
		w := place.workspace()
		nodes[w.Name] = place.folder
		line := fmt.Sprintf("- %s — %s", w.Name, wording.Tilde(w.Dir, p.opts.Home))
		if n := len(w.Worktrees); n > 0 {
			line += ", " + wording.Count(n, "worktrees")
		}
		if !w.Time.IsZero() {
			line += ", last worked in " + wording.Minute(w.Time)
		}
		text.WriteString(line + "\n")
		if w.Time.After(newest) {
			newest = w.Time
		}
	}
	if len(p.places) == 0 {
		text.WriteString("Nobody has worked anywhere lately, as far as is known. `ctxfs here` in a folder makes it\na workspace; so does [workspaces] dirs in config.toml.\n")
	}
	nodes[indexName] = fs.NewText(newest, []byte(text.String()))
	p.index.Replace(newest, nodes)
}

// told announces what has changed in a workspace, wherever it is shown.
func (p *Provider) told(w known.Workspace, name string) {
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

// Status implements fs.Provider.
func (p *Provider) Status() fs.Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := fs.Status{State: "ready", Summary: wording.Count(len(p.places), "workspaces"), Problems: slices.Concat(p.problems, p.unwatched)}
	if len(p.places) == 0 {
		s.State = "empty"
	}
	if p.noWatch != nil {
		s.Problems = append(s.Problems, watch.Problems(nil, p.noWatch, p.opts.Home, "changes in workspaces")...)
	}
	for _, place := range p.newestFirst() {
		w := place.workspace()
		if w.Time.After(s.Since) {
			s.Since = w.Time
		}
		s.Items = append(s.Items, fs.Item{Name: w.Name, Count: -1, About: wording.Tilde(w.Dir, p.opts.Home), Since: w.Time})
		if err := place.box.Fault(); err != nil {
			s.Problems = append(s.Problems, fs.Problem{What: "a note in " + w.Name + " cannot be read: " + err.Error(), Mend: "take it out of " + place.box.Dir()})
		}
	}
	if len(s.Problems) > 0 {
		s.State = "degraded"
	}
	return s
}
