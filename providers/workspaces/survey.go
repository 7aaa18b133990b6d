package workspaces

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/workspaces/build"
	"ctxfs/providers/workspaces/git"
	"ctxfs/providers/workspaces/layout"
	"ctxfs/providers/workspaces/processes"
)

const (
	// pause is the shortest time between two looks at one workspace, whatever happens in
	// it; and a look that took long is followed by a pause of costShare times that.
	pause     = 2 * time.Second
	costShare = 20
	// A workspace in which nobody has worked for the time idle rests longer, by idleFactor.
	idle       = time.Hour
	idleFactor = 30
	// systemAge is for how long the programs of the system and what is installed are not
	// looked at again, unless the project's manifests change.
	systemAge = 5 * time.Minute
	// patience is how long one look may take.
	patience = 30 * time.Second
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
	build     build.Project
	system    string // system.json
	trusted   bool
}

// worktree is a linked worktree of the repository in which somebody works.
type worktree struct {
	dir string
	git git.State
	err error
}

// look looks at the folder of the workspace.
func (w *place) look(ctx context.Context) (l look) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	dir := w.workspace().Dir
	l.git, l.gitErr = w.p.git.Read(ctx, dir)
	for _, dir := range w.workspace().Worktrees {
		one := worktree{dir: dir}
		one.git, one.err = w.p.git.Read(ctx, dir)
		l.worktrees = append(l.worktrees, one)
	}
	l.layout, l.layoutErr = w.readLayout(ctx, ".", 0, layoutBudget)
	l.build, _ = build.Read(dir) // that it cannot be read stands in the layout
	if time.Since(w.systemAt) > systemAge || !slices.EqualFunc(l.build.Commands, w.systemFor.Commands, func(a, b build.Command) bool { return a.String() == b.String() }) {
		if read, err := w.p.system.Read(ctx, dir); err == nil { // else the look was cut short, or the folder is gone
			w.system, w.systemAt, w.systemFor = string(read.JSON()), time.Now(), l.build
		}
	}
	l.system = w.system
	l.trusted = w.p.opts.Trusts(dir)
	return l
}

// survey looks at the workspace and makes its pages.
func (w *place) survey(ctx context.Context) {
	w.mu.Lock()
	defer w.mu.Unlock()
	is := w.workspace()
	begun := time.Now()
	facts := facts{workspace: is, home: w.p.opts.Home, notes: w.box.All(), look: w.look(ctx)}
	w.p.mu.Lock()
	facts.running = w.p.running[is.Name]
	w.p.mu.Unlock()
	for _, dir := range is.Folders() {
		facts.remarks = append(facts.remarks, w.p.opts.Brief(dir)...)
	}
	if ctx.Err() != nil {
		return
	}
	w.offer(gitName, facts.gitPage(), facts.newest())
	w.offer(agentsName, facts.agentsPage(), facts.newest())
	w.offer(processesName, processes.TSV(facts.running), facts.newest())
	w.offer(systemName, facts.look.system, facts.newest())
	w.offer(layoutName, facts.layoutPage(), facts.newest())
	w.offer(hereName, facts.page(), facts.newest())
	rest := max(w.p.opts.Pause, costShare*time.Since(begun))
	if w.p.opts.Env.Now().Sub(is.Time) > idle {
		rest = max(rest, idleFactor*w.p.opts.Pause)
	}
	w.rested.Store(time.Now().Add(rest).UnixNano())
}

// gitPage returns git.md; "" for a folder of no repository.
func (f *facts) gitPage() string {
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
func (f *facts) layoutPage() string {
	if f.look.layoutErr != nil {
		return f.workspace.Dir + ": " + clean.Line(f.look.layoutErr.Error()) + "\n"
	}
	return f.look.layout.Text
}

// agentsPage returns agents.tsv: a line of names, then a line for each session that is
// alive, the one that was heard of last first.
func (f *facts) agentsPage() string {
	var b strings.Builder
	b.WriteString("agent\tsession\tlast\tdoing\tfile\ttranscript\n")
	for _, r := range f.about(fs.TopicAgents) {
		cells := append(slices.Clone(r.Cells), path.Join("..", "..", r.Path, "transcript.md"))
		for i, cell := range cells {
			cells[i] = cmp.Or(clean.Line(cell), "-")
		}
		b.WriteString(strings.Join(cells, "\t") + "\n")
	}
	return b.String()
}
