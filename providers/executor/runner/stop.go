package runner

import (
	"context"
	"errors"
	"syscall"
	"time"

	"ctxfs/providers/executor/job"
	"ctxfs/providers/internal/confined"
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
