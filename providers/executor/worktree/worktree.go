// Package worktree tells what changes in a repository while an agent works in it, and has
// agents work in git worktrees of their own.
//
// A run without a worktree leaves its changes where it makes them, and the diff says what
// they are ([Git.Watch]). The state of the work tree is stored before and after, with all
// files that are not ignored, in an index and a folder of objects beside the repository's
// (shadow.go): its index, HEAD and objects stay untouched, and commits that the agent makes
// are in the diff like everything else. So is what others change meanwhile.
//
// A run with a worktree has a branch of its own ([Git.Make]). It begins with the commit that
// is checked out: what is not committed is not in it, and that is said, since an agent would
// take what it does not see for not being there. Afterwards the worktree and the branch are
// removed if nothing has changed. Otherwise [Work.Adopt] merges the changes into the
// repository.
//
// All that is known of a run stands in a folder of its own, so that whoever comes next can
// end what was begun by a process that was killed.
//
// In order: git.go (how git is asked), shadow.go and diff.go (the state of a work tree, and
// what differs), worktree.go (a run from its beginning to its end), made.go (worktrees),
// adopt.go, merge.go and put.go (adoption).
package worktree

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/atomicfile"
	"ctxfs/providers/internal/filelock"
)

// Place says what a run works on.
type Place struct {
	// Dir is a folder for what is known of the run's repository.
	Dir string
	// Folder is where the agent was asked to work, an absolute path.
	Folder string
	// Outside is a folder whose changes are not the agent's, even if it lies in the
	// repository: that in which ctxfs keeps its state.
	Outside string
}

// Work is what is known of a repository in which an agent works, or has worked.
type Work struct {
	git *Git
	dir string
	// removing reports that the worktree is being removed, or was half of it: what is
	// missing there was not deleted by the agent.
	removing bool
	record
}

// record is what is stored of it.
type record struct {
	// Repository is where the agent works, as it was before. Of a worktree that is not made
	// yet only Top, Head and Prefix are known.
	Repository repository `json:"repository"`
	Outside    string     `json:"outside"`
	// Source is the repository whose worktree it is, or nil.
	Source *repository `json:"source,omitempty"`
	Branch string      `json:"branch,omitempty"` // the one that was made for the worktree
	// Missing is how many files were not committed, and are not in the worktree.
	Missing int `json:"missing,omitempty"`
	// Large are the files that were not stored before.
	Large map[string]stamp `json:"large,omitempty"`
	// Index is the stamp of the repository's index.
	Index stamp `json:"index,omitzero"`
	// Before is the tree of what was there before, once it is known.
	Before string `json:"before,omitempty"`
	// Adopted is the tree of what was adopted, and when.
	Adopted   string    `json:"adopted,omitempty"`
	AdoptedAt time.Time `json:"adopted_at,omitzero"`
	// Putting is what an adoption is changing in the files of the source.
	Putting *putting `json:"putting,omitempty"`
}

// The files of a run.
const (
	recordFile = "repository.json"
	// removingFile is the name of the record from when the worktree is being removed. On a
	// full disk it could not be written, but it can be renamed.
	removingFile = "removing.json"
	lockFile     = "lock"
)

// How long git may take.
const (
	watchTime = 20 * time.Second // before an agent starts in a repository
	makeTime  = 10 * time.Minute // to make a worktree
)

// errSlow is why git was ended.
func errSlow(limit time.Duration) error {
	return fmt.Errorf("git took longer than %s", wording.Seconds(limit))
}

func (w *Work) save() error {
	body, err := json.Marshal(w.record)
	if err != nil {
		return err
	}
	name := recordFile
	if w.removing {
		name = removingFile
	}
	return atomicfile.Write(filepath.Join(w.dir, name), body)
}

// Resume returns what is known in a folder. The error is one of package fs, with
// fs.ErrNotExist, if nothing is.
func (g *Git) Resume(dir string) (*Work, error) {
	w := &Work{git: g, dir: dir}
	path := filepath.Join(dir, recordFile)
	body, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		w.removing, path = true, filepath.Join(dir, removingFile)
		body, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(body, &w.record); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", path, err)
	}
	return w, nil
}

// lock keeps other processes from the same run.
func (w *Work) lock(ctx context.Context) (*filelock.Lock, error) {
	lock, err := filelock.Wait(ctx, filepath.Join(w.dir, lockFile), filelock.Exclusive)
	if err == nil {
		_ = os.Remove(w.shadow().index() + ".lock") // left by a git that was killed
	}
	return lock, err
}

// Folder is where the agent works.
func (w *Work) Folder() string { return filepath.Join(w.Repository.Top, w.Repository.Prefix) }

func (w *Work) shadow() shadow {
	return shadow{git: w.git, repo: w.Repository, dir: w.dir, outside: w.Outside}
}

// Watch stores the state of the repository in which a folder lies, so that End can tell
// what has changed. The error is ErrNone or ErrBare, or says why that cannot be told.
func (g *Git) Watch(ctx context.Context, p Place) (*Work, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, watchTime, errSlow(watchTime))
	defer cancel()
	repo, err := g.locate(ctx, p.Folder)
	if err != nil {
		return nil, err
	}
	w := &Work{git: g, dir: p.Dir, record: record{Repository: repo, Outside: p.Outside, Index: stampOf(repo.Index)}}
	s := w.shadow()
	if err := s.begin(); err != nil {
		return nil, err
	}
	small, large, err := s.candidates(ctx, nil)
	if err == nil {
		err = s.add(ctx, small)
	}
	if err != nil {
		return nil, err
	}
	w.Large = large
	return w, w.save()
}

// Changes are what an agent has changed.
type Changes struct {
	// Diff is the path of a patch; "" if nothing has changed, or nothing that is in it.
	Diff string
	// Files are those that have changed, relative to the folder in which the agent works,
	// with slashes: at most maxListed.
	Files []string
	// Worktree is the folder of a worktree that is kept, Branch the one that is checked out
	// there.
	Worktree, Branch string
	// Notes say what else is to be known.
	Notes []string
}

// maxListed is how many files are listed.
const maxListed = 1000

// End tells what has changed, and writes the patch to a file. A worktree in which nothing
// has is removed. It can be called again, as by another process if this one is killed before
// it has stored what it was told; then Forget is to be called.
func (w *Work) End(ctx context.Context, diff string) (c Changes, err error) {
	lock, err := w.lock(ctx)
	if err != nil {
		return c, err
	}
	defer lock.Release()
	if w.Source != nil {
		return w.endWorktree(ctx, diff)
	}
	if !exists(w.Repository.Private) {
		return c, errors.New("the repository was removed")
	}
	s := w.shadow()
	var named []string
	if w.Repository.Head != "" && stampOf(w.Repository.Index) != w.Index {
		// What is ignored may have been added, and committed.
		out, err := s.ask(ctx, question{args: []string{"diff-index", "--cached", "-z", "--name-only", "--no-renames", w.Repository.Head}, env: []string{"GIT_INDEX_FILE=" + w.Repository.Index}})
		if err == nil {
			named = names(out)
		}
	}
	small, large, err := s.candidates(ctx, w.Large, named...)
	if err != nil {
		return c, err
	}
	for path := range w.Large {
		if !exists(filepath.Join(w.Repository.Top, path)) {
			large[path] = stamp{}
		}
	}
	if w.Before == "" {
		if w.Before, err = s.tree(ctx); err == nil {
			err = w.save()
		}
		if err != nil {
			return c, err
		}
	}
	if err := s.add(ctx, small); err != nil {
		return c, err
	}
	now, err := s.tree(ctx)
	if err == nil {
		err = w.describe(ctx, s, &c, now, large, diff)
	}
	return c, err
}

// Forget removes what is known of a run, unless it has a worktree.
func (w *Work) Forget() error {
	if w.Source != nil {
		return nil
	}
	return os.RemoveAll(w.dir) // the patch has everything
}

// describe fills in the files that differ between Before and a tree, or are too large, and
// writes the patch.
func (w *Work) describe(ctx context.Context, s shadow, c *Changes, now string, large map[string]stamp, diff string) error {
	changed := make(map[string]bool)
	if now != w.Before {
		entries, err := s.compare(ctx, w.Before, now)
		if err != nil {
			return err
		}
		for _, e := range entries {
			changed[e.path] = true
		}
		whole, err := s.writeDiff(ctx, diff, w.Before, now)
		if err != nil {
			return err
		}
		c.Diff = diff
		if !whole {
			c.Notes = append(c.Notes, fmt.Sprintf("the diff is not complete: what is beyond %s is left out", wording.Size(maxDiff)))
		}
	}
	var left, inner []string
	for path := range large {
		switch {
		case strings.HasSuffix(path, "/"):
			inner = append(inner, Shown(path))
		case !changed[path]:
			left = append(left, Shown(path))
		}
		changed[path] = true
	}
	if slices.Sort(left); len(left) > 0 {
		c.Notes = append(c.Notes, "too large for the diff: "+wording.List(left, 5))
	}
	if slices.Sort(inner); len(inner) > 0 {
		c.Notes = append(c.Notes, "not in the diff, since they are repositories of their own: "+wording.List(inner, 5))
	}
	for path := range changed {
		if within, err := filepath.Rel(filepath.FromSlash("/"+w.Repository.Prefix), "/"+path); err == nil {
			c.Files = append(c.Files, filepath.ToSlash(within))
		}
	}
	slices.Sort(c.Files)
	if n := len(c.Files); n > maxListed {
		c.Files = c.Files[:maxListed]
		c.Notes = append(c.Notes, fmt.Sprintf("%d files have changed, of which the first %d are listed", n, maxListed))
	}
	return nil
}

// stampOf returns the stamp of a file; that of none if there is none.
func stampOf(path string) (is stamp) {
	info, err := os.Stat(path)
	if err != nil {
		return is
	}
	return stamp{Size: info.Size(), Time: info.ModTime().UnixNano()}
}
