package workspaces

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	known "ctxfs/providers/internal/workspaces"
	"ctxfs/providers/workspaces/build"
	"ctxfs/providers/workspaces/git"
	"ctxfs/providers/workspaces/layout"
	"ctxfs/providers/workspaces/processes"
	"ctxfs/providers/workspaces/system"
)

const (
	// pause is the shortest time between two looks at one workspace, whatever happens in
	// it; and a look that took long is followed by a pause of costShare times that.
	pause     = 2 * time.Second
	costShare = 20
	// A workspace without work for the time idle rests longer, by idleFactor.
	idle       = time.Hour
	idleFactor = 30
	// systemAge is for how long the programs of the system and what is installed are not
	// looked at again, unless the project's manifests change.
	systemAge = 5 * time.Minute
	// patience is how long one look may take.
	patience = 30 * time.Second
	// answerTime is how long a folder may take to answer at all: it may lie on a network.
	answerTime = 2 * time.Second
)

// Names of pages.
const (
	gitName    = "git.md"
	agentsName = "agents.tsv"
	systemName = "system.json"
)

// look is what was seen in the folder of a workspace.
type look struct {
	git       git.State
	gitErr    error
	worktrees []worktree
	layout    layout.Layout
	layoutErr error
	build     []build.Command
	system    seenSystem
	changes   string // changes.tsv
	trusted   bool
}

// worktree is a linked worktree of the repository, in which agents or people work.
type worktree struct {
	dir string
	git git.State
	err error
}

// seenSystem is system.json as it was at a time, for a project that is built so.
type seenSystem struct {
	page  string
	lacks []string // what HERE.md says of it
	at    time.Time
	built []build.Command
	files map[string]time.Time // when what it was read of was modified
}

// isCurrent reports whether system.json need not be made again.
func (s *seenSystem) isCurrent(built []build.Command) bool {
	if time.Since(s.at) > systemAge || !slices.EqualFunc(built, s.built, func(a, b build.Command) bool { return a.String() == b.String() }) {
		return false
	}
	for path, at := range s.files {
		if !modified(path).Equal(at) {
			return false
		}
	}
	return true
}

// modified returns when a file was last modified, or zero.
func modified(path string) time.Time {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// filesOf returns the modification times of the files that describe a project's
// environment: manifests, and where their packages are.
func filesOf(s system.System, dir string) map[string]time.Time {
	files := map[string]time.Time{filepath.Join(dir, ".venv"): {}, filepath.Join(dir, "node_modules"): {}}
	for _, w := range s.Wanted {
		files[filepath.Join(dir, w.Source)] = time.Time{}
	}
	for _, d := range s.Dependencies {
		files[filepath.Join(dir, d.Manifest)] = time.Time{}
		if d.In != "" {
			files[filepath.Join(dir, d.In)] = time.Time{}
		}
	}
	for path := range files {
		files[path] = modified(path)
	}
	return files
}

// look looks at the folders of a workspace, which may never return.
func (p *Provider) look(ctx context.Context, w known.Workspace, seen seenSystem) (l look) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	dir := w.Dir
	l.git, l.gitErr = p.git.Read(ctx, dir)
	for _, dir := range w.Worktrees {
		one := worktree{dir: dir}
		one.git, one.err = p.git.Read(ctx, dir)
		l.worktrees = append(l.worktrees, one)
	}
	l.layout, l.layoutErr = p.opts.readLayout(ctx, dir, ".", 0, layoutBudget)
	l.build, _ = build.Read(dir) // that it cannot be read stands in the layout
	l.system = seen
	if !seen.isCurrent(l.build) {
		if read, err := p.system.Read(ctx, dir); err == nil { // else the look was cut short, or the folder is gone
			l.system = seenSystem{string(read.JSON()), read.Lacks(dir), time.Now(), l.build, filesOf(read, dir)}
		}
	}
	l.changes = p.changesPage(w, &l)
	l.trusted = p.opts.Trusts(dir)
	return l
}

// survey looks at the workspace and makes its pages. Those of a folder that does not
// answer stay as they are.
func (w *place) survey(ctx context.Context) {
	w.mu.Lock()
	defer w.mu.Unlock()
	begun := time.Now()
	var silent bool
	for again := true; again; {
		is, seen, trusts := w.workspace(), w.seen, w.trustings()
		var found look
		err := fs.ErrNoAnswer
		if w.p.answers(is.Dir) {
			answering := is
			answering.Worktrees = slices.DeleteFunc(slices.Clone(is.Worktrees), func(dir string) bool { return !w.p.answers(dir) })
			found, err = fs.Probe(w.p.looks, is.Dir, func() (look, error) { return w.p.look(ctx, answering, seen), nil })
		}
		if ctx.Err() != nil {
			return
		}
		silent, again = errors.Is(err, fs.ErrNoAnswer), false
		if !silent {
			w.seen = found.system
			again = !w.offerAll(is, found, trusts)
		}
	}
	if w.silent.Swap(silent) != silent {
		w.p.publish()
		w.p.opts.Env.Changed(indexName)
	}
	rest := pause
	if !silent { // what was only waited for has cost nothing
		rest = max(pause, costShare*time.Since(begun))
	}
	if w.age() > idle {
		rest = max(rest, idleFactor*pause)
	}
	w.looked.Store(time.Now().UnixNano())
	w.rested.Store(time.Now().Add(rest).UnixNano())
}

// answers reports whether a folder answers, if only with an error. One in a view of ours
// is not asked: the answer would have to come from this process.
func (p *Provider) answers(dir string) bool {
	if p.opts.Hides(dir) {
		return false
	}
	_, err := fs.Probe(p.prober, dir, func() (struct{}, error) {
		_, err := os.Stat(dir)
		return struct{}{}, err
	})
	return !errors.Is(err, fs.ErrNoAnswer)
}

// trustings returns how often it was said whether the project is trusted.
func (w *place) trustings() int {
	w.showing.Lock()
	defer w.showing.Unlock()
	return w.trusts
}

// answered has a folder looked at again that has not answered in time.
func (p *Provider) answered(dir string) {
	if w := p.placeOf(dir); w != nil {
		p.again(w)
	}
}

// offerAll makes the pages of what was seen. It reports false, and shows none, if it was
// said meanwhile whether the project is trusted: trusts is how often that was said before.
func (w *place) offerAll(is known.Workspace, seen look, trusts int) bool {
	f := herePage{workspace: is, home: w.p.opts.Home, notes: w.box.All(), look: seen}
	w.p.mu.Lock()
	f.running = w.p.running[is.Name]
	w.p.mu.Unlock()
	f.remarks = w.p.remarks(is)
	here := f.page()
	w.showing.Lock()
	defer w.showing.Unlock()
	if w.trusts != trusts {
		return false
	}
	w.heard.Store(&heard{f.remarks, seen.trusted})
	w.trusted = seen.trusted
	w.offer(gitName, f.gitPage(), f.newest())
	w.offer(agentsName, f.agentsPage(), f.newest())
	w.offer(changesName, seen.changes, f.newest())
	w.offer(processesName, processes.TSV(f.running), f.newest())
	w.offer(systemName, seen.system.page, f.newest())
	w.offer(layoutName, f.layoutPage(), f.newest())
	w.offer(hereName, here, f.newest())
	return true
}

// gitPage returns git.md; "" for a folder of no repository.
func (f *herePage) gitPage() string {
	switch {
	case errors.Is(f.look.gitErr, git.ErrNone):
		return ""
	case f.look.gitErr != nil:
		return "# git\n\nThe repository could not be read: " + clean.Line(f.look.gitErr.Error()) + "\n"
	}
	var b strings.Builder
	b.WriteString(f.look.git.Page())
	for _, w := range f.look.worktrees {
		if w.err != nil { // it is gone, and listed above as not there
			continue
		}
		w.git.Stashes, w.git.Worktrees = nil, nil // which all worktrees share
		page := strings.TrimPrefix(w.git.Page(), "# git\n")
		fmt.Fprintf(&b, "\n# Worktree %s\n%s", clean.Path(wording.Tilde(w.dir, f.home), maxRemark), page)
	}
	return b.String()
}

// layoutPage returns layout.txt.
func (f *herePage) layoutPage() string {
	if f.look.layoutErr != nil {
		return f.workspace.Dir + ": " + clean.Line(f.look.layoutErr.Error()) + "\n"
	}
	return f.look.layout.Text
}

// agentsPage returns agents.tsv: a line of names, then a line for each session that is
// alive, the one that was heard of last first.
func (f *herePage) agentsPage() string {
	var b strings.Builder
	b.WriteString("agent\tsession\tlast\tdoing\tfile\ttranscript\n")
	for _, r := range f.about(facts.TopicAgents) {
		cells := append(slices.Clone(r.Cells), path.Join("..", "..", r.Path, "transcript.md"))
		for i, cell := range cells {
			cells[i] = cmp.Or(clean.Line(cell), "-")
		}
		b.WriteString(strings.Join(cells, "\t") + "\n")
	}
	return b.String()
}
