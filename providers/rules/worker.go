package rules

import (
	"context"
	"errors"
	iofs "io/fs"
	"maps"
	"os"
	"path/filepath"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/shelf"
	"ctxfs/providers/internal/workspaces"
	"ctxfs/providers/rules/locate"
)

// atOnce is how long a command that reads once may take to find nested rules.
const atOnce = time.Second

// noticed looks again if one of the paths that have changed in workspaces may be a rule, or
// is a folder that may have some: there is no watch of our own in most folders.
func (p *Provider) noticed(paths []string) {
	heads := *p.heads.Load()
	for _, path := range paths {
		if heads[filepath.Base(path)] || isFolder(path) {
			p.Poke()
			return
		}
	}
}

func isFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// look looks for all rules; for those of workspaces only if they are wanted.
func (p *Provider) look(ctx context.Context) shelf.View {
	whole := p.whole.Load()
	m := &maker{provider: p, home: p.opts.Home}
	places, faults := p.finder.User("")
	m.user(places, faults)
	paths := p.finder.UserPaths()
	if whole {
		stop := p.stopper(ctx)
		trees := make(map[string]*locate.Tree)
		for _, w := range p.opts.Workspaces.All() {
			paths = append(paths, p.workspace(m, w, trees, stop)...)
		}
		p.trees = trees
		heads := make(map[string]bool)
		for _, tree := range trees {
			maps.Copy(heads, tree.Heads)
		}
		p.heads.Store(&heads)
	}
	p.finder.Forget()
	next := m.snapshot(whole)
	p.current.Store(next)
	pages := append(next.pages, shelf.Page{Path: forName, Node: p.pages})
	return shelf.View{Pages: pages, Watch: paths, Status: next.statusOf(p.opts.Watch), Partial: !whole}
}

// stopper returns what ends a walk early.
func (p *Provider) stopper(ctx context.Context) func() bool {
	begun := p.opts.Env.Now()
	return func() bool {
		return ctx.Err() != nil || !p.opts.Watch && p.opts.Env.Now().Sub(begun) > atOnce
	}
}

// workspace looks for the rules of one workspace, and returns what to watch there. A
// folder that does not answer has no rules for now.
func (p *Provider) workspace(m *maker, w workspaces.Workspace, trees map[string]*locate.Tree, stop func() bool) (paths []string) {
	var found []*locate.Tree
	for _, root := range w.Folders() {
		info, err := fs.Probe(p.prober, root, func() (os.FileInfo, error) { return os.Lstat(root) })
		if err != nil || !info.IsDir() {
			if err != nil && !errors.Is(err, iofs.ErrNotExist) {
				m.fault(w, root, err)
			}
			found = append(found, nil)
			continue
		}
		tree := p.finder.Walk(root, p.trees[root], p.opts.Env.Now, stop)
		trees[root] = tree
		found = append(found, tree)
		paths = append(paths, tree.Watch...)
	}
	m.workspace(w, found)
	return paths
}
