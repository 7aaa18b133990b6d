package git

import (
	"fmt"
	"strings"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
)

// maxName is the length of the longest path that a page shows, in bytes.
const maxName = 300

// maxListed is how many untracked files a page lists, and how many others.
const maxListed = 30

// Page returns the text of git.md. What is foreign in it is made safe.
func (s State) Page() string {
	var b strings.Builder
	b.WriteString("# git\n\n")
	for _, l := range s.summary() {
		fmt.Fprintf(&b, "- %s\n", l)
	}
	if paths := s.Uncommitted.Paths; len(paths) > 0 {
		b.WriteString("\n## Uncommitted\n\nAs `git status --short` prints them: index, work tree, path.\n\n")
		shown, untracked := 0, 0
		for _, c := range paths {
			if c.Code == "??" {
				untracked++
			} else if shown == maxListed {
				continue
			}
			if untracked > maxListed {
				break
			}
			shown++
			from := ""
			if c.From != "" {
				from = " (from " + name(c.From) + ")"
			}
			if c.Submodule {
				from += " (a submodule, at another commit)"
			}
			fmt.Fprintf(&b, "    %s %s%s\n", c.Code, name(c.Path), from)
		}
		if more := s.Uncommitted.Conflicts + s.Uncommitted.Tracked + s.Uncommitted.Untracked - shown; more > 0 {
			fmt.Fprintf(&b, "    … and %d more\n", more)
		}
	}
	if len(s.Commits) > 0 {
		b.WriteString("\n## Last commits\n\n")
		for _, c := range s.Commits {
			fmt.Fprintf(&b, "    %s %s %s: %s\n", short(c.ID), wording.Minute(c.Time), c.Author, c.Subject)
		}
	}
	if len(s.Stashes) > 0 {
		b.WriteString("\n## Stashes\n\n")
		for i, st := range s.Stashes {
			if i == maxCommits {
				fmt.Fprintf(&b, "    … and %d more\n", len(s.Stashes)-i)
				break
			}
			fmt.Fprintf(&b, "    stash@{%d} %s %s\n", i, wording.Minute(st.Time), st.Message)
		}
	}
	if len(s.Worktrees) > 0 {
		b.WriteString("\n## Linked worktrees\n\n")
		for _, w := range s.Worktrees {
			fmt.Fprintf(&b, "    %s %s%s\n", name(w.Dir), orDetached(w.Branch), w.state())
		}
	}
	return b.String()
}

// summary returns the lines at the top of the page.
func (s State) summary() []string {
	lines := []string{s.branch()}
	if s.Remote != "" {
		lines = append(lines, "remote: "+s.Remote)
	}
	if s.Operation.Name != "" {
		lines = append(lines, "under way: "+s.Operation.String())
	}
	if !s.Locked.IsZero() {
		lines = append(lines, "index.lock exists since "+wording.Minute(s.Locked)+": a git command is running, or was killed and left it")
	}
	switch {
	case s.Bare:
		lines = append(lines, "a bare repository: it has no work tree")
	case s.Elsewhere != "":
		lines = append(lines, "its configuration names another work tree (core.worktree): "+name(s.Elsewhere))
	case !s.Unread:
		lines = append(lines, "uncommitted: "+s.Uncommitted.String())
	}
	if s.Uncommitted.Filtered > 0 {
		lines = append(lines, wording.Count(s.Uncommitted.Filtered, "files")+" of the changed may only have been touched: their filters (Git LFS or the like) were not run")
	}
	if s.Foreign >= 0 {
		lines = append(lines, fmt.Sprintf("owned by another user (number %d): git refuses to work here until `git config --global --add safe.directory PATH`", s.Foreign))
	}
	for _, p := range s.Problems {
		lines = append(lines, clean.Cut(clean.Line(p), maxName))
	}
	return lines
}

// branch returns the line about the branch and its upstream.
func (s State) branch() string {
	text := "branch: " + orDetached(s.Branch)
	switch {
	case s.Branch == "" && s.Head != "":
		text += " at " + short(s.Head)
	case s.Head == "" && !s.Unread:
		text += ", without a commit"
	}
	if s.Upstream == "" {
		return text
	}
	text += ", tracks " + name(s.Upstream)
	switch {
	case s.Gone:
		return text + ", which does not exist (any more)"
	case s.Ahead == 0 && s.Behind == 0:
		text += " and equals it"
	default:
		text += fmt.Sprintf(": %d ahead, %d behind", s.Ahead, s.Behind)
	}
	if s.Fetched.IsZero() {
		return text
	}
	return text + " (last fetch " + wording.Minute(s.Fetched) + ")"
}

func orDetached(branch string) string {
	if branch == "" {
		return "none (detached head)"
	}
	return name(branch)
}

// String returns the counts as a clause: "2 staged, 1 changed"; "nothing" if all is
// committed.
func (u Uncommitted) String() string {
	var parts []string
	for _, p := range []struct {
		count int
		what  string
	}{{u.Conflicts, "in conflict"}, {u.Staged, "staged"}, {u.Changed, "changed"}, {u.Untracked, "untracked"}} {
		if p.count > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.count, p.what))
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

// String returns what is under way as a clause: "rebase of main, step 2 of 5".
func (o Operation) String() string {
	text := o.Name
	if o.Of != "" {
		text += " of " + name(o.Of)
		if o.Name == "bisect" {
			text = "bisect, begun on " + name(o.Of)
		}
	}
	if o.Steps > 0 {
		text += fmt.Sprintf(", step %d of %d", o.Step, o.Steps)
	}
	return text
}

func (w Worktree) state() string {
	switch {
	case w.Missing && w.Locked:
		return ", not there, locked"
	case w.Missing:
		return ", not there"
	case w.Locked:
		return ", locked"
	}
	return ""
}

// name returns a path or the name of a branch as one line of text.
func name(path string) string { return clean.Path(path, maxName) }
