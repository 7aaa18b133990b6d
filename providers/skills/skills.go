// Package skills shows the skills of all agents in one folder, and the commands and
// subagents that can be followed like skills.
//
// A skill is a folder with a SKILL.md in it: front matter with name and description, then
// instructions, and beside it the files that those need (agentskills/agentskills). Each
// agent looks for them in folders of its own, in plugins, and in projects. Here each one is
// a real folder, passed through from disk: contents and execute bits as on disk, changes
// visible at once. A command or subagent is a folder with its file, and a SKILL.md that
// says what it is.
//
// Agents drop skills silently: those with a fault, those with the name of another, those
// beyond a budget. Here nothing is dropped. A skill with a fault is shown, and INDEX.md
// says what is wrong with it; if several skills have one name, the first keeps it, and the
// others have "~" and their source added. The folder is the same for all projects, so a
// project's skill never takes the name of one of the user's; which of them an agent prefers
// stands in INDEX.tsv. Skills of projects are marked as long as the user has not trusted
// the project (package trust).
//
// The order of the parts: package read reads one file, package locate finds them all,
// package check tells what is wrong with one, what makes it suspicious, and what it needs.
// Here skill.go and definition.go are one skill with its name, node and document,
// snapshot.go is all that is shown at one moment, index.go writes its pages, worker.go
// looks at projects and studies skills in the background, and the provider publishes
// snapshots (skills.go).
//
// Folders of skills are passed through and not linked: a link leads out of the mount,
// where sandboxes refuse it and rg does not follow.
package skills

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/host"
	"ctxfs/providers/internal/ignore"
	"ctxfs/providers/internal/shelf"
	"ctxfs/providers/internal/trust"
	"ctxfs/providers/internal/watch"
	"ctxfs/providers/internal/workspaces"
	"ctxfs/providers/skills/check"
	"ctxfs/providers/skills/locate"
	"ctxfs/providers/skills/read"
)

// Options are the settings of a provider.
type Options struct {
	host.Host
	// Workspaces are where skills of projects are; it may be nil.
	Workspaces *workspaces.Set
	Trust      *trust.Store
}

// Provider is the folder of skills.
type Provider struct {
	opts    Options
	finder  *locate.Finder
	own     []locate.Source
	builtin *skill
	prober  *fs.Prober
	studies *check.Store
	shelf   *shelf.Shelf
	current atomic.Pointer[snapshot]
	first   sync.Once // projects are looked at
	second  sync.Once // skills are studied

	watcher *watch.Watcher // nil where nothing is watched

	refreshing sync.Mutex // held while a snapshot is made
	watched    map[string]bool
	projects   []project
	heads      map[string]bool // the folders of projects that may appear

	worker worker
}

// project is a workspace in which skills were looked for.
type project struct {
	workspaces.Workspace
	trees []*locate.Tree // of its folders
	notes []string       // about what could not be looked into
}

// New finds the user's skills; it reads only folders and front matter. What cannot be read
// is reported in the tree and by Status, not as an error.
func New(opts Options) *Provider {
	opts.Env = opts.Env.WithDocuments()
	machine := agents.Machine{Home: opts.Home, LookupEnv: opts.LookupEnv} // of any system
	p := &Provider{
		opts: opts, builtin: newBuiltin(opts.Env.Built), prober: fs.NewProber(patience), watched: make(map[string]bool),
		finder: locate.New(locate.Options{
			Machine: machine, Hide: opts.Hide, GitIgnore: ignore.User(opts.Home, machine.Path("${XDG_CONFIG_HOME:-~/.config}")),
		}),
	}
	file := ""
	if opts.Cache != "" {
		file = filepath.Join(opts.Cache, "studied.jsonl")
	}
	p.studies = check.Open(file)
	p.own = p.finder.Own()
	p.shelf = shelf.New(opts.Env, shelf.Options{Look: p.view, Ready: func() { p.studied() }, Index: indexName})
	p.worker.init(p)
	p.current.Store(new(snapshot))
	p.refreshing.Lock()
	defer p.refreshing.Unlock()
	if opts.Watch {
		p.watcher = watch.New(watch.Options{Changed: p.changed, Hide: opts.Hide, MaxDirs: locate.MaxFolders, Log: opts.Env.Log})
	}
	// What is watched before it is read need not be read again.
	plugins, watch := p.finder.Plugins()
	trees, files := split(watch)
	for _, src := range slices.Concat(p.own, plugins) {
		trees = append(trees, src.Dir)
	}
	p.watchOnly(trees, files)
	p.refresh(nil)
	if opts.Trust != nil {
		opts.Trust.Notify(func(string, bool) { p.worker.projects.Poke() })
	}
	return p
}

// Root implements fs.Provider.
func (p *Provider) Root() fs.Dir { return p.shelf.Root() }

// Roots implements fs.Rooted.
func (p *Provider) Roots() []string { return slices.Clone(p.current.Load().roots) }

// Status implements fs.Provider.
func (p *Provider) Status() fs.Status { return p.shelf.Status() }

// Documents implements fs.Documented: one for everything that is shown.
func (p *Provider) Documents(string) iter.Seq[fs.Document] { return documents(p.shown().skills) }

// Brief implements facts.Briefer: the skills of the workspace that has the folder, by name.
func (p *Provider) Brief(dir string) []facts.Remark {
	return p.shown().brief(filepath.Clean(dir), func(dir string) bool { return p.opts.Trust != nil && p.opts.Trust.Trusts(dir) })
}

// Refresh implements facts.Overview.
func (p *Provider) Refresh() { p.worker.projects.Poke() }

// Start implements fs.Starter.
func (p *Provider) Start() {
	if p.opts.Watch {
		p.worker.start()
	}
}

// Settled implements fs.Settler.
func (p *Provider) Settled(ctx context.Context) error {
	return cmp.Or(p.watcher.Settled(ctx), p.worker.settled(ctx))
}

// Close implements fs.Provider.
func (p *Provider) Close() error {
	p.worker.close()
	return p.watcher.Close()
}

// shown returns what is shown now. Without a watch the first call looks at projects.
func (p *Provider) shown() *snapshot {
	if !p.opts.Watch {
		p.first.Do(p.worker.once)
	}
	return p.current.Load()
}

// studied returns what is shown, with what there is to learn of the files of skills.
// Without a watch the first call reads them, as far as there is time.
func (p *Provider) studied() *snapshot {
	p.shown()
	if !p.opts.Watch {
		p.second.Do(func() { p.worker.studyAll(p.worker.late(), func() {}) })
	}
	return p.current.Load()
}

// maxNews is how many changes are reported one by one; if there are more, only their
// skills are.
const maxNews = 1000

// changed is called by the watcher with paths on disk that have changed.
func (p *Provider) changed(paths []string) {
	p.refreshing.Lock()
	defer p.refreshing.Unlock()
	now := p.current.Load()
	var inTree []string
	dirty, rescan := make(map[string]bool), false
	for _, path := range paths {
		if p.heads[path] {
			p.worker.projects.Poke()
		}
		holding := now.containing(path)
		rescan = rescan || len(holding) == 0 // a root, a group, something new
		for _, s := range holding {
			p.worker.changed(key(s.Found))
			if s.Path == "" {
				inTree = append(inTree, filepath.Join(s.name, s.original()))
				dirty[path], rescan = true, true
				continue
			}
			inside, err := filepath.Rel(s.Path, path)
			if err != nil {
				continue
			}
			inTree = append(inTree, filepath.Join(s.name, inside))
			if inside == "." || s.File == "" || read.IsSkillFile(inside) {
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
		p.worker.studies.Poke()
	}
	p.tell(inTree)
}

// tell reports that paths in the tree have changed.
func (p *Provider) tell(paths []string) {
	slices.Sort(paths)
	for _, path := range slices.Compact(paths) {
		p.opts.Env.Changed(path)
	}
}

// refresh searches again and publishes what it finds. Files in dirty are read again even
// if they look the same. It returns the paths in the tree that changed.
func (p *Provider) refresh(dirty map[string]bool) []string {
	old := p.current.Load()
	found := p.scan(old, dirty)
	// Links may lead to folders that were not watched while they were read.
	for range maxRounds {
		if !p.watchOnly(found.Trees, found.Files) {
			break
		}
		found = p.scan(old, dirty)
	}
	return p.publish(old, found)
}

// maxRounds is how often links are followed to folders that were not watched before.
const maxRounds = 4

// scanned is what a search of all sources has found.
type scanned struct {
	*locate.Scan
	builtin int // where in it the built-in skill comes
}

// scan searches all sources, in order of precedence: the skills of the user, of the
// system and of plugins; their commands and subagents; then what projects have, so that it
// takes no name of another.
func (p *Provider) scan(old *snapshot, dirty map[string]bool) scanned {
	s := p.finder.Scan(func(path string) *locate.Found {
		if sk := old.byPath[path]; sk != nil {
			return sk.Found
		}
		return nil
	}, func(path string) bool { return dirty[path] })
	plugins, watch := p.finder.Plugins()
	all := slices.Concat(p.own, plugins)
	for i := range all {
		if all[i].Kind == read.Skill {
			s.Source(&all[i])
		}
	}
	found := scanned{s, len(s.Found)}
	for i := range all {
		if all[i].Kind != read.Skill {
			s.Source(&all[i])
		}
	}
	for _, pr := range p.projects {
		p.scanProject(s, pr)
	}
	trees, files := split(watch)
	s.Trees, s.Files = append(s.Trees, trees...), append(s.Files, files...)
	s.Files = slices.AppendSeq(s.Files, maps.Keys(p.heads))
	return found
}

// split tells the folders of plugins from the files that name them.
func split(watch []string) (trees, files []string) {
	for _, path := range watch {
		if filepath.Ext(path) == "" {
			trees = append(trees, path)
		} else {
			files = append(files, path)
		}
	}
	return trees, files
}

// scanProject searches a project. What a worktree has just as its repository's folder has
// it is found once.
func (p *Provider) scanProject(s *locate.Scan, pr project) {
	seen := make(map[string]uint64)
	for i, tree := range pr.trees {
		if tree == nil {
			continue
		}
		before := len(s.Found)
		for j := range tree.Sources {
			s.Source(&tree.Sources[j])
		}
		root := pr.Folders()[i]
		kept := s.Found[:before]
		for _, f := range s.Found[before:] {
			rel, _ := filepath.Rel(root, f.Shown)
			if sum, known := seen[rel]; i > 0 && known && sum == f.Card.Sum && f.Card.Info != nil {
				continue
			}
			seen[rel] = f.Card.Sum
			kept = append(kept, f)
		}
		s.Found = kept
	}
}

// publish shows what was found. It returns the paths in the tree that have changed besides.
func (p *Provider) publish(old *snapshot, found scanned) []string {
	next := p.snapshot(old, found)
	p.current.Store(next)
	p.shelf.Look()
	return next.rewritten
}

// view returns the current snapshot.
func (p *Provider) view(context.Context) shelf.View {
	s := p.current.Load()
	pages := append(slices.Clip(s.pages), shelf.Page{Path: ignoreName, Body: []byte(ignoreText)})
	for _, sk := range s.skills {
		pages = append(pages, shelf.Page{Path: sk.name, Node: sk.node})
	}
	return shelf.View{Pages: pages, Status: s.status}
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

// disk returns how the folders of skills are passed through.
func (p *Provider) disk() fs.DiskOptions {
	opts := fs.DiskOptions{Hide: p.opts.Hide}
	if p.watcher != nil {
		opts.Watched = p.watcher.Watched
	}
	return opts
}
