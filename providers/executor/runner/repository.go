package runner

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"ctxfs/providers/executor/job"
	"ctxfs/providers/executor/request"
	"ctxfs/providers/executor/worktree"
)

// repository is the repository in which an agent works, before and after.
type repository struct {
	git  *worktree.Git
	work *worktree.Work // nil if nothing is known of it
}

// How long it may take to tell what has changed: for those who wait for the result, and
// for those who have cancelled the run.
const (
	diffTime      = time.Minute
	cancelledTime = 5 * time.Second
)

var errDiffTime = errors.New("git took too long")

// enterRepository makes the worktree, if one is asked for, and else remembers what is there
// before the agent starts. A run that only reads changes nothing, but may be asked to read
// what is committed while others work in the folder.
func (r *run) enterRepository(ctx context.Context) error {
	if r.request.ReadOnly && !r.request.Worktree {
		return nil
	}
	var err error
	if r.repository.git, err = worktree.Open(r.Environ); err == nil {
		place := worktree.Place{Dir: r.job.Path(job.RepositoryDir), Folder: r.request.RepoDir, Outside: r.store.State()}
		if r.request.Worktree {
			r.repository.work, err = r.repository.git.Make(ctx, place, r.job.Path(job.TreeDir), "ctxfs/"+r.job.ID)
		} else {
			r.repository.work, err = r.repository.git.Watch(ctx, place)
		}
	}
	switch {
	case err == nil:
		r.status.Dir, r.status.Branch = r.repository.work.Folder(), r.repository.work.Branch
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case r.request.Worktree:
		return err
	}
	r.result.Notes = append(r.result.Notes, noDiff(err))
	return nil
}

// noDiff says why there is no diff.
func noDiff(err error) string { return "there is no diff: " + err.Error() }

// leaveRepository tells what has changed, in the result.
func (r *run) leaveRepository(why error) {
	if r.repository.work != nil {
		limit := diffTime
		if errors.Is(why, errCancelled) || errors.Is(why, errKilled) {
			limit = cancelledTime
		}
		tellChanges(r.repository.work, r.job, &r.result, limit)
		r.status.Branch = r.result.Branch
	}
	if r.repository.git != nil {
		r.repository.git.Close()
	}
}

// forget removes what is no longer needed once the result is stored.
func (r repository) forget() {
	if r.work != nil {
		_ = r.work.Forget() // or else the run takes it along when it is deleted
	}
}

// tellChanges tells what has changed while a run was under way. A worktree whose state
// is unknown is kept.
func tellChanges(work *worktree.Work, j *job.Job, r *request.Result, limit time.Duration) {
	ctx, cancel := context.WithTimeoutCause(context.Background(), limit, errDiffTime)
	defer cancel()
	c, err := work.End(ctx, j.Path(job.DiffFile))
	r.Diff, r.Changed, r.Worktree, r.Branch = c.Diff, c.Files, c.Worktree, c.Branch
	r.Notes = append(r.Notes, c.Notes...)
	if err != nil {
		r.Notes = append(r.Notes, noDiff(err))
		if work.Source != nil {
			r.Worktree, r.Branch = j.Path(job.TreeDir), work.Branch
		}
	}
}

// hint returns the line that tells the agent where its context is. It also says what is not
// in the worktree, which the agent would take for not being there.
func (r *run) hint(ctx context.Context) string {
	hint, mount := r.Tree.Hint(ctx)
	r.mount = mount
	if r.repository.work == nil || r.repository.work.Base() == "" {
		return hint
	}
	return strings.TrimSpace(hint + " You work in a git worktree; " + r.repository.work.Base() + ".")
}

// ErrNoWorktree reports that a run has no worktree, or none in which something has changed.
var ErrNoWorktree = errors.New("has no worktree with changes")

// Adopt merges what a run that has ended has changed in its worktree into the repository.
// The error is ErrNoWorktree, worktree.ErrUnchanged, a worktree.CutOffError, or says why that
// cannot be done.
func Adopt(ctx context.Context, j *job.Job, environ []string) (a worktree.Adoption, err error) {
	git, err := worktree.Open(environ)
	if err != nil {
		return a, err
	}
	defer git.Close()
	work, err := git.Resume(j.Path(job.RepositoryDir))
	if errors.Is(err, os.ErrNotExist) || err == nil && work.Source == nil {
		return a, ErrNoWorktree
	}
	if err != nil {
		return a, err
	}
	return work.Adopt(ctx)
}
