package runner

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"

	"ctxfs/providers/executor/job"
	"ctxfs/providers/executor/worktree"
	"ctxfs/providers/internal/confined"
	"ctxfs/providers/internal/procs"
)

// stopTime is how long a run may take to end that was told to: more than twice what it
// takes on a machine that does nothing else.
const stopTime = 10 * time.Second

var errDeaf = errors.New("it was told to end, and has not")

// Stop ends a run with all that belongs to it, as its caller's end does, and returns it with
// its result. One that has ended already is no error.
func Stop(ctx context.Context, store job.Store, id string) (*job.Job, error) {
	if run, ok := confined.In(store.State()).Run(id); ok {
		if err := run.Signal(syscall.SIGTERM); err != nil {
			return nil, err
		}
		_ = run.Signal(syscall.SIGCONT) // or it would not notice, if it is stopped
	}
	ctx, cancel := context.WithTimeoutCause(ctx, stopTime, errDeaf)
	defer cancel()
	j, err := store.Wait(ctx, id)
	EndLost(store)
	return j, err
}

// freeTime is how long the lock of a run may be held after its processes were killed: much
// longer than the kernel takes.
const freeTime = time.Second

// EndLost ends what is left of runs whose keeper and runner were killed at once, and
// writes that they are lost. It only looks at a folder if no runs are registered, and
// does nothing in a read-only run, whose sandbox would not let it.
func EndLost(store job.Store) {
	register := confined.In(store.State())
	abandoned := register.Abandoned()
	if len(abandoned) == 0 || register.Check(os.Getpid()) != nil {
		return
	}
	for _, run := range abandoned {
		j, err := store.Load(run.ID)
		if err == nil && j.Result == nil { // its runner lives, or was just killed
			ctx, cancel := context.WithTimeout(context.Background(), freeTime)
			j, err = store.Wait(ctx, run.ID)
			cancel()
			if errors.Is(err, context.DeadlineExceeded) || err == nil && j.Result == nil {
				continue // it lives, and is about to end it
			}
		}
		for _, inner := range register.Runs() { // has a mark of its own
			if in, err := store.Load(inner.ID); err == nil && in.Status.Within == run.ID {
				_ = inner.Signal(syscall.SIGTERM)
				_ = inner.Signal(syscall.SIGCONT) // the killed process may just have stopped it, to end it
			}
		}
		ended := procs.EndMarked(run.Mark)
		if err == nil {
			endLost(j, os.Environ())
		}
		if ended { // what lives may be confined
			register.Leave(run.ID)
		}
	}
}

// endLost does what a runner that was killed would have done when its agent had ended. If it
// has stored the result, it was about to end itself.
func endLost(j *job.Job, environ []string) {
	_ = os.RemoveAll(j.Path(job.ScratchDir))
	var repository repository
	if git, err := worktree.Open(environ); err == nil {
		defer git.Close()
		repository.work, _ = git.Resume(j.Path(job.RepositoryDir))
	}
	if _, err := os.Stat(j.Path(job.ResultFile)); err != nil {
		j.Result.Notes = append(j.Result.Notes, keepLostConfiguration(j)...)
		if repository.work != nil {
			tellChanges(repository.work, j, j.Result, cancelledTime)
		}
		_ = j.Finish(*j.Result, time.Now())
	}
	repository.forget()
}
