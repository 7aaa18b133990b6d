package executor

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ctxfs/fs/cell"
	"ctxfs/fs/wording"
	"ctxfs/providers/executor/job"
	"ctxfs/providers/executor/runner"
)

// What is kept of runs that have ended: the newest ones, and these for a while. A run
// whose worktree still exists is kept with it: it has changes that were not adopted.
const (
	maxRuns = 200
	maxAge  = 30 * 24 * time.Hour
)

// pruneInterval is how often the age of runs is checked.
const pruneInterval = time.Hour

// keep ends what is left of runs that were killed, and deletes old ones, until Close.
func (p *Provider) keep() {
	tick := time.NewTicker(pruneInterval)
	defer tick.Stop()
	for {
		_ = cell.Run(p.clean)
		select {
		case <-tick.C:
		case <-p.ctx.Done():
			return
		}
	}
}

func (p *Provider) clean() {
	runner.EndLost(p.store)
	err := prune(p.store, p.opts.Env.Now())
	p.mu.Lock()
	defer p.mu.Unlock()
	if (err == nil) != (p.pruneErr == nil) {
		p.pruneErr = err
		p.publish()
		p.opts.Env.Changed(indexName)
	}
}

// prune deletes the runs beyond the limits, and what a prune that was killed has left.
func prune(store job.Store, now time.Time) error {
	left, _ := filepath.Glob(filepath.Join(store.Dir, deleted+"*"))
	for _, dir := range left {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	ids, err := store.List()
	if err != nil {
		return err
	}
	var ended []*job.Job
	for _, id := range ids {
		if j, err := store.Load(id); err == nil && j.Ended() {
			ended = append(ended, j)
		}
	}
	at := func(j *job.Job) time.Time { return wording.Later(j.Status.Created, j.Status.Ended) }
	slices.SortFunc(ended, func(a, b *job.Job) int { return cmp.Or(at(b).Compare(at(a)), cmp.Compare(a.ID, b.ID)) })
	for i, j := range ended {
		if i < maxRuns && now.Sub(at(j)) <= maxAge {
			continue
		}
		if _, err := os.Lstat(j.Path(job.TreeDir)); err == nil {
			continue
		}
		gone := filepath.Join(store.Dir, deleted+j.ID) // in one step, so that no reader sees half of it
		if err := os.Rename(j.Dir, gone); err != nil {
			return err
		}
		if err := os.RemoveAll(gone); err != nil {
			return err
		}
	}
	return nil
}

// deleted is the beginning of the names of folders that are being deleted.
const deleted = ".gone-"
