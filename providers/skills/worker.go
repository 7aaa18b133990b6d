package skills

import (
	"context"
	"errors"
	iofs "io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/workspaces"
	"ctxfs/providers/skills/check"
	"ctxfs/providers/skills/locate"
)

const (
	// pollPause is the time between two looks at all workspaces: a new nested folder of
	// skills is found then.
	pollPause = time.Minute
	// calm is the time between two looks, however often something changes, and share how
	// many times as long as a look the time after it is at least.
	calm  = 250 * time.Millisecond
	share = 20
	// atOnce is how long a command that reads once may take to find nested folders.
	atOnce = time.Second
)

// worker looks at projects, and studies skills, in the background.
type worker struct {
	provider *Provider
	poked    chan struct{} // has an element if projects may have changed
	ctx      context.Context
	cancel   context.CancelFunc
	work     sync.WaitGroup
}

func (w *worker) init(p *Provider) {
	w.provider = p
	w.poked = make(chan struct{}, 1)
	w.ctx, w.cancel = context.WithCancel(context.Background())
}

func (w *worker) start() {
	w.work.Go(w.followProjects)
	w.poke()
}

func (w *worker) close() {
	w.cancel()
	w.work.Wait()
}

// poke reports that projects may have changed. It only enqueues.
func (w *worker) poke() {
	select {
	case w.poked <- struct{}{}:
	default:
	}
}

// followProjects looks at projects whenever something has changed, and now and then, until
// the worker is closed.
func (w *worker) followProjects() {
	for {
		timer := time.NewTimer(pollPause)
		select {
		case <-w.poked:
		case <-timer.C:
		case <-w.ctx.Done():
			timer.Stop()
			return
		}
		timer.Stop()
		begun := time.Now()
		w.provider.look(func() bool { return w.ctx.Err() != nil })
		rest := time.NewTimer(max(calm, share*time.Since(begun)))
		select {
		case <-rest.C:
		case <-w.ctx.Done():
			rest.Stop()
			return
		}
	}
}

// once does at once what the worker does in the background, for a command that reads once.
func (w *worker) once() {
	begun := time.Now()
	w.provider.look(func() bool { return w.ctx.Err() != nil || time.Since(begun) > atOnce })
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
// answer has none for now; the note says why.
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
