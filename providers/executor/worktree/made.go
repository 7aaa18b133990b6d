package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ctxfs/providers/internal/filelock"
)

// Make makes a worktree of the commit that is checked out, in a folder that does not exist
// yet, with a branch of its own. After an error nothing is left of it.
func (g *Git) Make(ctx context.Context, p Place, tree, branch string) (*Work, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, makeTime, errSlow(makeTime))
	defer cancel()
	source, err := g.locate(ctx, p.Folder)
	if err != nil {
		return nil, err
	}
	if source.Head == "" {
		return nil, errors.New("the repository has no commit yet, of which a worktree could be made")
	}
	w := &Work{git: g, dir: p.Dir, record: record{
		Repository: repository{Top: tree, Prefix: source.Prefix, Head: source.Head}, Outside: p.Outside, Source: &source, Branch: branch,
	}}
	if w.Missing, err = g.uncommitted(ctx, source, p.Outside); err != nil {
		return nil, err
	}
	if err := w.save(); err != nil { // first: whoever comes after a kill must know what to remove
		return nil, err
	}
	if err := w.add(ctx); err != nil {
		_ = w.discard(context.WithoutCancel(ctx)) // what is left of it, End or Adopt removes
		return nil, err
	}
	return w, nil
}

// add makes the worktree.
func (w *Work) add(ctx context.Context) error {
	err := w.exclusively(ctx, func() error {
		_, err := w.git.ask(ctx, question{dir: w.Source.Top, args: []string{"worktree", "add", "-q", "--no-checkout", "-b", w.Branch, w.Repository.Top, w.Source.Head}})
		return err
	})
	if err != nil {
		return err
	}
	if _, err := w.git.ask(ctx, question{dir: w.Repository.Top, args: []string{"reset", "-q", "--hard", "--no-recurse-submodules"}}); err != nil {
		return err
	}
	if info, err := os.Stat(w.Folder()); err != nil || !info.IsDir() {
		return fmt.Errorf("the folder %s is not in the commit that is checked out, of which a worktree is made", w.Repository.Prefix)
	}
	made, err := w.git.locate(ctx, w.Folder())
	if err != nil {
		return err
	}
	w.Repository = made
	return w.save()
}

// exclusively calls a function while no other run changes the files of the repository, or
// its list of worktrees: git fails where it meets one that is half made.
func (w *Work) exclusively(ctx context.Context, change func() error) error {
	dir, err := os.Open(w.Source.Objects)
	if err != nil {
		return err
	}
	defer dir.Close() // which frees it
	if err := filelock.WaitFile(ctx, dir, filelock.Exclusive); err != nil {
		return err
	}
	return change()
}

// uncommitted returns how many files of a repository are not committed.
func (g *Git) uncommitted(ctx context.Context, r repository, outside string) (n int, err error) {
	out, err := g.ask(ctx, question{dir: r.Top, args: []string{"status", "--porcelain", "-z", "--no-renames", "--untracked-files=normal", "--ignore-submodules=all"}})
	for _, line := range names(out) {
		if len(line) > 3 && !within(outside, filepath.Join(r.Top, line[3:])) && !within(filepath.Join(r.Top, line[3:]), outside) {
			n++
		}
	}
	return n, err
}

// Base describes the worktree to an agent: what is missing in it; "" if nothing is.
func (w *Work) Base() string {
	switch {
	case w.Source == nil || w.Missing == 0:
		return ""
	case w.Missing == 1:
		return fmt.Sprintf("one file of %s is not committed, and not in the worktree as it is there", w.Source.Top)
	}
	return fmt.Sprintf("%d files of %s are not committed, and not in the worktree as they are there", w.Missing, w.Source.Top)
}

// remove is discard without a record of it, for a caller that may change the repository.
func (w *Work) remove(ctx context.Context) error {
	forget := question{dir: w.Source.Top, args: []string{"worktree", "remove", "--force", "--force", w.Repository.Top}}
	_, err := w.git.ask(ctx, forget)
	if exists(w.Repository.Top) { // git removes none that it has not completed, or that has submodules
		if err := os.RemoveAll(w.Repository.Top); err != nil {
			return err
		}
		_, err = w.git.ask(ctx, forget)
	}
	var failed *Failure
	if err != nil && !errors.As(err, &failed) { // a failure: it knows of none
		return err
	}
	if w.tip(ctx, w.Branch) == w.Source.Head {
		_, err := w.git.ask(ctx, question{dir: w.Source.Top, args: []string{"branch", "-q", "-D", w.Branch}})
		return err
	}
	return nil
}

// isUnwanted reports whether the worktree is only there to be removed: whoever made it was
// killed before it had, or whoever removed it.
func (w *Work) isUnwanted() bool { return w.removing || w.Repository.Private == "" }

// discard removes the worktree for good, and its branch unless that has commits. That is on
// record before it begins.
func (w *Work) discard(ctx context.Context) error {
	return w.exclusively(ctx, func() error {
		if !w.removing {
			if err := os.Rename(filepath.Join(w.dir, recordFile), filepath.Join(w.dir, removingFile)); err != nil {
				return err
			}
			w.removing = true
		}
		return w.remove(ctx)
	})
}

// forget discards the worktree, and all that is known of it.
func (w *Work) forget(ctx context.Context) error {
	if err := w.discard(ctx); err != nil {
		return err
	}
	return os.RemoveAll(w.dir)
}

// tip returns the commit at which a branch is; "" if there is none.
func (w *Work) tip(ctx context.Context, branch string) string {
	out, err := w.git.ask(ctx, question{dir: w.Source.Top, args: []string{"rev-parse", "-q", "--verify", "refs/heads/" + branch + "^{commit}"}})
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// standing is how a worktree stands.
type standing struct {
	repo      repository // empty if the worktree is gone
	branch    string     // "" if the head is detached
	tip       string     // of the branch that was made; "" if it is gone
	operation string     // what is under way
}

// stands returns how the worktree stands.
func (w *Work) stands(ctx context.Context) (s standing, err error) {
	s.tip = w.tip(ctx, w.Branch)
	if !exists(w.Repository.Top) {
		return s, nil
	}
	if link := filepath.Join(w.Repository.Top, ".git"); !exists(link) && exists(w.Repository.Private) {
		if err := os.WriteFile(link, []byte("gitdir: "+w.Repository.Private+"\n"), 0o644); err != nil {
			return s, err
		}
	}
	if s.repo, err = w.git.locate(ctx, w.Repository.Top); err != nil {
		return s, err
	}
	s.repo.Prefix = w.Repository.Prefix
	out, err := w.git.ask(ctx, question{dir: w.Repository.Top, args: []string{"symbolic-ref", "-q", "--short", "HEAD"}})
	var failed *Failure
	if err != nil && !errors.As(err, &failed) {
		return s, err
	}
	s.branch = strings.TrimSpace(string(out))
	for file, name := range map[string]string{
		"rebase-merge": "a rebase", "rebase-apply": "a rebase", "MERGE_HEAD": "a merge", "CHERRY_PICK_HEAD": "a cherry-pick", "REVERT_HEAD": "a revert", "BISECT_LOG": "a bisection",
	} {
		if exists(filepath.Join(s.repo.Private, file)) {
			s.operation = name
		}
	}
	return s, nil
}

// endWorktree is End of a run with a worktree.
func (w *Work) endWorktree(ctx context.Context, diff string) (c Changes, err error) {
	if w.isUnwanted() {
		return c, w.forget(ctx)
	}
	if base := w.Base(); base != "" {
		c.Notes = append(c.Notes, base)
	}
	now, err := w.stands(ctx)
	if err != nil {
		return c, err
	}
	tree, large, s, err := w.state(ctx, now, false)
	if err != nil {
		return c, err
	}
	if w.Before, err = w.commitTree(ctx, w.Source.Head); err != nil {
		return c, err
	}
	untouched := (now.repo.Top == "" || now.repo.Head == w.Source.Head) && (now.tip == w.Source.Head || now.tip == "") && now.operation == ""
	switch {
	case tree == "":
		c.Notes = append(c.Notes, "the worktree and its branch were removed while it ran")
		return c, w.forget(ctx)
	case tree == w.Before && len(large) == 0 && untouched:
		return c, w.forget(ctx)
	}
	c.Worktree, c.Branch = w.Repository.Top, now.branch
	switch {
	case now.repo.Top == "":
		c.Worktree, c.Branch = "", w.Branch
		c.Notes = append(c.Notes, "the worktree was removed while it ran; its branch "+w.Branch+" has commits")
	case now.operation != "":
		c.Notes = append(c.Notes, now.operation+" is under way in the worktree")
	case now.branch == "":
		c.Notes = append(c.Notes, "the head of the worktree is detached, at "+now.repo.Head)
	}
	if now.branch != w.Branch && now.tip != "" && now.tip != w.Source.Head && now.repo.Top != "" {
		c.Notes = append(c.Notes, "its branch "+w.Branch+" has commits, too")
	}
	if err := w.describe(ctx, s, &c, tree, large, diff); err != nil {
		return c, err
	}
	err = w.save()
	if w.Adopted == "" && w.Putting == nil { // or else the objects are needed
		err = errors.Join(err, s.end())
	}
	return c, err
}

// commitTree returns the tree of a commit.
func (w *Work) commitTree(ctx context.Context, commit string) (string, error) {
	out, err := w.git.ask(ctx, question{dir: w.Source.Top, args: []string{"rev-parse", "-q", "--verify", commit + "^{tree}"}})
	return strings.TrimSpace(string(out)), err
}

// state returns the tree of what is in the worktree, with all that is not committed, or of
// the branch if the worktree is gone; "" if neither is there. Files that are too
// large are not in it, but returned, unless all are wanted. The shadow has the tree.
func (w *Work) state(ctx context.Context, now standing, all bool) (tree string, large map[string]stamp, s shadow, err error) {
	s = shadow{git: w.git, repo: now.repo, dir: w.dir, all: all}
	if now.repo.Top == "" {
		s.repo = *w.Source
		if now.tip != "" {
			tree, err = w.commitTree(ctx, now.tip)
		}
		return tree, nil, s, errors.Join(err, s.begin())
	}
	if err := s.begin(); err != nil {
		return "", nil, s, err
	}
	small, large, err := s.candidates(ctx, nil)
	if err == nil {
		err = s.add(ctx, small)
	}
	if err == nil {
		tree, err = s.tree(ctx)
	}
	return tree, large, s, err
}
