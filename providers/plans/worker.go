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
	"ctxfs/providers/internal/shelf"
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
	// savePause is the time between two writings of the book. What is lost is read again.
	savePause = 2 * time.Minute
	// atOnce is how long a command that reads once may take to read sessions.
	atOnce = 2 * time.Second
)

// look looks for all plans. Before they are wanted it returns the empty pages.
func (p *Provider) look(ctx context.Context) shelf.View {
	p.looking.Lock()
	defer p.looking.Unlock()
	m := &maker{provider: p}
	if !p.whole.Load() {
		return p.show(m, nil)
	}
	if now := p.opts.Env.Now(); p.opts.Watch && now.Sub(p.saved) >= savePause {
		p.saved = now
		defer p.book.Keep(p.opts.Env.Log)
	}
	p.read = p.read || p.isRead()
	p.learn(ctx)
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
	for _, f := range found {
		fmt.Fprintf(state, "%s %d %d %v %s\n", f.Path, f.ModTime.UnixNano(), len(f.Plan.Tasks), f.Err, strings.Join(f.Names, " "))
	}
	fmt.Fprintf(state, "%d %q %t", p.edition, m.notes, p.read)
	if p.last == state.String() {
		return p.view
	}
	p.last = state.String()
	m.collect(found)
	return p.show(m, watch)
}

// isRead reports whether all sessions are read. A command that reads once takes what is
// known.
func (p *Provider) isRead() bool {
	now, cancel := context.WithCancel(context.Background())
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
	p.Look()
}

// inProject returns what is in the files of a project, or what was, if its folder does not
// answer. Only the abandoned call keeps the finder of such a folder, should it answer
// after all.
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
func (p *Provider) learn(ctx context.Context) {
	if !p.opts.Watch {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, atOnce)
		defer cancel()
	}
	if p.book.Refresh(ctx, p.opts.Sessions) {
		p.edition++
	}
}

// show returns the view of what a maker has collected, and these paths to watch.
func (p *Provider) show(m *maker, watch []string) shelf.View {
	next := m.snapshot(p.read)
	p.current.Store(next)
	p.view = shelf.View{Pages: next.pages, Watch: watch, Status: next.statusOf(p.opts.Watch), Partial: !p.read}
	if !p.read {
		p.view.Again = readPause
	}
	return p.view
}

// userFolders returns the folders of the user's plans that are watched, with a slash at
// their ends: not those that have a folder for each session.
func (p *Provider) userFolders() (dirs []string) {
	for _, a := range agents.All() {
		sessions := p.opts.Paths(a.Sessions...)
		for _, pattern := range p.opts.Paths(slices.Concat(a.Plans.Texts.User, a.Plans.Lists.User)...) {
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
		for _, pattern := range slices.Concat(a.Plans.Texts.Project, a.Plans.Lists.Project) {
			before, _, _ := strings.Cut(pattern, "*")
			dirs = append(dirs, filepath.Join(root, filepath.Dir(before+"x"))+"/")
		}
	}
	return dirs
}
