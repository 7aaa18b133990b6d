package providers

import (
	"cmp"
	"context"
	"path/filepath"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/providers/stats"
)

// newCounter returns what counts for `ctxfs stats` what all providers know.
func (l *List) newCounter() *stats.Counter {
	return stats.New(stats.Options{
		Costs: func(ctx context.Context, dir string) ([]facts.Cost, error) {
			return gatherCounts(l, func(p facts.CostSource) ([]facts.Cost, error) { return p.Costs(ctx, dir) })
		},
		Calls: func(ctx context.Context, q facts.CallsQuery) ([]facts.ToolCalls, error) {
			return gatherCounts(l, func(p facts.CallSource) ([]facts.ToolCalls, error) { return p.Calls(ctx, q) })
		},
		Stored: func(ctx context.Context, q facts.CallsQuery) ([]facts.StoredResults, error) {
			return gatherCounts(l, func(p facts.ResultSource) ([]facts.StoredResults, error) { return p.Stored(ctx, q) })
		},
		Spent: factsOf(l, func(s facts.Sources) facts.Source[facts.Calls] { return s.Calls }),
		Page:  l.page, Told: l.told, ProjectOf: l.projectOf,
		Config: l.opts.Config, Cache: filepath.Join(l.opts.Cache, "stats"), Now: l.opts.Env("stats").Now,
	})
}

// projectOf returns the root of the project that a folder is in: the folder itself where that
// is in none, or not there any more; "" for none.
func (l *List) projectOf(dir string) string {
	if dir == "" {
		return ""
	}
	return cmp.Or(l.workspaces.RootAt(dir), dir)
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
