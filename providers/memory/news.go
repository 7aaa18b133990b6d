package memory

import (
	"context"
	"strings"

	"ctxfs/providers/facts"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/tokens"
	"ctxfs/providers/memory/page"
)

var _ facts.HookSource = (*Provider)(nil)

// News implements facts.HookSource: what is remembered of the project and of the user, at
// the start of a context. It words each memory as the page of the workspace does, so that
// each is told once.
func (p *Provider) News(_ context.Context, m facts.Moment) []facts.News {
	if m.Kind != facts.SessionStarts && m.Kind != facts.Compacted {
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
	return []facts.News{{Kind: facts.NewsMemory, Key: strings.TrimSpace(text), Rank: facts.Orienting, Text: text}}
}

// maxPushed is the longest memory that is said, in bytes.
const maxPushed = 240
