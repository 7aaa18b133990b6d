package executor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"ctxfs/providers/executor/job"
	"ctxfs/providers/wait"
)

// awaitKind is the kind of the condition that a run has ended.
const awaitKind = "agent"

// Awaits implements wait.Awaiter.
func (p *Provider) Awaits() []wait.Awaitable {
	a := wait.Awaitable{Kind: awaitKind, Name: "ID", Until: []string{""}}
	for _, r := range p.shown.Load().runs {
		a.Names = append(a.Names, r.ID)
	}
	return []wait.Awaitable{a}
}

// Await implements wait.Awaiter.
func (p *Provider) Await(_ context.Context, c wait.Condition) (wait.Pending, error) {
	switch {
	case c.Name == "":
		return nil, &wait.AwaitError{State: wait.NoSense, What: "agent: which run? give its id", Mend: "list them: ctxfs agent ps"}
	case c.Until != "":
		return nil, &wait.AwaitError{State: wait.NoSense, What: "agent ID waits until the run has ended; nothing follows it, but there is " + c.Until}
	}
	j, err := p.store.Find(c.Name)
	if missing := (*job.Missing)(nil); errors.As(err, &missing) {
		e := &wait.AwaitError{State: wait.Unnamed, What: err.Error(), Mend: "list them: ctxfs agent ps --all"}
		if missing.Near != "" {
			e.Mend = "did you mean: agent " + missing.Near
		}
		return nil, e
	}
	if err != nil {
		return nil, err
	}
	return &agentWait{p, j.ID}, nil
}

// agentWait waits for the end of a run.
type agentWait struct {
	p  *Provider
	id string
}

// Paths implements wait.Pending.
func (w *agentWait) Paths() []string {
	return []string{filepath.Join(w.p.store.Dir, w.id, job.ResultFile)}
}

// blind is the polling interval where no watcher reports that a run's processes were killed.
const blind = time.Second

// Check implements wait.Pending.
func (w *agentWait) Check(context.Context) (wait.Standing, error) {
	j, err := w.p.store.Load(w.id)
	if errors.Is(err, os.ErrNotExist) {
		return wait.Standing{State: wait.Never, What: "the run " + w.id + " was deleted"}, nil
	}
	if err != nil {
		return wait.Standing{What: err.Error(), Again: time.Now().Add(blind)}, nil
	}
	if j.Ended() {
		return wait.Standing{
			State: wait.Met, What: fmt.Sprintf("agent %s has ended: %s", w.id, j.Result.Ended),
			More: "ctxfs agent result " + w.id, Path: w.id + "/" + pageName,
		}, nil
	}
	s := wait.Standing{What: "agent " + w.id + " runs", More: "ctxfs agent ps", Path: w.id + "/" + job.StatusFile}
	if j.Status.State == job.Waiting {
		s.What = "agent " + w.id + " waits for its turn"
	}
	if !w.p.opts.Watch {
		s.Again = time.Now().Add(blind)
	}
	return s, nil
}
