package worktree

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ctxfs/providers/internal/clean"
)

// Adoption is what came of an adoption.
type Adoption struct {
	// Repository is the top folder of the work tree that has the changes now. What Files and
	// Conflicts name is relative to it.
	Repository string `json:"repository"`
	// Files are those that were changed there.
	Files []string `json:"files"`
	// Conflicts say what cannot be merged. If there are any, nothing was changed, and what
	// there is to merge is Commit, in the worktree.
	Conflicts []Conflict `json:"conflicts,omitempty"`
	Commit    string     `json:"commit,omitempty"`
	// Left are what cannot be merged: repositories of their own, whose paths end with a
	// slash, and files that cannot be read. The worktree is kept for them.
	Left []string `json:"left,omitempty"`
	// Already reports that everything was there before.
	Already bool `json:"already,omitempty"`
	// Worktree is the worktree if it is still there, Branch the branch with its commits if
	// it has any.
	Worktree string `json:"worktree,omitempty"`
	Branch   string `json:"branch,omitempty"`
}

// Conflict is a file that cannot be merged. Why is git's word for it, such as "contents".
type Conflict struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// Shown returns a path as it is safe to show, and not too long.
func Shown(path string) string { return clean.Path(path, 300) }

// ErrUnchanged reports that there is nothing to adopt.
var ErrUnchanged = errors.New("nothing has changed in its worktree")

// CutOffError reports that an adoption did not come to its end while git wrote files. As they
// were before, with what was not committed, they are in the commit that Ref names.
type CutOffError struct {
	Repository, Ref string
	Err             error // nil if a process was killed
}

func (e *CutOffError) Error() string {
	if e.Err == nil {
		return "an adoption was cut off while it wrote files to " + e.Repository
	}
	return fmt.Sprintf("%s has taken the changes in part only: %v", e.Repository, e.Err)
}

// Adopt has git merge the difference between a worktree, with all that is not committed
// there, and the commit that it was made from, into the files of the repository as they
// are now, which may have changes, too. Its index and its branches stay as they are. All
// changes arrive, or none: git writes files only when it has merged all of them, and has
// tried whether it may. Until all are written, those that were there are in a commit: see
// [CutOffError]. Then the worktree is removed, unless it has what cannot be merged or
// commits that are in no branch, and its branch, if that has no commits.
func (w *Work) Adopt(ctx context.Context) (a Adoption, err error) {
	lock, err := w.lock(ctx)
	if err != nil {
		return a, err
	}
	defer lock.Release()
	defer w.hide()
	a.Repository = w.Source.Top
	if w.isUnwanted() {
		return a, errors.Join(w.discard(ctx), ErrUnchanged)
	}
	now, err := w.condition(ctx)
	if err != nil {
		return a, err
	}
	a.Branch = w.committed(now)
	switch {
	case now.head != "":
		if a.Commit, a.Left, err = w.commit(ctx, now.head); err != nil {
			return a, err
		}
	case w.Adopted:
		a.Already = true
		return a, w.discard(ctx) // which may have been cut off
	case now.tip == "":
		return a, errors.New("its worktree and its branch were removed")
	default:
		a.Commit = now.tip
	}
	err = w.exclusively(ctx, func() error { return w.merge(ctx, &a) })
	_ = os.Remove(filepath.Join(w.dir, "ours"))
	if err != nil {
		return a, err
	}
	if len(a.Conflicts) > 0 {
		if now.head == "" || a.Commit == now.head {
			return a, nil
		}
		// The commit becomes that of the branch, for a user who continues by hand. Files
		// stay as they are.
		_, err := w.ask(ctx, w.Repository, "reset", "-q", a.Commit)
		a.Branch = now.branch
		return a, err
	}
	a.Commit, a.Already, w.Adopted = "", len(a.Files) == 0, true
	if err := w.save(); err != nil {
		return a, err
	}
	if len(a.Left) > 0 || now.branch == "" && now.head != "" && now.head != w.Source.Head {
		a.Worktree = w.Repository.Top
		return a, nil
	}
	return a, w.discard(ctx)
}

// commit makes a commit of all that is in the worktree, which is on no branch, and returns it
// with what is not in it. It is that of the head if there is nothing else.
func (w *Work) commit(ctx context.Context, head string) (commit string, left []string, err error) {
	v, err := w.view(ctx, w.Repository, "theirs", false)
	if err != nil {
		return "", nil, err
	}
	defer os.Remove(v.index)
	if err := v.solved(ctx); err != nil {
		return "", nil, err
	}
	tree, large, err := v.state(ctx, "", math.MaxInt64, math.MaxInt64)
	if err != nil {
		return "", nil, err
	}
	changed, err := v.differs(ctx, head, tree)
	switch {
	case err != nil:
	case len(changed) > 0:
		head, err = v.commit(ctx, tree, head)
	case head == w.Source.Head && len(large) == 0:
		err = ErrUnchanged
	}
	return head, slices.Sorted(maps.Keys(large)), err
}

// commit makes a commit of a tree, which is on no branch.
func (v view) commit(ctx context.Context, tree, parent string) (string, error) {
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		v.env = append(v.env[:len(v.env):len(v.env)], "GIT_"+who+"_NAME=ctxfs agent", "GIT_"+who+"_EMAIL=ctxfs@localhost")
	}
	return v.line(ctx, "commit-tree", tree, "-p", parent, "-m", "Changes of an agent")
}

// merge merges the commit into the files of the source, and fills in what came of it.
func (w *Work) merge(ctx context.Context, a *Adoption) error {
	base := w.Source.Head
	v, err := w.view(ctx, *w.Source, "ours", false)
	if err != nil {
		return err
	}
	cut := &CutOffError{Repository: w.Source.Top, Ref: "refs/ctxfs/adopt/" + filepath.Base(w.Branch)}
	if _, err := v.ask(ctx, "rev-parse", "-q", "--verify", cut.Ref); err == nil {
		return cut
	}
	if err := v.solved(ctx); err != nil {
		return err
	}
	changed, err := v.differs(ctx, base, a.Commit)
	if err != nil {
		return err
	}
	files, err := v.differs(ctx, base, a.Commit, "--ignore-submodules=all")
	if err != nil {
		return err
	}
	for _, path := range changed {
		switch {
		case !slices.Contains(files, path):
			a.Conflicts = append(a.Conflicts, Conflict{path, "submodule"})
		case v.isThroughLink(path):
			a.Conflicts = append(a.Conflicts, Conflict{path, "behind a symbolic link"})
		}
	}
	if len(a.Conflicts) > 0 {
		return nil
	}
	before, err := v.add(ctx, slices.DeleteFunc(files, func(path string) bool {
		info, err := os.Lstat(filepath.Join(v.repo.Top, path))
		return err == nil && info.IsDir() // which takes the place of a file
	}))
	if err != nil {
		return fmt.Errorf("%s cannot take the changes: %w", v.repo.Top, err)
	}
	ours, err := v.commit(ctx, before, base)
	if err != nil {
		return err
	}
	theirs, err := v.commit(ctx, a.Commit+"^{tree}", base)
	if err != nil {
		return err
	}
	after, err := v.mergeTrees(ctx, a, ours, theirs)
	if err != nil || len(a.Conflicts) > 0 {
		return err
	}
	if a.Files, err = v.differs(ctx, before, after); err != nil || len(a.Files) == 0 {
		return err
	}
	if _, err := v.ask(ctx, "read-tree", "-n", "-m", "-u", "--no-sparse-checkout", before, after); err != nil {
		return fmt.Errorf("%s cannot take the changes: %w", v.repo.Top, err)
	}
	if _, err := v.ask(ctx, "update-ref", cut.Ref, ours); err != nil {
		return err
	}
	if _, cut.Err = v.ask(context.WithoutCancel(ctx), "read-tree", "-m", "-u", "--no-sparse-checkout", before, after); cut.Err != nil {
		return cut
	}
	_, err = v.ask(context.WithoutCancel(ctx), "update-ref", "-d", cut.Ref)
	return err
}

// mergeTrees merges two commits, and returns the tree, or fills in what conflicts. No program
// of the configuration takes part, and no file is written.
func (v view) mergeTrees(ctx context.Context, a *Adoption, ours, theirs string) (string, error) {
	var args []string
	drivers, _ := v.ask(ctx, "config", "-z", "--name-only", "--get-regexp", `^merge\..*\.driver$`) // fails without any
	for _, name := range names(drivers) {
		args = append(args, "-c", name+"=false")
	}
	out, err := v.ask(ctx, append(args, "merge-tree", "--write-tree", "-z", "--name-only", ours, theirs)...)
	tree, rest, _ := strings.Cut(string(out), "\x00")
	failed := (*Failure)(nil)
	switch errors.As(err, &failed); {
	case failed == nil:
		return tree, err
	case failed.Code == 129:
		return "", errors.New("git 2.38 or newer is needed")
	case failed.Code != 1:
		return "", err
	}
	// The files, an empty field, and messages: how many files, these, what kind it is, a text.
	_, rest, _ = strings.Cut(rest, "\x00\x00")
	for fields := strings.Split(rest, "\x00"); len(fields) > 1; {
		n, _ := strconv.Atoi(fields[0])
		if n++; len(fields) < n+2 {
			break
		}
		why, ok := strings.CutPrefix(fields[n], "CONFLICT (")
		if ok && n > 1 && !slices.ContainsFunc(a.Conflicts, func(c Conflict) bool { return c.Path == fields[1] }) {
			a.Conflicts = append(a.Conflicts, Conflict{fields[1], strings.TrimSuffix(why, ")")})
		}
		fields = fields[n+2:]
	}
	return "", nil
}
