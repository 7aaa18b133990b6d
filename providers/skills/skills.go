// Package skills shows the skills of all agents in one folder.
//
// A skill is a folder with a SKILL.md in it: front matter with name and
// description, then instructions, and beside it the files that those need
// (agentskills/agentskills). Each agent looks for them in folders of its own. Here
// each one is a real folder, passed through from disk: contents and execute bits as
// on disk, changes visible at once.
//
// Agents drop skills silently: those with a fault, those with the name of another,
// those beyond a budget. Here nothing is dropped. A skill with a fault is shown,
// and INDEX.md says what is wrong with it; if several skills have one name, the
// first keeps it, and the others have "~" and their source added.
//
// The order of the parts: scan.go searches the folders of all agents (package
// agents has them), card.go reads the front matter, skill.go is one skill with its
// name, node, and document, snapshot.go is all that is shown at one moment, and the
// provider publishes snapshots (skills.go). The source of the format is
// agentskills/agentskills.
package skills

import (
	"cmp"
	"errors"
	iofs "io/fs"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"ctxfs/fs"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/watch"
)

// Options are the settings of a provider.
type Options struct {
	Env fs.Env
	// Home is the user's home folder.
	Home string
	// LookupEnv is os.LookupEnv.
	LookupEnv func(key string) (string, bool)
	// Hide reports whether a path is to be left out, such as one of our own mounts; it
	// may be nil.
	Hide func(path string) bool
	// Watch keeps the provider current. Without it, for a command that reads once,
	// the skills are those at the time of New, and all files are Live.
	Watch bool
}

// Provider is the folder of skills.
type Provider struct {
	opts    Options
	sources []source
	builtin *skill
	root    *fs.Folder
	current atomic.Pointer[snapshot]

	watcher  *watch.Watcher // nil where nothing is watched
	watchErr error          // why, though it should be

	refreshing sync.Mutex // held while a snapshot is made
	watched    map[string]bool
}

// New finds the skills; it reads only folders and front matter. What cannot be read
// is reported in the tree and by Status, not as an error.
func New(opts Options) *Provider {
	opts.Env = opts.Env.WithDocuments()
	p := &Provider{
		opts: opts, sources: sources(agents.Machine{Home: opts.Home, LookupEnv: opts.LookupEnv}), builtin: newBuiltin(opts.Env.Built),
		root: new(fs.Folder), watched: make(map[string]bool),
	}
	p.current.Store(new(snapshot))
	p.refreshing.Lock()
	defer p.refreshing.Unlock()
	if opts.Watch {
		p.watcher, p.watchErr = watch.New(watch.Options{Changed: p.changed, Hide: opts.Hide, Log: opts.Env.Log})
	}
	var roots []string
	for _, src := range p.sources {
		roots = append(roots, src.dir)
	}
	p.watchOnly(roots, nil)
	p.refresh(nil)
	return p
}

// Root implements fs.Provider.
func (p *Provider) Root() fs.Dir { return p.root }

// Roots implements fs.Rooted.
func (p *Provider) Roots() []string { return slices.Clone(p.current.Load().roots) }

// Status implements fs.Provider.
func (p *Provider) Status() fs.Status {
	s := p.current.Load().status
	s.Problems, s.Items = slices.Clone(s.Problems), slices.Clone(s.Items)
	return s
}

// Documents implements fs.Documented: one for every SKILL.md.
func (p *Provider) Documents(string) iter.Seq[fs.Document] {
	return documents(p.current.Load().skills)
}

// Close implements fs.Provider.
func (p *Provider) Close() error {
	if p.watcher == nil {
		return nil
	}
	return p.watcher.Close()
}

// maxNews is how many changes are reported one by one; if there are more, only
// their skills are.
const maxNews = 1000

// changed is called by the watcher with paths on disk that have changed.
func (p *Provider) changed(paths []string) {
	p.refreshing.Lock()
	defer p.refreshing.Unlock()
	now := p.current.Load()
	var inTree []string
	dirty, rescan := make(map[string]bool), false
	for _, path := range paths {
		holding := now.containing(path)
		rescan = rescan || len(holding) == 0 // a root, a group, something new
		for _, s := range holding {
			inside, err := filepath.Rel(s.path, path)
			if err != nil {
				continue
			}
			inTree = append(inTree, filepath.Join(s.name, inside))
			if inside == "." || s.file == "" || isSkillFile(inside) {
				dirty[path], rescan = true, true
			}
		}
	}
	if len(inTree) > maxNews {
		for i, path := range inTree {
			inTree[i], _, _ = strings.Cut(path, "/")
		}
	}
	if rescan {
		inTree = append(inTree, p.refresh(dirty)...)
	}
	slices.Sort(inTree)
	for _, path := range slices.Compact(inTree) {
		p.opts.Env.Changed(path)
	}
}

// refresh searches again and publishes what it finds. Files in dirty are read again
// even if they look the same. It returns the names in the root that changed.
func (p *Provider) refresh(dirty map[string]bool) []string {
	old := p.current.Load()
	found := p.scan(old, dirty)
	// Links may lead to folders that were not watched while they were read.
	for range maxDepth {
		if !p.watchOnly(found.trees, found.files) {
			break
		}
		found = p.scan(old, dirty)
	}
	next := p.snapshot(old, found)
	changed := next.differences(old)
	p.current.Store(next)
	if len(changed) > 0 {
		p.root.Replace(cmp.Or(next.modTime, next.built), next.nodes())
	}
	return changed
}

// watchOnly watches these folders, with all below them, and these files, and nothing
// else. It reports whether any of them was not watched before.
func (p *Provider) watchOnly(trees, files []string) (added bool) {
	if p.watcher == nil {
		return false
	}
	wanted := make(map[string]bool)
	for _, path := range slices.Concat(trees, files) {
		wanted[path] = true
		added = added || !p.watched[path]
	}
	for path := range p.watched {
		if !wanted[path] {
			p.watcher.Remove(path)
		}
	}
	for _, path := range trees {
		p.watcher.Add(path)
	}
	for _, path := range files {
		p.watcher.AddFile(path)
	}
	p.watched = wanted
	return added
}

// watchFaults returns the faults of what should be watched and is not.
func (p *Provider) watchFaults() []fault {
	if p.watchErr != nil {
		return []fault{watchFault(p.opts.Home, "", p.watchErr)}
	}
	if p.watcher == nil {
		return nil
	}
	var faults []fault
	for _, path := range slices.Sorted(maps.Keys(p.watched)) {
		err := p.watcher.Err(path)
		if err != nil && !errors.Is(err, iofs.ErrNotExist) { // the scan reports that
			faults = append(faults, watchFault(p.opts.Home, path, err))
		}
	}
	return faults
}

// disk returns how the folders of skills are passed through.
func (p *Provider) disk() fs.DiskOptions {
	opts := fs.DiskOptions{Hide: p.opts.Hide}
	if p.watcher != nil {
		opts.Watched = p.watcher.Watched
	}
	return opts
}

func (p *Provider) hidden(path string) bool { return p.opts.Hide != nil && p.opts.Hide(path) }
