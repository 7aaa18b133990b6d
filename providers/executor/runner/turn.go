package runner

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"time"

	"ctxfs/providers/executor/job"
	"ctxfs/providers/internal/filelock"
)

// turnTime is how often a run that waits looks whether it is its turn.
const turnTime = 100 * time.Millisecond

// errStuck reports that a run would wait for ever.
var errStuck = errors.New("as many agents as may run at once wait for agents that they have started, so this one would wait for ever")

// turn waits until fewer than limit runs have their turn, and all that came before have had
// theirs, and says in the status that the run has its own: until it ends, however it does.
// Waits is called once if it has to be waited for.
//
// A run that was started by another one waits as well, unless each run that has its turn
// would then wait for one that has not. So there is always one that can end.
func turn(ctx context.Context, store job.Store, j *job.Job, limit int, waits func()) error {
	for first := true; ; first = false {
		has, err := look(ctx, store, j, limit, first)
		if has || err != nil {
			return err
		}
		if first {
			waits()
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(turnTime):
		}
	}
}

// look gives the run its turn if there is one, and says that it has. One looks at a time.
func look(ctx context.Context, store job.Store, j *job.Job, limit int, first bool) (has bool, err error) {
	gate, err := filelock.Wait(ctx, filepath.Join(store.Dir, job.GateFile), filelock.Exclusive)
	if err != nil {
		return false, cmp.Or(context.Cause(ctx), err)
	}
	defer gate.Release()
	all, err := store.Open()
	if err != nil {
		return false, err
	}
	before, blocked, stuck := 0, make(map[string]bool), 0
	for _, other := range all {
		s := other.Status
		if other.ID == j.ID || !s.Turn {
			for id := s.Within; id != "" && !blocked[id]; id = all[id].Status.Within {
				if blocked[id] = true; all[id] == nil {
					break
				}
			}
		}
		if other.ID != j.ID && (s.Turn || cmp.Or(s.Created.Compare(j.Status.Created), cmp.Compare(other.ID, j.ID)) < 0) {
			before++
		}
	}
	if before < limit {
		s := j.Status
		s.Turn = true
		_ = j.SetStatus(s) // on a full disk one too many may run
		return true, nil
	}
	for id, other := range all {
		if other.Status.Turn && blocked[id] {
			stuck++
		}
	}
	if first && stuck >= limit {
		return false, errStuck
	}
	return false, nil
}
