package workspaces

import (
	"context"

	"ctxfs/providers/facts"
)

var _ facts.HookSource = (*Provider)(nil)

// News implements facts.HookSource.
func (p *Provider) News(ctx context.Context, m facts.Moment) []facts.News {
	switch m.Kind {
	case facts.SessionStarts, facts.Compacted:
		return p.opening(ctx, m)
	case facts.Prompted:
		return p.behind(ctx, m)
	case facts.BeforeTool:
		p.edits.begin(m)
		return p.outdated(ctx, m)
	case facts.AfterTool:
		p.edits.note(m)
		p.edits.end(m)
	}
	return nil
}
