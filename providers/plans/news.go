package plans

import (
	"context"
	"fmt"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
)

const (
	// silence is how long a session has said nothing before it is told what it had still to
	// do.
	silence = 4 * time.Hour
	// mostReminded is how many tasks it is told, and maxReminded the longest of them in
	// bytes.
	mostReminded = 5
	maxReminded  = 120
)

var _ facts.HookSource = (*Provider)(nil)

// News implements facts.HookSource: what is still to do on a session's own lists, after a long
// silence. Once for each silence.
func (p *Provider) News(_ context.Context, m facts.Moment) []facts.News {
	if m.Kind != facts.Prompted || m.Session == "" || m.Subagent != "" || m.Last.IsZero() || m.Time.Sub(m.Last) < silence {
		return nil
	}
	var tasks []string
	file := ""
	more := 0
	for _, project := range p.shown().projects {
		for _, t := range project.open {
			if t.entry.session != m.Session {
				continue
			}
			if len(tasks) == mostReminded {
				more++
				continue
			}
			tasks = append(tasks, "\n- "+clean.Cut(clean.Line(t.Text), maxReminded))
			file = m.Path("plans/" + t.entry.place())
		}
	}
	if len(tasks) == 0 {
		return nil
	}
	text := fmt.Sprintf("Open on this session's own list, silent since %s (%s):", wording.Minute(m.Last), clean.Line(file))
	for _, t := range tasks {
		text += t
	}
	if more > 0 {
		text += fmt.Sprintf("\n- and %d more", more)
	}
	return []facts.News{{Kind: facts.NewsTasks, Key: m.Last.Format(time.RFC3339Nano), Rank: facts.Reminding, Text: text}}
}
