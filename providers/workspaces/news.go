package workspaces

import (
	"context"

	"ctxfs/fs"
)

var _ fs.Herald = (*Provider)(nil)

// News implements fs.Herald.
func (p *Provider) News(ctx context.Context, m fs.Moment) []fs.News {
	switch m.Kind {
	case fs.BeforeTool:
		return p.outdated(ctx, m)
	case fs.AfterTool:
		p.edits.note(m)
	}
	return nil
}
