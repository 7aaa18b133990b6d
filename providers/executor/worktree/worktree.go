// Package worktree tells what changes in a repository while an agent works in it, and has
// agents work in git worktrees of their own.
//
// A run without a worktree leaves its changes where it makes them, and the diff says what
// they are ([Git.Watch]). The state of the work tree is stored before and after, with all
// files that are not ignored, by git itself, in an index and a folder of objects of the run:
// the repository's index, HEAD and objects stay untouched, and commits that the agent makes
// are in the diff like everything else. So is what others change meanwhile.
//
// A run with a worktree has a branch of its own ([Git.Make]). It begins with the commit that
// is checked out: what is not committed is not in it, and that is said, since an agent would
// take what it does not see for not being there. Afterwards the worktree and the branch are
// removed if nothing has changed. Otherwise [Work.Adopt] has git merge the changes into the
// files of the repository.
//
// All that is known of a run stands in a folder of its own, so that the next process can
// end what a killed one has started.
//
// In order: git.go (how git is asked), state.go (the state of a work tree, and what differs),
// worktree.go (a run from its beginning to its end), made.go (worktrees), adopt.go.
package worktree

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/atomicfile"
	"ctxfs/providers/internal/filelock"
	"ctxfs/providers/internal/git"
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
	record
	shown []*git.View // see show
}

// record is what is stored of it.
type record struct {
	// Repository is where the agent works, as it was before. Of a worktree that is not made
	// yet only Top, Head and Prefix are known.
	Repository repository `json:"repository"`
	// Outside is that of the place, unless the worktree lies in it.
	Outside string `json:"outside,omitempty"`
	// Before is the tree or commit that was there before, Large are the files that are not in
	// it, since they were too large.
	Before string            `json:"before,omitempty"`
	Large  map[string]string `json:"large,omitempty"`
	// Source is the repository whose worktree it is, or nil.
	Source *repository `json:"source,omitempty"`
	Branch string      `json:"branch,omitempty"` // the one that was made for the worktree
	// Missing is how many files were not committed, and are not in the worktree.
	Missing int `json:"missing,omitempty"`
	// Adopted reports whether its changes are in the source.
	Adopted bool `json:"adopted,omitempty"`
}

const recordFile = "repository.json"

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
	return atomicfile.Write(filepath.Join(w.dir, recordFile), body)
}

// Resume returns what is known in a folder. The error is fs.ErrNotExist if nothing is.
func (g *Git) Resume(dir string) (*Work, error) {
	w := &Work{git: g, dir: dir}
	path := filepath.Join(dir, recordFile)
	body, err := os.ReadFile(path)
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
	return filelock.Wait(ctx, filepath.Join(w.dir, "lock"), filelock.Exclusive)
}

// Folder is where the agent works.
func (w *Work) Folder() string { return filepath.Join(w.Repository.Top, w.Repository.Prefix) }

// Watch stores the state of the repository in which a folder lies, so that End can tell
// what has changed. The error is ErrNone or ErrBare, or says why that cannot be told.
func (g *Git) Watch(ctx context.Context, p Place) (*Work, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, watchTime, errSlow(watchTime))
	defer cancel()
	w := &Work{git: g, dir: p.Dir, record: record{Outside: p.Outside}}
	defer w.hide()
	var err error
	if w.Repository, err = w.locate(ctx, p.Folder); err != nil {
		return nil, err
	}
	if w.Before, w.Large, err = w.state(ctx); err != nil {
		return nil, err
	}
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

// End tells what has changed, and writes the patch to a file. A worktree in which nothing
// has is removed. It can be called again, as by another process if this one is killed before
// it has stored what it was told; then Forget is to be called.
func (w *Work) End(ctx context.Context, diff string) (c Changes, err error) {
	lock, err := w.lock(ctx)
	if err != nil {
		return c, err
	}
	defer lock.Release()
	defer w.hide()
	defer func() { c.Notes = append(c.Notes, w.unrun()...) }()
	if w.Source != nil {
		return w.endWorktree(ctx, diff)
	}
	if !git.Exists(w.Repository.Private) {
		return c, errors.New("the repository was removed")
	}
	now, large, err := w.state(ctx)
	if err == nil {
		err = w.describe(ctx, &c, now, large, diff)
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
