package executor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"ctxfs/fs/await"
	"ctxfs/providers/executor/job"
)

// awaitKind is the kind of the condition that a run has ended.
const awaitKind = "agent"

// Awaits implements await.Awaiter.
func (p *Provider) Awaits() []await.Awaitable {
	a := await.Awaitable{Kind: awaitKind, Name: "ID", Until: []string{""}}
	for _, r := range p.shown.Load().runs {
		a.Names = append(a.Names, r.ID)
	}
	return []await.Awaitable{a}
}

// Await implements await.Awaiter.
func (p *Provider) Await(_ context.Context, c await.Condition) (await.Pending, error) {
	switch {
	case c.Name == "":
		return nil, &await.AwaitError{State: await.NoSense, What: "agent: which run? give its id", Mend: "list them: ctxfs agent ps"}
	case c.Until != "":
		return nil, &await.AwaitError{State: await.NoSense, What: "agent ID waits until the run has ended; nothing follows it, but there is " + c.Until}
	}
	j, err := p.store.Find(c.Name)
	if missing := (*job.Missing)(nil); errors.As(err, &missing) {
		e := &await.AwaitError{State: await.Unnamed, What: err.Error(), Mend: "list them: ctxfs agent ps --all"}
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

// Paths implements await.Pending.
func (w *agentWait) Paths() []string {
	return []string{filepath.Join(w.p.store.Dir, w.id, job.ResultFile)}
}

// blind is the polling interval where no watcher reports that a run's processes were killed.
const blind = time.Second

// Check implements await.Pending.
func (w *agentWait) Check(context.Context) (await.Standing, error) {
	j, err := w.p.store.Load(w.id)
	if errors.Is(err, os.ErrNotExist) {
		return await.Standing{State: await.Never, What: "the run " + w.id + " was deleted"}, nil
	}
	if err != nil {
		return await.Standing{What: err.Error(), Again: time.Now().Add(blind)}, nil
	}
	if j.Ended() {
		return await.Standing{
			State: await.Met, What: fmt.Sprintf("agent %s has ended: %s", w.id, j.Result.Ended),
			More: "ctxfs agent result " + w.id, Path: w.id + "/" + pageName,
		}, nil
	}
	s := await.Standing{What: "agent " + w.id + " runs", More: "ctxfs agent ps", Path: w.id + "/" + job.StatusFile}
	if j.Status.State == job.Waiting {
		s.What = "agent " + w.id + " waits for its turn"
	}
	if !w.p.opts.Watch {
		s.Again = time.Now().Add(blind)
	}
	return s, nil
}
