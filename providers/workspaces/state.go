package workspaces

import (
	"errors"
	"fmt"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/workspaces/git"
)

// maxWorktrees is how many worktrees HERE.md tells of.
const maxWorktrees = 4

// gitLines returns what HERE.md says of the repository and of its worktrees.
func (f *herePage) gitLines() (lines []string) {
	s := &f.look.git
	switch {
	case errors.Is(f.look.gitErr, git.ErrNone):
		return nil
	case f.look.gitErr != nil:
		return []string{"git: not known, see " + gitName}
	}
	lines = append(lines, "git: "+branchClause(s))
	if s.Operation.Name != "" {
		lines = append(lines, "under way: "+s.Operation.String())
	}
	if text := uncommitted(s, 5); text != "" {
		lines = append(lines, text)
	}
	if n := len(s.Stashes); n > 0 {
		lines = append(lines, fmt.Sprintf("stashed: %s, the last %q", wording.Count(n, "changes"), clean.Cut(clean.Line(s.Stashes[0].Message), 80)))
	}
	if len(s.Commits) > 0 {
		c := s.Commits[0]
		lines = append(lines, fmt.Sprintf("last commit: %s, %s", clean.Cut(clean.Line(c.Subject), 80), wording.Minute(c.Time)))
	}
	for i, w := range f.look.worktrees {
		if i == maxWorktrees {
			return append(lines, fmt.Sprintf("and %s, see %s", wording.Count(len(f.look.worktrees)-i, "more worktrees"), gitName))
		}
		line := "worktree " + clean.Path(wording.Tilde(w.dir, f.home), maxRemark) + ": "
		if w.err != nil {
			lines = append(lines, line+"cannot be read")
			continue
		}
		line += branchClause(&w.git)
		if text := uncommitted(&w.git, 3); text != "" {
			line += "; " + text
		}
		lines = append(lines, line)
	}
	return lines
}

// branchClause returns the branch and how it stands to its upstream: "on branch main, 2
// ahead of origin/main".
func branchClause(s *git.State) string {
	text := "on branch " + clean.Path(s.Branch, maxRemark)
	if s.Branch == "" {
		text = "no branch (detached), at " + s.Head[:min(len(s.Head), 10)]
	}
	upstream := clean.Path(s.Upstream, maxRemark)
	switch {
	case s.Unread || s.Bare || s.Elsewhere != "" || s.Branch == "":
	case s.Upstream == "" && s.Remote != "":
		text += ", without an upstream"
	case s.Upstream == "":
	case s.Gone:
		text += ", whose upstream " + upstream + " does not exist"
	case s.Ahead > 0 && s.Behind > 0:
		text += fmt.Sprintf(", %d ahead of and %d behind %s", s.Ahead, s.Behind, upstream)
	case s.Ahead > 0:
		text += fmt.Sprintf(", %d ahead of %s", s.Ahead, upstream)
	case s.Behind > 0:
		text += fmt.Sprintf(", %d behind %s", s.Behind, upstream)
	default:
		text += ", level with " + upstream
	}
	return text
}

// uncommitted returns what is not committed, with so many paths; "" if that is not known.
func uncommitted(s *git.State, most int) string {
	if s.Bare || s.Unread || s.Elsewhere != "" {
		return ""
	}
	text := "uncommitted: " + s.Uncommitted.String()
	var names []string
	for _, c := range s.Uncommitted.Paths {
		name := clean.Path(c.Path, 80)
		if c.Submodule {
			name += " (a submodule, at another commit)"
		}
		names = append(names, name)
	}
	if len(names) > 0 {
		text += ": " + wording.List(names, most)
	}
	return text
}
