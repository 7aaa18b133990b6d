package workspaces

import (
	"context"

	"ctxfs/fs"
)

var _ fs.Herald = (*Provider)(nil)

// News implements fs.Herald.
func (p *Provider) News(ctx context.Context, m fs.Moment) []fs.News {
	switch m.Kind {
	case fs.SessionStarts, fs.Compacted:
		return p.opening(ctx, m)
	case fs.Prompted:
		return p.behind(ctx, m)
	case fs.BeforeTool:
		p.edits.begin(m)
		return p.outdated(ctx, m)
	case fs.AfterTool:
		p.edits.note(m)
		p.edits.end(m)
	}
	return nil
}
