// Package skills shows the skills of all agents in one folder.
//
// A skill is a folder with a SKILL.md in it: front matter with name and
// description, then instructions, and beside it whatever those need
// (agentskills/agentskills). Each agent looks for them somewhere else. Here
// every one is a real folder, passed through from where it lies on disk:
// contents and execute bits as they are there, changes visible at once.
//
// Agents leave out skills without a word: those with a fault, those whose name
// another one has, those beyond a budget. Here nothing vanishes. A skill with
// a fault is shown, and INDEX.md says what is wrong with it; of skills of one
// name the first keeps it, and the others have "~" and their source added.
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

// Options are what the provider needs.
type Options struct {
	Env fs.Env
	// Home is the user's home folder.
	Home string
	// LookupEnv is os.LookupEnv.
	LookupEnv func(key string) (string, bool)
	// Hide leaves out a path, such as a mount point of ours; it may be nil.
	Hide func(path string) bool
	// Watch keeps the provider current. Without it, for a command that reads
	// once, the skills are those of the moment of New, and all files are Live.
	Watch bool
}

// Provider is the folder of skills.
type Provider struct {
	opts    Options
	sources []source
	builtin *skill
	root    *fs.Folder
	current atomic.Pointer[snapshot]

	watcher *watch.Watcher // nil where nothing is watched
	noWatch error          // why, though it should be

	refreshing sync.Mutex // held while a snapshot is made
	watched    map[string]bool
}

// New finds the skills there are; it reads folders and front matter, no more.
// What cannot be read is content and no error.
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
		p.watcher, p.noWatch = watch.New(watch.Options{Changed: p.changed, Hide: opts.Hide, Log: opts.Env.Log})
	}
	var roots []string
	for _, src := range p.sources {
		roots = append(roots, src.dir)
	}
	p.follow(roots, nil)
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

// maxNews is how many changes are told one by one; of more, only the skills
// they are in.
const maxNews = 1000

// changed is told of paths on disk.
func (p *Provider) changed(paths []string) {
	p.refreshing.Lock()
	defer p.refreshing.Unlock()
	now := p.current.Load()
	var inTree []string
	dirty, rescan := make(map[string]bool), false
	for _, path := range paths {
		holding := now.holding(path)
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

// refresh looks at the disk again and publishes what it finds. Files in dirty
// are read again even if they look the same. It returns what has changed in
// the root.
func (p *Provider) refresh(dirty map[string]bool) []string {
	old := p.current.Load()
	found := p.scan(old, dirty)
	// Links may lead to where nothing was watched while it was read.
	for range maxDepth {
		if !p.follow(found.trees, found.files) {
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

// follow watches these folders, with all below them, and these files, and
// nothing else. It tells whether any of them was not watched before.
func (p *Provider) follow(trees, files []string) (added bool) {
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

// watchFaults tells of what should be watched and is not.
func (p *Provider) watchFaults() []fault {
	if p.noWatch != nil {
		return []fault{watchFault(p.opts.Home, "", p.noWatch)}
	}
	if p.watcher == nil {
		return nil
	}
	var faults []fault
	for _, path := range slices.Sorted(maps.Keys(p.watched)) {
		err := p.watcher.Err(path)
		if err != nil && !errors.Is(err, iofs.ErrNotExist) { // that is told by the scan
			faults = append(faults, watchFault(p.opts.Home, path, err))
		}
	}
	return faults
}

// disk says how a skill's folder is passed through.
func (p *Provider) disk() fs.DiskOptions {
	opts := fs.DiskOptions{Hide: p.opts.Hide}
	if p.watcher != nil {
		opts.Watched = p.watcher.Watched
	}
	return opts
}

func (p *Provider) hidden(path string) bool { return p.opts.Hide != nil && p.opts.Hide(path) }
