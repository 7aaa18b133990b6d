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
	layout    layout.Layout
	layoutErr error
	build     build.Project
	system    string // system.json
	trusted   bool
}

// look looks at the folder of the workspace.
func (w *place) look(ctx context.Context) (l look) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	dir := w.workspace().Dir
	l.git, l.gitErr = w.p.git.Read(ctx, dir)
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
	return f.look.git.Page()
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

// gitLines returns what HERE.md says of the repository.
func (f *facts) gitLines() (lines []string) {
	s := f.look.git
	switch {
	case errors.Is(f.look.gitErr, git.ErrNone):
		return nil
	case f.look.gitErr != nil:
		return []string{"git: not known, see " + gitName}
	}
	line := "git: on branch " + s.Branch
	if s.Branch == "" {
		line = "git: no branch, at " + s.Head[:min(len(s.Head), 10)]
	}
	if s.Upstream != "" && !s.Gone {
		switch {
		case s.Ahead > 0 && s.Behind > 0:
			line += fmt.Sprintf(", %d ahead of and %d behind %s", s.Ahead, s.Behind, s.Upstream)
		case s.Ahead > 0:
			line += fmt.Sprintf(", %d ahead of %s", s.Ahead, s.Upstream)
		case s.Behind > 0:
			line += fmt.Sprintf(", %d behind %s", s.Behind, s.Upstream)
		}
	}
	lines = append(lines, line)
	if s.Operation.Name != "" {
		lines = append(lines, "under way: "+s.Operation.String())
	}
	if !s.Bare && !s.Unread {
		line := "uncommitted: " + s.Uncommitted.String()
		var names []string
		for _, c := range s.Uncommitted.Paths {
			names = append(names, clean.Cut(clean.Line(c.Path), 80))
		}
		if len(names) > 0 {
			line += ": " + wording.List(names, 5)
		}
		lines = append(lines, line)
	}
	if len(s.Commits) > 0 {
		c := s.Commits[0]
		lines = append(lines, fmt.Sprintf("last commit: %s, %s", clean.Cut(clean.Line(c.Subject), 80), wording.Minute(c.Time)))
	}
	return lines
}
