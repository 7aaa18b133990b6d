package skills

import (
	"cmp"
	"context"
	"errors"
	iofs "io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/rounds"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/workspaces"
	"ctxfs/providers/skills/check"
	"ctxfs/providers/skills/locate"
)

const (
	// pollPause is the time between two looks at all workspaces: a new nested folder of
	// skills is found then.
	pollPause = time.Minute
	// calm is the shortest time between two looks, however often something changes.
	calm = 250 * time.Millisecond
	// share is how many times as long as a look the time after it is at least.
	share = 5
	// atOnce is how long a command that reads once may take to find nested folders.
	atOnce = time.Second
)

// worker looks at projects, and studies skills, in the background.
type worker struct {
	provider *Provider
	projects *rounds.Worker // looks at projects
	studies  *rounds.Worker // studies skills
	ctx      context.Context
	cancel   context.CancelFunc

	around  atomic.Bool // it is due to look again what is here
	mu      sync.Mutex
	current map[string]bool // what was studied since it last changed, by key
	machine *check.Machine  // what is there
}

func (w *worker) init(p *Provider) {
	w.provider = p
	w.current = make(map[string]bool)
	w.ctx, w.cancel = context.WithCancel(context.Background())
	w.projects = rounds.NewWorker(rounds.Options{Round: w.lookAtProjects, Most: func() time.Duration { return pollPause }, Rest: calm, Share: share})
	w.studies = rounds.NewWorker(rounds.Options{Round: w.study, Rest: studyPause})
}

func (w *worker) start() {
	w.around.Store(true)
	w.projects.Poke()
	w.projects.Start()
	w.studies.Poke()
	w.studies.Start()
}

func (w *worker) close() {
	w.cancel()
	w.projects.Close()
	w.studies.Close()
}

// settled returns when projects and skills that changed before the call were looked at.
func (w *worker) settled(ctx context.Context) error {
	return cmp.Or(w.projects.Settled(ctx), w.studies.Settled(ctx))
}

func (w *worker) lookAtProjects(context.Context) {
	w.provider.look(func() bool { return w.ctx.Err() != nil })
	w.around.Store(true) // what is here may have changed, too
	w.studies.Poke()
}

// once looks at projects at once, for a command that reads once.
func (w *worker) once() { w.provider.look(w.late()) }

// late returns what reports that a command which reads once has waited long enough.
func (w *worker) late() func() bool {
	begun := w.provider.opts.Env.Now()
	return func() bool { return w.ctx.Err() != nil || w.provider.opts.Env.Now().Sub(begun) > atOnce }
}

// changed reports that the files of a skill have changed.
func (w *worker) changed(key string) {
	w.mu.Lock()
	delete(w.current, key)
	w.mu.Unlock()
	w.studies.Poke()
}

// studyPause is the time between two times that skills are studied, and publishPause how
// long what was learned waits for more of it.
const (
	studyPause   = 500 * time.Millisecond
	publishPause = 2 * time.Second
)

// study studies the skills that have changed.
func (w *worker) study(ctx context.Context) {
	w.studyAll(func() bool { return w.ctx.Err() != nil }, func() {
		// Others have the processor half of the time.
		rest := time.NewTimer(studyShare)
		defer rest.Stop()
		select {
		case <-rest.C:
		case <-ctx.Done():
		}
	})
}

// studyShare is how long the worker rests after each skill that it has studied.
const studyShare = 2 * time.Millisecond

// studyAll studies the skills that have changed since they were studied, and publishes
// what it has learned. After is called after each.
func (w *worker) studyAll(stop func() bool, after func()) {
	p := w.provider
	published, keep, fresh := time.Now(), make(map[string]bool), false
	for _, s := range p.current.Load().skills {
		if s.isBuiltin() || s.File == "" {
			continue
		}
		k := key(s.Found)
		keep[k] = true
		w.mu.Lock()
		known := w.current[k]
		w.current[k] = true // a change from here on is studied again
		w.mu.Unlock()
		if known || stop() {
			if !known {
				w.changed(k)
			}
			continue
		}
		files := check.Files(s.Found, p.opts.Hide)
		sum := check.Sum(s.Found, files)
		if r, ok := p.studies.Get(k); ok && r.Sum == sum {
			continue
		}
		p.studies.Put(k, check.Study(s.Found, files, sum))
		fresh = true
		after()
		if time.Since(published) > publishPause {
			w.publish()
			published, fresh = time.Now(), false
		}
	}
	w.mu.Lock()
	maps.DeleteFunc(w.current, func(k string, _ bool) bool { return !keep[k] })
	w.mu.Unlock()
	if due := w.around.Swap(false); due || fresh {
		w.lookAround()
		w.publish()
	}
	if !p.opts.Watch {
		return // reading writes nothing
	}
	if err := p.studies.Save(keep); err != nil {
		p.opts.Env.Log.Debug("what was learned of skills was not kept", "error", err)
	}
}

// lookAround has it looked up again what is there.
func (w *worker) lookAround() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.machine = nil
}

// has reports whether something that a skill needs is there.
func (w *worker) has(n check.Need, dir string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.machine == nil {
		w.machine = &check.Machine{Home: w.provider.opts.Home, LookupEnv: w.provider.opts.LookupEnv, Hide: w.provider.opts.Hide}
	}
	return w.machine.Has(n, dir)
}

// publish writes the pages again, with what was learned since.
func (w *worker) publish() {
	p := w.provider
	p.refreshing.Lock()
	defer p.refreshing.Unlock()
	old := p.current.Load()
	p.tell(p.publish(old, old.found))
}

// look looks at the projects, and publishes what they have. What a project had before is
// kept where it has not changed.
func (p *Provider) look(stop func() bool) {
	if p.opts.Workspaces == nil {
		return
	}
	all := slices.Clone(p.opts.Workspaces.All())
	slices.SortFunc(all, func(a, b workspaces.Workspace) int { return strings.Compare(a.Name, b.Name) })
	known := make(map[string]*locate.Tree)
	p.refreshing.Lock()
	for _, pr := range p.projects {
		for i, tree := range pr.trees {
			known[pr.Folders()[i]] = tree
		}
	}
	p.refreshing.Unlock()
	projects := make([]project, 0, len(all))
	heads := make(map[string]bool)
	for _, w := range all {
		pr := project{Workspace: w}
		for _, root := range w.Folders() {
			tree, note := p.walk(w, root, known[root], stop)
			pr.trees = append(pr.trees, tree)
			if note != "" {
				pr.notes = append(pr.notes, note)
			}
			if tree != nil {
				for _, head := range tree.Watch {
					heads[head] = true
				}
			}
		}
		projects = append(projects, pr)
	}
	p.refreshing.Lock()
	defer p.refreshing.Unlock()
	p.projects, p.heads = projects, heads
	p.tell(p.refresh(nil))
}

// walk looks for the sources of a workspace in one of its folders. A folder that does not
// answer has no skills for now; the note says why.
func (p *Provider) walk(w workspaces.Workspace, root string, old *locate.Tree, stop func() bool) (tree *locate.Tree, note string) {
	info, err := fs.Probe(p.prober, root, func() (os.FileInfo, error) { return os.Lstat(root) })
	switch {
	case errors.Is(err, iofs.ErrNotExist):
		return nil, ""
	case err != nil:
		return nil, "cannot be looked into: " + check.Cause(err)
	case !info.IsDir() || p.opts.Hide != nil && p.opts.Hide(root):
		return nil, ""
	}
	tree = p.finder.Walk(filepath.Clean(root), w.Name, old, p.opts.Env.Now, stop)
	return tree, clean.Line(tree.Stopped)
}
