package providers

import (
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
)

// factsOf returns what all providers know of one kind, with paths from the root.
func factsOf[T any](l *List, pick func(facts.Sources) facts.Source[T]) facts.Source[T] {
	return func(ctx context.Context, known func(string) string) iter.Seq[facts.Part[T]] {
		return func(yield func(facts.Part[T]) bool) {
			for _, p := range l.all {
				of, ok := p.Provider.(facts.Provider)
				if !ok {
					continue
				}
				source := pick(of.Facts())
				if source == nil {
					continue
				}
				for part := range source(ctx, known) {
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
}

// complete waits until all providers know their plans, at most until ctx ends, and reports
// whether they do.
func (l *List) complete(ctx context.Context) bool {
	return !slices.ContainsFunc(Of[facts.Provider](l), func(p facts.Provider) bool {
		complete := p.Facts().Complete
		return complete != nil && !complete(ctx)
	})
}

// gather returns what all providers tell that can be asked: each thing with its path, if it has
// one, from the root.
func gather[P, T any](l *List, ask func(P) []T, path func(*T) *string) (all []T) {
	for _, p := range l.all {
		of, ok := p.Provider.(P)
		if !ok {
			continue
		}
		for _, one := range ask(of) {
			if path := path(&one); path != nil && *path != "" {
				*path = p.Folder + "/" + *path
			}
			all = append(all, one)
		}
	}
	return all
}

// gatherCounts returns what all providers count that can be asked, and what could not be counted.
func gatherCounts[P, T any](l *List, ask func(P) ([]T, error)) (all []T, _ error) {
	var failed []error
	for _, p := range Of[P](l) {
		some, err := ask(p)
		all, failed = append(all, some...), append(failed, err)
	}
	return all, errors.Join(failed...)
}

// brief returns what all providers have to say about a folder.
func (l *List) brief(dir string) []facts.Remark {
	return gather(l, func(p facts.Briefer) []facts.Remark { return p.Brief(dir) }, func(r *facts.Remark) *string { return &r.Path })
}

// visits returns the folders with work since a time.
func (l *List) visits(since time.Time) (all []facts.Visit) {
	for _, p := range Of[facts.VisitSource](l) {
		all = append(all, p.Visits(since)...)
	}
	return all
}

// edits returns what was done in a folder since a time.
func (l *List) edits(dir string, since time.Time) []facts.Edit {
	return gather(l, func(p facts.EditSource) []facts.Edit { return p.Edits(dir, since) }, func(e *facts.Edit) *string { return &e.By })
}

// reads returns what a session last saw of the files in a folder. The error is
// fs.ErrNotExist if no provider knows the session.
func (l *List) reads(ctx context.Context, session, dir string) ([]facts.Read, error) {
	for _, p := range Of[facts.ReadSource](l) {
		if all, err := p.Reads(ctx, session, dir); !errors.Is(err, fs.ErrNotExist) {
			return all, err
		}
	}
	return nil, fs.ErrNotExist
}
