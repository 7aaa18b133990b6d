package worktree

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxfs/providers/internal/clean"
)

// Adoption is what came of an adoption.
type Adoption struct {
	// Repository is the top folder of the work tree that has the changes now. What Files and
	// Conflicts name is relative to it.
	Repository string `json:"repository"`
	// Files are those that were changed there.
	Files []string `json:"files"`
	// Conflicts say what cannot be merged. If there are any, nothing was changed.
	Conflicts []Conflict `json:"conflicts,omitempty"`
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

// Conflict is a file that cannot be merged.
type Conflict struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// Shown returns a path as it is safe to show, and not too long.
func Shown(path string) string { return clean.Path(path, 300) }

// ErrUnchanged reports that there is nothing to adopt.
var ErrUnchanged = errors.New("nothing has changed in its worktree")

// Adopt merges what differs between a worktree, with all that is not committed there, and
// the commit of which it was made, into the files of the repository as they are now, which
// may have changes, too. Its index and its branches stay as they are. All changes arrive,
// or none; if the process is killed between them, the next adoption takes back those that
// have. Then the worktree is removed, unless it is to be kept or has what cannot be
// merged or commits that are in no branch, and its branch, if that has no commits.
//
// What has arrived once is not merged again: of a worktree that is kept and worked in, only
// what is new is.
func (w *Work) Adopt(ctx context.Context, keep bool) (a Adoption, err error) {
	lock, err := w.lock(ctx)
	if err != nil {
		return a, err
	}
	defer lock.Release()
	a.Repository = w.Source.Top
	ours := shadow{git: w.git, dir: filepath.Join(w.dir, "ours"), also: w.shadow().objects()}
	if ours.repo, err = w.git.locate(ctx, w.Source.Top); err != nil {
		return a, err
	}
	if err := w.exclusively(ctx, func() error { return w.takeBack(ctx, ours) }); err != nil {
		return a, err
	}
	if w.isUnwanted() {
		err := w.discard(ctx)
		if err == nil && w.Adopted == "" {
			err = ErrUnchanged
		}
		a.Already, a.Branch = true, w.left(standing{tip: w.tip(ctx, w.Branch)})
		return a, errors.Join(err, w.shadow().end())
	}
	now, err := w.stands(ctx)
	if err != nil {
		return a, err
	}
	if w.Adopted != "" && now.repo.Top == "" {
		a.Already, a.Branch = true, w.left(now)
		return a, nil
	}
	if now.operation != "" {
		return a, fmt.Errorf("%s is under way in its worktree, %s", now.operation, w.Repository.Top)
	}
	tree, left, theirs, err := w.state(ctx, now, true)
	if err != nil {
		return a, err
	}
	if tree == "" {
		return a, errors.New("its worktree and its branch were removed")
	}
	base := w.Adopted
	if base == "" {
		if base, err = w.commitTree(ctx, w.Source.Head); err != nil {
			return a, err
		}
	}
	changes, err := theirs.compare(ctx, base, tree)
	switch {
	case err != nil:
		return a, err
	case len(changes) == 0 && w.Adopted == "" && len(left) == 0:
		return a, ErrUnchanged
	}
	a.Left = slices.Sorted(maps.Keys(left))
	err = w.exclusively(ctx, func() error { return w.mergeInto(ctx, &a, ours, base, changes) })
	if err == nil && len(a.Conflicts) == 0 {
		a.Already = len(a.Files) == 0
		w.Adopted, w.AdoptedAt, w.Putting = tree, time.Now(), nil
		if err := w.save(); err != nil { // what has arrived the next one takes back
			return a, err
		}
	}
	if w.Putting == nil {
		err = errors.Join(err, os.RemoveAll(ours.dir))
	}
	if err != nil || len(a.Conflicts) > 0 {
		return a, err
	}
	if a.Branch = w.left(now); keep || len(left) > 0 || now.branch == "" && now.repo.Top != "" && now.repo.Head != w.Source.Head {
		a.Worktree = w.Repository.Top
		return a, nil // with the objects: the tree is what is compared with the next time
	}
	return a, errors.Join(w.discard(ctx), theirs.end())
}

// left returns the branch that has commits; "" if none has.
func (w *Work) left(now standing) string {
	switch {
	case now.branch != "" && now.repo.Head != w.Source.Head:
		return now.branch
	case now.tip != "" && now.tip != w.Source.Head:
		return w.Branch
	}
	return ""
}

// mergeInto merges changes into the work tree of the source, and fills in what came of it.
func (w *Work) mergeInto(ctx context.Context, a *Adoption, ours shadow, base string, changes []entry) error {
	before, here, err := ours.present(ctx, base, changes)
	if err != nil {
		return err
	}
	through := throughLinks(ours.repo.Top)
	var merged []entry
	for _, e := range changes {
		old, is := version{e.oldMode, e.oldBlob}, version{e.oldMode, e.oldBlob}
		if differs, ok := here[e.path]; ok {
			is = version{differs.mode, differs.blob}
		}
		result, why, err := ours.merge(ctx, old, is, version{e.mode, e.blob})
		switch {
		case err != nil:
			return err
		case why == "" && result != is && through(e.path):
			why = "leads through a symbolic link here"
		}
		if why != "" {
			a.Conflicts = append(a.Conflicts, Conflict{e.path, why})
		} else if result != is {
			merged = append(merged, entry{path: e.path, mode: result.mode, blob: result.blob, deleted: result.mode == none})
			a.Files = append(a.Files, e.path)
		}
	}
	if len(a.Conflicts) > 0 || len(merged) == 0 {
		a.Files = nil
		return nil
	}
	if err := w.put(ctx, ours, before, merged); err != nil {
		return fmt.Errorf("%s cannot take the changes: %w", ours.repo.Top, err)
	}
	return nil
}

// present stores the present state of the files that changes are about. It returns the
// tree, and what differs in it from another one.
func (s shadow) present(ctx context.Context, other string, changes []entry) (tree string, differs map[string]entry, err error) {
	if err := s.begin(); err != nil {
		return "", nil, err
	}
	if err := s.take(ctx, changes); err != nil {
		return "", nil, err
	}
	if tree, err = s.tree(ctx); err != nil {
		return "", nil, err
	}
	all, err := s.compare(ctx, other, tree)
	differs = make(map[string]entry)
	for _, e := range all {
		differs[e.path] = e
	}
	return tree, differs, err
}

// take stores the present state of the files that are about to change.
func (s shadow) take(ctx context.Context, changes []entry) error {
	flagged, err := s.ask(ctx, question{args: []string{"ls-files", "-z", "-v"}})
	if err != nil {
		return err
	}
	flags := make(map[string]byte)
	for _, line := range names(flagged) {
		if len(line) > 2 && line[0] != 'H' {
			flags[line[2:]] = line[0]
		}
	}
	unmerged, err := s.ask(ctx, question{args: []string{"ls-files", "-z", "-u"}})
	if err != nil {
		return err
	}
	var paths, hidden []string
	for _, line := range names(unmerged) { // with them there is no tree
		if _, path, ok := strings.Cut(line, "\t"); ok && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	for _, e := range changes {
		info, err := os.Lstat(filepath.Join(s.repo.Top, e.path))
		flag := flags[e.path]
		if flag == 'S' || flag == 's' || flag == 'h' {
			hidden = append(hidden, e.path)
		}
		switch {
		case err == nil && info.IsDir() && e.mode != submodule && e.oldMode != submodule:
		case err != nil && (flag == 'S' || flag == 's'): // outside of a sparse checkout
		default:
			paths = append(paths, e.path)
		}
	}
	if len(hidden) > 0 {
		for _, flag := range []string{"--no-skip-worktree", "--no-assume-unchanged"} {
			if _, err := s.ask(ctx, question{args: []string{"update-index", "-z", flag, "--stdin"}, input: list(hidden)}); err != nil {
				return err
			}
		}
	}
	return s.add(ctx, paths)
}
