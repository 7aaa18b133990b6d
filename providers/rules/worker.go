package rules

import (
	"errors"
	iofs "io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/watch"
	"ctxfs/providers/internal/workspaces"
	"ctxfs/providers/rules/locate"
)

const (
	// calm is the time between two looks, however often something changes, and share how
	// many times as long as a look the time after it is at least.
	calm  = 250 * time.Millisecond
	share = 20
	// atOnce is how long a command that reads once may take to find nested rules.
	atOnce = time.Second
	// unwatched is the time between two looks where not everything can be watched.
	unwatched = 10 * time.Second
)

// poke reports that something has changed. It only enqueues.
func (p *Provider) poke() {
	select {
	case p.poked <- struct{}{}:
	default:
	}
}

// noticed looks again if one of the paths that have changed in workspaces may be a rule, or
// is a folder that may have some: there is no watch of our own in most folders.
func (p *Provider) noticed(paths []string) {
	heads := *p.heads.Load()
	for _, path := range paths {
		if heads[filepath.Base(path)] || isFolder(path) {
			p.poke()
			return
		}
	}
}

func isFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// run looks again whenever something has changed, and now and then, until Close.
func (p *Provider) run() {
	for {
		wait := p.pause
		if p.watchFault() != nil {
			wait = min(wait, unwatched)
		}
		timer := time.NewTimer(wait)
		select {
		case <-p.poked:
		case <-timer.C:
		case <-p.ctx.Done():
			timer.Stop()
			return
		}
		timer.Stop()
		begun := time.Now()
		p.look(true)
		rest := time.NewTimer(max(calm, share*time.Since(begun)))
		select {
		case <-rest.C:
		case <-p.ctx.Done():
			rest.Stop()
			return
		}
	}
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
	p.watch(paths)
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

// watch watches these files, and these folders, which end with a slash, with all below
// them, and nothing else.
func (p *Provider) watch(paths []string) {
	if p.watcher == nil {
		return
	}
	wanted := make(map[string]bool, len(paths))
	for _, path := range paths {
		wanted[path] = true
	}
	for path := range p.watched {
		if !wanted[path] {
			p.watcher.Remove(strings.TrimSuffix(path, "/"))
		}
	}
	for path := range wanted {
		switch dir, isDir := strings.CutSuffix(path, "/"); {
		case p.watched[path]:
		case isDir:
			p.watcher.Add(dir)
		default:
			p.watcher.AddFile(path)
		}
	}
	p.watched = wanted
}

// watchFault returns why not everything is watched, or nil.
func (p *Provider) watchFault() *fs.Problem {
	err := p.watchErr
	if p.watcher != nil {
		for _, path := range slices.Sorted(maps.Keys(p.watched)) {
			if e := p.watcher.Err(strings.TrimSuffix(path, "/")); e != nil && !errors.Is(e, iofs.ErrNotExist) && !errors.Is(e, iofs.ErrPermission) {
				err = e
				break
			}
		}
	}
	if err == nil {
		return nil
	}
	fix := watch.Fix(err)
	if fix == "" {
		fix = "nothing: they are looked for again and again"
	}
	return &fs.Problem{
		What: clean.Line("changes of rules are noticed only after up to " + wording.Seconds(unwatched) + ": " + wording.Cause(err).Error()),
		Mend: fix,
	}
}
