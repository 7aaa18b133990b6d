package memory

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/rounds"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/memory/fact"
	"ctxfs/providers/memory/files"
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

// proposer keeps the folder of proposals.
type proposer struct {
	provider *Provider
	book     *proposed.Book
	folder   *fs.Folder
	heard    *rounds.Worker // reads what was stated
	changed  *rounds.Worker // shows what is proposed

	mu    sync.Mutex // held while the folder is made
	shown []*proposed.Proposal
	files map[string]*fs.Text
}

func newProposer(p *Provider) *proposer {
	r := &proposer{
		provider: p, book: proposed.Open(p.opts.Cache, p.opts.State), folder: new(fs.Folder),
	}
	r.heard = rounds.NewWorker(rounds.Options{Round: r.learn, Rest: min(firstPause, p.opts.Pause), MostRest: p.opts.Pause})
	r.changed = rounds.NewWorker(rounds.Options{Round: func(context.Context) { r.publish() }})
	r.show(nil)
	if p.opts.OnStatement != nil {
		p.opts.OnStatement(r.heard.Poke)
	}
	return r
}

// start shows what is proposed, at first what is known from before, whenever what was stated
// or is remembered has changed, until close.
func (r *proposer) start() {
	for _, w := range []*rounds.Worker{r.changed, r.heard} {
		w.Poke()
		w.Start()
	}
}

func (r *proposer) settled(ctx context.Context) error {
	if err := r.heard.Settled(ctx); err != nil {
		return err
	}
	return r.changed.Settled(ctx)
}

func (r *proposer) close() {
	r.heard.Close()
	r.changed.Close()
}

// learn reads what was stated.
func (r *proposer) learn(ctx context.Context) {
	p := r.provider
	if p.opts.Statements == nil {
		return
	}
	r.book.Refresh(ctx, p.opts.Statements)
	r.book.Keep(p.opts.Env.Log)
	r.changed.Poke()
}

// publish shows what is proposed now.
func (r *proposer) publish() {
	r.mu.Lock()
	defer r.mu.Unlock()
	type known struct {
		scope string
		key   uint64
	}
	remembered := make(map[known]bool)
	for _, sec := range r.provider.current.Load().sections {
		for _, e := range sec.entries {
			for _, m := range e.members {
				remembered[known{m.Scope, m.Key()}] = true
				remembered[known{m.Scope, m.About()}] = true
			}
		}
	}
	r.show(r.book.Proposals(r.scopeOf, func(scope, text string) bool {
		key := fact.KeyOf(text)
		return remembered[known{scope, key}] || remembered[known{fact.User, key}]
	}))
}

// show puts proposals into the folder. The caller holds mu.
func (r *proposer) show(all []*proposed.Proposal) {
	p := r.provider
	var newest time.Time
	made := make(map[string]*fs.Text, len(all)+1)
	for _, one := range all {
		name := one.Name + fact.Extension
		made[name] = keep(r.files[name], one.Time, p.opts.Env.Built, one.File(p.opts.Home))
		newest = wording.Later(newest, one.Time)
	}
	made[proposed.IndexName] = keep(r.files[proposed.IndexName], newest, p.opts.Env.Built, proposed.Index(all, p.opts.Home))
	r.shown = all
	if maps.Equal(made, r.files) {
		return
	}
	nodes := make(map[string]fs.Node, len(made))
	for name, text := range made {
		nodes[name] = text
	}
	r.folder.Replace(cmp.Or(newest, p.opts.Env.Built), nodes)
	if r.files != nil {
		p.opts.Env.Changed(proposedName)
	}
	r.files = made
}

// all returns what is proposed now.
func (r *proposer) all() []*proposed.Proposal {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.shown
}

// scopeOf returns the scope of statements in a folder, which may be gone. The home
// folder, what is above it, and what is in a view of ours are no project.
func (r *proposer) scopeOf(dir string) string {
	p := r.provider
	if w, ok := p.opts.Workspaces.Of(dir); ok && dir != "" {
		return w.Dir
	}
	if !strings.HasPrefix(dir, "/") || fs.Within(p.opts.Home, dir) || files.Hides(p.opts.Hide, dir) {
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

// list answers OpProposed.
func (r *proposer) list(_ context.Context, at fs.Standpoint) ([]*proposed.Proposal, error) {
	p := r.provider
	p.shown()
	r.publish()
	project := p.projectAt(at)
	some := []*proposed.Proposal{}
	for _, one := range r.all() {
		if at.Dir == "" || one.Scope == fact.User || one.Scope == project {
			some = append(some, one)
		}
	}
	return some, nil
}

// decide answers OpDecide.
func (r *proposer) decide(ctx context.Context, q DecideQuery) ([]DecidedProposal, error) {
	p := r.provider
	p.lately()
	r.publish()
	shown := r.all()
	var all []*proposed.Proposal
	for _, written := range q.Names {
		name := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(written, "memory/"), proposedName+"/"), fact.Extension)
		i := slices.IndexFunc(shown, func(one *proposed.Proposal) bool { return one.Name == name })
		if i < 0 {
			return nil, &fault{what: fmt.Sprintf("nothing is proposed by the name %q", clean.Cut(clean.Line(written), 100)), fix: "list what is: ctxfs memory proposed"}
		}
		all = append(all, shown[i])
	}
	defer r.publish()
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
		if err := r.book.Settle(one.Scope, one.Text); err != nil {
			return done, err
		}
		done = append(done, d)
	}
	return done, nil
}
