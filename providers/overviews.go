package providers

import (
	"context"
	"errors"
	"iter"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/rounds"
	"ctxfs/providers/facts"
	"ctxfs/providers/internal/workspaces"
)

// refreshPause is the time between two refreshes of the overviews, however often other
// providers change.
const refreshPause = 2 * time.Second

// overviews keeps what is made of what several providers say: the set of workspaces, and
// the pages of the [facts.Overview]s. One worker does so after others have changed.
type overviews struct {
	list       *List
	workspaces *workspaces.Set
	worker     *rounds.Worker
}

func newOverviews(l *List) *overviews {
	o := &overviews{list: l}
	o.worker = rounds.NewWorker(rounds.Options{Rest: refreshPause, Round: func(context.Context) {
		o.workspaces.Update()
		for _, p := range Of[facts.Overview](o.list) {
			p.Refresh()
		}
	}})
	return o
}

// visits returns where somebody has worked, as all providers know.
func (o *overviews) visits(since time.Time) (all []facts.Visit) {
	for _, p := range Of[facts.VisitSource](o.list) {
		all = append(all, p.Visits(since)...)
	}
	return all
}

// brief returns what all providers have to say about a folder, with paths from the root.
func (o *overviews) brief(dir string) (all []facts.Remark) {
	for _, p := range o.list.all {
		b, ok := p.Provider.(facts.Briefer)
		if !ok {
			continue
		}
		for _, r := range b.Brief(dir) {
			if r.Path != "" {
				r.Path = p.Folder + "/" + r.Path
			}
			all = append(all, r)
		}
	}
	return all
}

// plans yields what all providers know of plans, with paths from the root.
func (o *overviews) plans(ctx context.Context, known func(name string) string) iter.Seq[facts.PlanPart] {
	return func(yield func(facts.PlanPart) bool) {
		for _, p := range o.list.all {
			planner, ok := p.Provider.(facts.PlanSource)
			if !ok {
				continue
			}
			for part := range planner.Plans(ctx, known) {
				if part.Path != "" {
					part.Path = p.Folder + "/" + part.Path
				}
				if !yield(part) {
					return
				}
			}
		}
	}
}

// plansKnown waits until all providers know their plans, at most until ctx ends, and
// reports whether they do.
func (o *overviews) plansKnown(ctx context.Context) bool {
	for _, p := range Of[facts.PlanSource](o.list) {
		if !p.PlansKnown(ctx) {
			return false
		}
	}
	return true
}

// edits returns what was done in a folder since a time, as all providers know, with paths
// from the root.
func (o *overviews) edits(dir string, since time.Time) (all []facts.Edit) {
	for _, p := range o.list.all {
		w, ok := p.Provider.(facts.EditSource)
		if !ok {
			continue
		}
		for _, d := range w.Edits(dir, since) {
			d.By = p.Folder + "/" + d.By
			all = append(all, d)
		}
	}
	return all
}

// reads returns what a session last saw of the files in a folder. The error is
// fs.ErrNotExist if no provider knows the session.
func (o *overviews) reads(ctx context.Context, session, dir string) ([]facts.Read, error) {
	for _, p := range Of[facts.ReadSource](o.list) {
		if all, err := p.Reads(ctx, session, dir); !errors.Is(err, fs.ErrNotExist) {
			return all, err
		}
	}
	return nil, fs.ErrNotExist
}
