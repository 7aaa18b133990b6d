package terminals

import (
	"context"
	"fmt"
	"path"
	"strconv"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
)

// mostFailures is how many commands that failed are told at once.
const mostFailures = 2

var _ facts.HookSource = (*Provider)(nil)

// News implements facts.HookSource: the commands that have failed in a terminal since the
// session's last turn, in its folder, below it or above it in the same project, and have not
// worked since.
func (p *Provider) News(_ context.Context, m facts.Moment) (news []facts.News) {
	if m.Kind != facts.Prompted || m.Turn.IsZero() || m.Dir == "" {
		return nil
	}
	last := make(lastRuns)
	p.mu.Lock()
	for _, t := range p.terminals {
		state := t.state.Load()
		for i := range state.Records {
			r := &state.Records[i]
			if !r.End.After(m.Turn) || r.Command == "" || !fs.Within(r.Cwd, m.Dir) && !fs.Within(m.Dir, r.Cwd) {
				continue
			}
			last.add(r, state)
		}
	}
	p.mu.Unlock()
	p.inProject(last, m.Dir)
	for _, f := range stillFailing(last) {
		if len(news) == mostFailures {
			break
		}
		file := m.Path(path.Join("terminals", f.terminal.ID, commandsName, strconv.Itoa(f.N)+".txt"))
		text := fmt.Sprintf("In terminal %s `%s` failed %s", f.terminal.ID, clean.Cut(clean.Line(f.Command), commandLen), wording.Minute(f.End))
		if f.Exit != nil {
			text += fmt.Sprintf(", exit %d", *f.Exit)
		}
		if why := f.cause(); why != "" {
			text += fmt.Sprintf(", with %q", why)
		}
		news = append(news, facts.News{
			Kind: facts.NewsTerminals, Key: f.terminal.ID + "/" + strconv.Itoa(f.N) + "@" + f.End.Format(time.RFC3339Nano), Rank: facts.Behind,
			Text: text + ": " + clean.Line(file),
		})
	}
	return news
}

// inProject leaves out the commands above a folder that ran outside its project.
func (p *Provider) inProject(all lastRuns, dir string) {
	root, asked := "", false
	for key, f := range all {
		if fs.Within(f.Cwd, dir) {
			continue
		}
		if !asked && p.opts.Root != nil {
			root, asked = p.opts.Root(dir), true
		}
		if root == "" || !fs.Within(f.Cwd, root) {
			delete(all, key)
		}
	}
}
