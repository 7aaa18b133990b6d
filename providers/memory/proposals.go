package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/rounds"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/shelf"
	"ctxfs/providers/memory/fact"
	"ctxfs/providers/memory/proposed"
	"ctxfs/providers/memory/store"
)

// A session that is being written has news all the time. So what was stated is read again
// firstPause after the last time at the earliest, and less and less often while there is
// more, down to once in learnPause.
const (
	firstPause = time.Second
	learnPause = 30 * time.Second
)

// listen has what was stated read again when there is news of it, once it is started.
func (p *Provider) listen() {
	most := cmp.Or(p.opts.Pause, learnPause)
	p.heard = rounds.NewWorker(rounds.Options{Round: p.learn, Rest: min(firstPause, most), MostRest: most})
	if p.opts.OnStatement != nil {
		p.opts.OnStatement(p.heard.Poke)
	}
}

// learn reads what was stated.
func (p *Provider) learn(ctx context.Context) {
	if p.opts.Statements == nil {
		return
	}
	p.book.Refresh(ctx, p.opts.Statements)
	p.book.Keep(p.opts.Env.Log)
	p.Poke()
}

// propose adds what is proposed beside these memories.
func (m *maker) propose(s *snapshot) {
	p := m.provider
	type known struct {
		scope string
		key   uint64
	}
	remembered := make(map[known]bool)
	for _, sec := range s.sections {
		for _, e := range sec.entries {
			for _, m := range e.members {
				remembered[known{m.Scope, m.Key()}] = true
				remembered[known{m.Scope, m.About()}] = true
			}
		}
	}
	if p.whole.Load() {
		s.proposals = p.book.Proposals(p.scopeOf, func(scope, text string) bool {
			key := fact.KeyOf(text)
			return remembered[known{scope, key}] || remembered[known{fact.User, key}]
		})
	}
	var newest time.Time
	for _, one := range s.proposals {
		s.pages = append(s.pages, shelf.Page{Path: proposedName + "/" + one.Name + fact.Extension, Body: one.File(p.opts.Home), Time: one.Time})
		newest = wording.Later(newest, one.Time)
	}
	s.pages = append(s.pages, shelf.Page{Path: proposedName + "/" + proposed.IndexName, Body: proposed.Index(s.proposals, p.opts.Home), Time: newest})
}

// scopeOf returns the scope of statements in a folder, which may be gone. The home
// folder, what is above it, and what is in a view of ours are no project.
func (p *Provider) scopeOf(dir string) string {
	if w, ok := p.opts.Workspaces.Of(dir); ok && dir != "" {
		return w.Dir
	}
	if !strings.HasPrefix(dir, "/") || fs.Within(p.opts.Home, dir) || p.opts.Hides(dir) {
		return fact.User
	}
	return dir
}

// DecideQuery decides about proposals: about all that are named, or none.
type DecideQuery struct {
	Names []string `json:"names"`
	// Dismiss is to drop them for good; else they are remembered.
	Dismiss bool `json:"dismiss,omitempty"`
}

// DecidedProposal is what became of a proposal.
type DecidedProposal struct {
	Text string `json:"text"`
	// Path is that of the memory that it has become.
	Path string `json:"path,omitempty"`
}

// The operations.
var (
	// OpProposed lists what is proposed: with a folder that of its project, and of the user.
	OpProposed = fs.Op[fs.Standpoint, []*proposed.Proposal]{Name: "memory-proposed", Effect: fs.Reads}
	OpDecide   = fs.Op[DecideQuery, []DecidedProposal]{Name: "memory-decide"}
)

// proposed answers OpProposed.
func (p *Provider) proposed(_ context.Context, at fs.Standpoint) ([]*proposed.Proposal, error) {
	project := p.projectAt(at)
	some := []*proposed.Proposal{}
	for _, one := range p.lately().proposals {
		if at.Dir == "" || one.Scope == fact.User || one.Scope == project {
			some = append(some, one)
		}
	}
	return some, nil
}

// decide answers OpDecide.
func (p *Provider) decide(ctx context.Context, q DecideQuery) ([]DecidedProposal, error) {
	shown := p.lately().proposals
	var all []*proposed.Proposal
	for _, written := range q.Names {
		name := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(written, "memory/"), proposedName+"/"), fact.Extension)
		i := slices.IndexFunc(shown, func(one *proposed.Proposal) bool { return one.Name == name })
		if i < 0 {
			return nil, &fault{what: fmt.Sprintf("nothing is proposed by the name %q", clean.Cut(clean.Line(written), 100)), fix: "list what is: ctxfs memory proposed"}
		}
		all = append(all, shown[i])
	}
	defer p.Look()
	done := []DecidedProposal{}
	for _, one := range all {
		d := DecidedProposal{Text: one.Text}
		if !q.Dismiss {
			ours := p.ours()
			read, err := ours.Read(store.Draft{Text: one.Text, Type: one.Type, Scope: one.Scope, Source: one.Source()}, one.Scope)
			if err != nil {
				return done, err
			}
			added, err := p.add(ctx, ours, read)
			if err != nil {
				return done, err
			}
			d.Path = added.Path
		}
		if err := p.book.Settle(one.Scope, one.Text); err != nil {
			return done, err
		}
		done = append(done, d)
	}
	return done, nil
}
