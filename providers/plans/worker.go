package plans

import (
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/plans/files"
)

const (
	// patience is how long a folder may take to answer.
	patience = 2 * time.Second
	// pollPause is the time between two looks at all files: those in the folders of
	// sessions are not watched, and found then, or when a session changes.
	pollPause = time.Minute
	// readPause is that time as long as sessions are still being read.
	readPause = 500 * time.Millisecond
	// calm is the shortest time between two looks, however often something changes.
	calm = 250 * time.Millisecond
	// share is how many times as long as a look the time after it is at least.
	share = 20
	// savePause is the time between two writings of the book. What is lost is read again.
	savePause = 2 * time.Minute
	// atOnce is how long a command that reads once may take to read sessions.
	atOnce = 2 * time.Second
)

// mostPause returns how long nothing is looked for unless something has changed.
func (p *Provider) mostPause() time.Duration {
	if !p.current.Load().complete {
		return readPause
	}
	return pollPause
}

// round looks, and saves what was learned now and then.
func (p *Provider) round(context.Context) {
	begun := p.opts.Env.Now()
	p.look()
	if begun.Sub(p.saved) >= savePause {
		p.saved = begun
		p.save()
	}
}

// save writes the book. A fault that stays is reported once.
func (p *Provider) save() {
	p.looking.Lock()
	defer p.looking.Unlock()
	text := ""
	if err := p.book.save(); err != nil {
		text = err.Error()
	}
	if text != "" && text != p.unsaved {
		p.opts.Env.Log.Warn("plans of sessions are not kept, and read again at the next start", "error", text)
	}
	p.unsaved = text
}

// look looks for all plans and publishes what it has found, if anything has changed.
func (p *Provider) look() {
	p.looking.Lock()
	defer p.looking.Unlock()
	p.read = p.read || p.isRead()
	p.learn()
	m := &maker{provider: p}
	found := p.finder.User()
	watch := p.userFolders()
	state, seen := new(strings.Builder), make(map[string]bool)
	for _, w := range p.opts.Workspaces.All() {
		fmt.Fprintf(state, "%s=%s %t\n", w.Name, w.Dir, p.trusts(w.Dir))
		for _, root := range w.Folders() {
			some, err := p.inProject(root)
			if err != nil && !errors.Is(err, iofs.ErrNotExist) {
				m.notes = append(m.notes, m.tilde(root)+" cannot be looked into: "+fs.Cause(err))
			}
			seen[root] = true
			found = append(found, some...)
			if err == nil {
				watch = append(watch, projectFolders(root)...)
			}
		}
	}
	p.finder.Forget()
	maps.DeleteFunc(p.finders, func(root string, _ *files.Finder) bool { return !seen[root] })
	maps.DeleteFunc(p.known, func(root string, _ []files.Found) bool { return !seen[root] })
	p.watched.Only(watch)
	for _, f := range found {
		fmt.Fprintf(state, "%s %d %d %v %s\n", f.Path, f.ModTime.UnixNano(), len(f.Plan.Tasks), f.Err, strings.Join(f.Names, " "))
	}
	fmt.Fprintf(state, "%d %q %t", p.book.edition, m.notes, p.read)
	if p.made && p.last == state.String() {
		return
	}
	p.made, p.last = true, state.String()
	m.collect(found)
	p.show(m, p.read)
}

// isRead reports whether all sessions are read. A command that reads once takes what is
// known.
func (p *Provider) isRead() bool {
	now, cancel := context.WithCancel(p.ctx)
	cancel()
	return !p.opts.Watch || p.opts.Known(now)
}

// patienceToRead is how long a question waits for sessions to be read.
const patienceToRead = 2 * time.Second

// wait waits briefly until all sessions are read for the first time, and looks then. If
// nothing has started the provider, it does so each time.
func (p *Provider) wait(ctx context.Context) {
	if !p.opts.Watch || p.started.Load() && p.shown().complete {
		return
	}
	short, cancel := context.WithTimeout(ctx, patienceToRead)
	defer cancel()
	p.opts.Known(short)
	p.look()
}

// inProject returns what is in the files of a project, or what was, if its folder does not
// answer. Nobody else has the finder of such a folder, should it answer after all.
func (p *Provider) inProject(root string) ([]files.Found, error) {
	finder := p.finders[root]
	if finder == nil {
		finder = p.newFinder()
		p.finders[root] = finder
	}
	found, err := fs.Probe(p.prober, root, func() ([]files.Found, error) {
		defer finder.Forget()
		return finder.Project(root)
	})
	if errors.Is(err, fs.ErrNoAnswer) {
		delete(p.finders, root)
		return p.known[root], err
	}
	p.known[root] = found
	return found, err
}

// learn brings the book up to date.
func (p *Provider) learn() {
	ctx, cancel := p.ctx, context.CancelFunc(func() {})
	if !p.opts.Watch {
		ctx, cancel = context.WithTimeout(ctx, atOnce)
	}
	defer cancel()
	var all []fs.PlanPart
	for part := range p.opts.Sessions(ctx, p.book.version) {
		all = append(all, part)
	}
	p.book.learn(all, ctx.Err() == nil)
}

// show publishes what a maker has collected.
func (p *Provider) show(m *maker, complete bool) {
	next := m.snapshot(complete)
	old := p.current.Load()
	changed := next.take(old)
	if len(changed) > 0 {
		p.publish(next)
	}
	p.current.Store(next)
	if old == nil {
		return // nobody has seen anything yet
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
	root := map[string]fs.Node{indexName: fs.NewText(s.modTime, s.texts[indexName]), openName: fs.NewText(s.modTime, s.texts[openName])}
	for _, project := range s.projects {
		if p.folders[project.name] == nil {
			p.folders[project.name] = new(fs.Folder)
		}
		nodes, modTime := project.nodes(p.opts.Env.Built)
		p.folders[project.name].Replace(modTime, nodes)
		root[project.name] = p.folders[project.name]
	}
	for name := range p.folders {
		if root[name] == nil {
			delete(p.folders, name)
		}
	}
	p.root.Replace(s.modTime, root)
}

// userFolders returns the folders of the user's plans that are watched, with a slash at
// their ends: not those that have a folder for each session.
func (p *Provider) userFolders() (dirs []string) {
	m := agents.Machine{Home: p.opts.Home, OS: p.opts.OS, LookupEnv: p.opts.LookupEnv}
	for _, a := range agents.All() {
		sessions := m.Paths(a.Sessions...)
		for _, pattern := range m.Paths(slices.Concat(a.Plans.Texts.User, a.Plans.Lists.User)...) {
			before, _, _ := strings.Cut(pattern, "*")
			dir := filepath.Dir(before + "x")
			if strings.Contains(pattern, "*") && !slices.Contains(sessions, dir) {
				dirs = append(dirs, dir+"/")
			}
		}
	}
	return dirs
}

// projectFolders returns the folders of a project that have plans, with a slash at their
// ends.
func projectFolders(root string) (dirs []string) {
	for _, a := range agents.All() {
		for _, patterns := range [...][]string{a.Plans.Texts.Project, a.Plans.Lists.Project} {
			for _, pattern := range patterns {
				before, _, _ := strings.Cut(pattern, "*")
				dirs = append(dirs, filepath.Join(root, filepath.Dir(before+"x"))+"/")
			}
		}
	}
	return dirs
}
