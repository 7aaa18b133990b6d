package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ctxfs/fs"
	"ctxfs/providers/internal/filelock"
	"ctxfs/providers/internal/git"
)

// Make makes a worktree of the commit that is checked out, in a folder that does not exist
// yet, with a branch of its own. After an error nothing is left of it.
func (g *Git) Make(ctx context.Context, p Place, tree, branch string) (*Work, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, makeTime, errSlow(makeTime))
	defer cancel()
	w := &Work{git: g, dir: p.Dir}
	defer w.hide()
	source, err := w.locate(ctx, p.Folder)
	if err != nil {
		return nil, err
	}
	if source.Head == "" {
		return nil, errors.New("the repository has no commit yet that a worktree could have")
	}
	w.record = record{Repository: repository{Top: tree, Prefix: source.Prefix, Head: source.Head}, Source: &source, Branch: branch, Before: source.Head}
	if w.Missing, err = w.uncommitted(ctx, source, p.Outside); err != nil {
		return nil, err
	}
	if err := w.save(); err != nil { // first: after a kill the next process must know what to remove
		return nil, err
	}
	if err := w.add(ctx); err != nil {
		_ = w.discard(context.WithoutCancel(ctx)) // what is left of it, End or Adopt removes
		return nil, err
	}
	return w, nil
}

func (w *Work) add(ctx context.Context) error {
	made := repository{Objects: w.Source.Objects, Prefix: w.Source.Prefix, Head: w.Source.Head}
	err := w.exclusively(ctx, func() (err error) {
		if err := os.MkdirAll(w.worktrees(), 0o777); err != nil {
			return err
		}
		if _, err := w.ask(ctx, *w.Source, "worktree", "add", "-q", "--no-checkout", "-b", w.Branch, w.Repository.Top, w.Source.Head); err != nil {
			return err
		}
		made.Private, err = w.link(ctx)
		return err
	})
	if err != nil {
		return err
	}
	made.Index = filepath.Join(made.Private, "index")
	if made.Top, err = filepath.EvalSymlinks(w.Repository.Top); err != nil {
		return err
	}
	if _, err := w.ask(ctx, made, "reset", "-q", "--hard", "--no-recurse-submodules"); err != nil {
		return err
	}
	if info, err := os.Stat(w.Folder()); err != nil || !info.IsDir() {
		return fmt.Errorf("the folder %s is not in the commit that is checked out, from which a worktree is made", w.Repository.Prefix)
	}
	w.Repository = made
	return w.save()
}

// worktrees is where git keeps what it knows of the worktrees of the repository.
func (w *Work) worktrees() string { return filepath.Join(filepath.Dir(w.Source.Objects), "worktrees") }

// link has a new worktree lead to the repository, and not to what git was shown of it, and
// makes it as sparse as that from which it is made. It returns the folder of git's for it.
func (w *Work) link(ctx context.Context) (private string, err error) {
	link := filepath.Join(w.Repository.Top, ".git")
	body, err := os.ReadFile(link)
	if err != nil {
		return "", err
	}
	private = filepath.Join(w.worktrees(), filepath.Base(strings.TrimSpace(string(body))))
	if err := os.WriteFile(link, []byte("gitdir: "+private+"\n"), 0o666); err != nil {
		return "", err
	}
	v, err := w.show(ctx, *w.Source)
	if err != nil || !v.Config.IsTrue("extensions.worktreeconfig") || v.Config.Last("core.worktree") != "" {
		return private, err
	}
	body, err = git.Read(filepath.Join(w.Source.Private, "config.worktree"))
	if errors.Is(err, os.ErrNotExist) {
		return private, nil
	}
	return private, errors.Join(err, os.WriteFile(filepath.Join(private, "config.worktree"), body, 0o666))
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
func (w *Work) uncommitted(ctx context.Context, r repository, outside string) (n int, err error) {
	out, err := w.ask(ctx, r, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=normal", "--ignore-submodules=all")
	for _, line := range names(out) {
		if path := filepath.Join(r.Top, line[min(len(line), 3):]); !fs.Within(outside, path) && !fs.Within(path, outside) {
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

// isUnwanted reports whether the worktree is only there to be removed, since the process
// that made it was killed before it had.
func (w *Work) isUnwanted() bool { return w.Repository.Private == "" }

// discard removes the worktree, and its branch unless that has commits. The folder goes in
// one step: what is missing in it was deleted by the agent.
func (w *Work) discard(ctx context.Context) error {
	return w.exclusively(ctx, func() error {
		gone := w.Repository.Top + ".gone"
		if err := os.Rename(w.Repository.Top, gone); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		if err := os.RemoveAll(gone); err != nil {
			return err
		}
		_, err := w.ask(ctx, *w.Source, "worktree", "remove", "--force", "--force", w.Repository.Top)
		var failed *Failure
		if err != nil && !errors.As(err, &failed) { // a failure: it knows of none
			return err
		}
		_ = os.Remove(w.worktrees()) // if it is empty, as git does
		if w.tip(ctx) == w.Source.Head {
			_, err := w.ask(ctx, *w.Source, "branch", "-q", "-D", w.Branch)
			return err
		}
		return nil
	})
}

// forget discards the worktree, and all that is known of it.
func (w *Work) forget(ctx context.Context) error {
	if err := w.discard(ctx); err != nil {
		return err
	}
	return os.RemoveAll(w.dir)
}

// tip returns the commit at which the branch is that was made; "" if it is gone.
func (w *Work) tip(ctx context.Context) string {
	out, err := w.ask(ctx, *w.Source, "rev-parse", "-q", "--verify", "refs/heads/"+w.Branch+"^{commit}")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// condition is what a worktree has: commits, changes, a branch.
type condition struct {
	head   string // "" if the worktree is gone
	branch string // "" if the head is detached
	tip    string // of the branch that was made; "" if it is gone
}

func (w *Work) condition(ctx context.Context) (s condition, err error) {
	s.tip = w.tip(ctx)
	if !git.Exists(w.Repository.Top) {
		return s, nil
	}
	out, err := w.ask(ctx, w.Repository, "rev-parse", "HEAD", "--abbrev-ref", "HEAD")
	if err != nil {
		return s, err
	}
	if s.head, s.branch, _ = strings.Cut(strings.TrimSpace(string(out)), "\n"); s.branch == "HEAD" {
		s.branch = ""
	}
	return s, nil
}

// committed returns the branch that has commits, or "".
func (w *Work) committed(now condition) string {
	switch {
	case now.branch != "" && now.head != w.Source.Head:
		return now.branch
	case now.tip != "" && now.tip != w.Source.Head:
		return w.Branch
	}
	return ""
}

// endWorktree is End of a run with a worktree.
func (w *Work) endWorktree(ctx context.Context, diff string) (c Changes, err error) {
	if w.isUnwanted() {
		return c, w.forget(ctx)
	}
	if base := w.Base(); base != "" {
		c.Notes = append(c.Notes, base)
	}
	now, err := w.condition(ctx)
	if err != nil {
		return c, err
	}
	var large map[string]string
	tree := now.tip
	if now.head != "" {
		if tree, large, err = w.state(ctx); err != nil {
			return c, err
		}
	}
	if tree == "" {
		c.Notes = append(c.Notes, "the worktree and its branch were removed while it ran")
		return c, w.forget(ctx)
	}
	if err := w.describe(ctx, &c, tree, large, diff); err != nil {
		return c, err
	}
	if len(c.Files) == 0 && (now.head == "" || now.head == w.Source.Head) && w.committed(now) == "" {
		return c, w.forget(ctx)
	}
	c.Worktree, c.Branch = w.Repository.Top, now.branch
	switch {
	case now.head == "":
		c.Worktree, c.Branch = "", w.Branch
		c.Notes = append(c.Notes, "the worktree was removed while it ran; its branch "+w.Branch+" has commits")
	case now.branch == "":
		c.Notes = append(c.Notes, "the head of the worktree is detached, at "+now.head)
	}
	if now.branch != w.Branch && now.tip != "" && now.tip != w.Source.Head && now.head != "" {
		c.Notes = append(c.Notes, "its branch "+w.Branch+" has commits, too")
	}
	return c, errors.Join(os.RemoveAll(filepath.Join(w.dir, "index")), os.RemoveAll(filepath.Join(w.dir, "objects")))
}
