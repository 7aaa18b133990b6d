package git

import (
	"path/filepath"
	"strconv"
	"strings"

	"ctxfs/providers/internal/git"
)

// Operation is what a git command has started and not ended, since it waits for its
// user.
type Operation struct {
	// Name is that of the git command, "rebase"; "" if nothing is under way.
	Name string
	// Of is what is applied, or the branch on which the operation was started; it may be
	// "".
	Of string
	// Step and Steps are how far it is; zero if that is not known.
	Step, Steps int
}

// operation returns what is under way. Source: wt-status.c of git, which reads these files.
func operation(r git.Repository) Operation {
	has := func(name string) bool { return git.Exists(filepath.Join(r.Private, name)) }
	text := func(names ...string) string {
		body, _ := git.Read(filepath.Join(append([]string{r.Private}, names...)...))
		return strings.TrimSpace(string(body))
	}
	number := func(names ...string) int {
		n, _ := strconv.Atoi(text(names...))
		return max(n, 0)
	}
	branch := func(name string) string { return strings.TrimPrefix(name, "refs/heads/") }
	switch {
	case has("rebase-merge"):
		return Operation{"rebase", branch(text("rebase-merge", "head-name")), number("rebase-merge", "msgnum"), number("rebase-merge", "end")}
	case has("rebase-apply/applying"):
		return Operation{"am", "", number("rebase-apply", "next"), number("rebase-apply", "last")}
	case has("rebase-apply"):
		return Operation{"rebase", branch(text("rebase-apply", "head-name")), number("rebase-apply", "next"), number("rebase-apply", "last")}
	case has("MERGE_HEAD"):
		return Operation{Name: "merge", Of: mergedBranch(text("MERGE_MSG"), text("MERGE_HEAD"))}
	case has("CHERRY_PICK_HEAD"):
		return Operation{Name: "cherry-pick", Of: short(text("CHERRY_PICK_HEAD"))}
	case has("REVERT_HEAD"):
		return Operation{Name: "revert", Of: short(text("REVERT_HEAD"))}
	case has("sequencer/todo"):
		name := "cherry-pick"
		if strings.HasPrefix(text("sequencer", "todo"), "revert") {
			name = "revert"
		}
		return Operation{Name: name}
	case has("BISECT_LOG"):
		return Operation{Name: "bisect", Of: branch(text("BISECT_START"))}
	}
	return Operation{}
}

// mergedBranch returns what is merged: the branch that the message names, else the commit.
func mergedBranch(message, commit string) string {
	first, _, _ := strings.Cut(message, "\n")
	if _, rest, ok := strings.Cut(first, "branch '"); ok {
		if name, _, ok := strings.Cut(rest, "'"); ok {
			return name
		}
	}
	return short(commit)
}

// short returns the beginning of the name of a commit.
func short(commit string) string { return commit[:min(len(commit), 10)] }
