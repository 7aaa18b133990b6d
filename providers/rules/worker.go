package rules

import (
	"errors"
	iofs "io/fs"
	"maps"
	"os"
	"path/filepath"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/workspaces"
	"ctxfs/providers/rules/locate"
)

const (
	// calm is the shortest time between two looks, however often something changes.
	calm = 250 * time.Millisecond
	// share is how many times as long as a look the time after it is at least.
	share = 20
	// atOnce is how long a command that reads once may take to find nested rules.
	atOnce = time.Second
	// unwatched is the time between two looks where not everything can be watched.
	unwatched = 10 * time.Second
)

// noticed looks again if one of the paths that have changed in workspaces may be a rule, or
// is a folder that may have some: there is no watch of our own in most folders.
func (p *Provider) noticed(paths []string) {
	heads := *p.heads.Load()
	for _, path := range paths {
		if heads[filepath.Base(path)] || isFolder(path) {
			p.worker.Poke()
			return
		}
	}
}

func isFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// mostPause returns how long nothing is looked for unless something has changed.
func (p *Provider) mostPause() time.Duration {
	if p.watchFault() != nil {
		return unwatched
	}
	return pollPause
}

// look looks for all rules, those of workspaces if that is wanted, and publishes what it
// has found.
func (p *Provider) look(all bool) {
	p.looking.Lock()
	defer p.looking.Unlock()
	m := &maker{provider: p, home: p.opts.Home}
	places, faults := p.finder.User("")
	m.user(places, faults)
	paths := p.finder.UserPaths()
	if all {
		stop := p.stopper()
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
	p.watched.Only(paths)
	next := m.snapshot(all, p.watchFault())
	old := p.current.Load()
	changed := next.take(old)
	p.current.Store(next)
	if len(changed) > 0 {
		p.publish(next)
	}
	for _, path := range changed {
		p.opts.Env.Changed(path)
	}
	if len(changed) == 0 && next.complete != old.complete {
		p.opts.Env.Changed(indexName) // the status has changed
	}
}

// publish puts what is shown into the folders, which stay the same nodes.
func (p *Provider) publish(s *snapshot) {
	root := map[string]fs.Node{indexName: s.indexNode, forName: p.root.pages}
	for _, sec := range s.sections {
		if len(sec.nodes) == 0 {
			continue
		}
		if p.folders[sec.name] == nil {
			p.folders[sec.name] = new(fs.Folder)
		}
		p.folders[sec.name].Replace(sec.modTime, sec.nodes)
		root[sec.name] = p.folders[sec.name]
	}
	for name := range p.folders {
		if root[name] == nil {
			delete(p.folders, name)
		}
	}
	p.root.Replace(s.modTime, root)
}

// stopper returns what ends a walk early.
func (p *Provider) stopper() func() bool {
	begun := time.Now()
	return func() bool {
		return p.ctx.Err() != nil || !p.opts.Watch && time.Since(begun) > atOnce
	}
}

// workspace looks for the rules of one workspace, and returns what to watch there. A
// folder that does not answer has none for now.
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

// watchFault returns why not everything is watched, or nil.
func (p *Provider) watchFault() *fs.Problem { return p.watched.Problem("changes of rules", unwatched) }
