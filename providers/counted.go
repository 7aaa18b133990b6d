package providers

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"path/filepath"

	"ctxfs/fs"
	"ctxfs/providers/facts"
	"ctxfs/providers/stats"
)

// newCounter returns what counts for `ctxfs stats` what all providers know.
func (l *List) newCounter() *stats.Counter {
	return stats.New(stats.Options{
		Costs: l.costs, Calls: l.calls, Stored: l.stored, Spent: l.spent, Page: l.page, Told: l.told, ProjectOf: l.projectOf,
		Config: l.opts.Config, Cache: filepath.Join(l.opts.Cache, "stats"), Now: l.opts.Env("stats").Now,
	})
}

// projectOf returns the root of the project that a folder is in: the folder itself where that
// is in none, or not there any more; "" for none.
func (l *List) projectOf(dir string) string {
	if dir == "" {
		return ""
	}
	return cmp.Or(l.views.workspaces.RootAt(dir), dir)
}

// costs returns what all providers know of what agents are given.
func (l *List) costs(ctx context.Context, dir string) (all []facts.Cost, _ error) {
	var failed []error
	for _, p := range Of[facts.CostSource](l) {
		some, err := p.Costs(ctx, dir)
		all, failed = append(all, some...), append(failed, err)
	}
	return all, errors.Join(failed...)
}

// calls returns what all providers know of calls of tools.
func (l *List) calls(ctx context.Context, q facts.CallsQuery) (all []facts.ToolCalls, _ error) {
	var failed []error
	for _, p := range Of[facts.CallSource](l) {
		some, err := p.Calls(ctx, q)
		all, failed = append(all, some...), append(failed, err)
	}
	return all, errors.Join(failed...)
}

// stored returns what all providers know of results in files.
func (l *List) stored(ctx context.Context, q facts.CallsQuery) (all []facts.StoredResults, _ error) {
	var failed []error
	for _, p := range Of[facts.ResultSource](l) {
		some, err := p.Stored(ctx, q)
		all, failed = append(all, some...), append(failed, err)
	}
	return all, errors.Join(failed...)
}

// spent yields what all providers know of requests to models, with paths from the root.
func (l *List) spent(ctx context.Context, known func(name string) string) iter.Seq[facts.SpentPart] {
	return func(yield func(facts.SpentPart) bool) {
		for _, p := range l.all {
			spender, ok := p.Provider.(facts.SpendingSource)
			if !ok {
				continue
			}
			for part := range spender.Spent(ctx, known) {
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

// page returns the text of AGENTS.md.
func (l *List) page(ctx context.Context) (string, error) {
	if l.opts.Page == nil {
		return "", nil
	}
	return l.opts.Page(ctx)
}

// told returns to how many sessions hooks have told something, and how many tokens.
func (l *List) told(ctx context.Context) (sessions, tokens int, err error) {
	c, err := l.hooks.Costs(ctx, fs.None{})
	return c.Sessions, c.Tokens, err
}
