package memory

import (
	"context"
	"strings"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/tokens"
	"ctxfs/providers/memory/page"
)

var _ fs.Herald = (*Provider)(nil)

// News implements fs.Herald: what is remembered of the project and of the user, at the
// start of a context. It says each memory as the page of the workspace does, so that none
// is said twice.
func (p *Provider) News(_ context.Context, m fs.Moment) []fs.News {
	if m.Kind != fs.SessionStarts && m.Kind != fs.Compacted {
		return nil
	}
	s := p.shown()
	text := "Remembered from before, by the user or an agent (more: " + m.Path("memory/"+indexName) + "):"
	left := page.Budget - tokens.Count(text)
	any := false
	for _, sec := range s.forProject(m.Dir) {
		for _, e := range sec.Pushed {
			line := "\n- " + clean.Cut(clean.Line(e.Description), maxPushed)
			if left -= tokens.Count(line); left < 0 {
				break
			}
			text += line
			any = true
		}
	}
	if !any {
		return nil
	}
	return []fs.News{{Kind: fs.NewsMemory, Key: strings.TrimSpace(text), Rank: fs.Orienting, Text: text}}
}

// maxPushed is the longest memory that is said, in bytes.
const maxPushed = 240
