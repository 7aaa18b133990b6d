package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/rounds"
	"ctxfs/providers/memory/fact"
	"ctxfs/providers/memory/files"
	"ctxfs/providers/memory/proposed"
	"ctxfs/providers/memory/store"
)

// A session that is being written has news all the time. So the proposer waits before it
// reads again what was stated: firstPause, then ever longer, until learnPause.
const (
	firstPause = time.Second
	learnPause = 30 * time.Second
)

// proposer keeps the folder of proposals.
type proposer struct {
	provider *Provider
	book     *proposed.Book
	folder   *fs.Folder
	heard    rounds.Wake // has an element if somebody may have stated something
	changed  rounds.Wake // has an element if what is remembered may have changed

	unsaved bool // the listener has said so

	count atomic.Int32 // how many proposals are shown

	publishing sync.Mutex // held while the folder is made
	shown      []*proposed.Proposal
	files      map[string]*fs.Text
}

func newProposer(p *Provider) *proposer {
	r := &proposer{
		provider: p, book: proposed.Open(p.opts.Cache, p.opts.State), folder: new(fs.Folder),
		heard: rounds.NewWake(), changed: rounds.NewWake(), files: make(map[string]*fs.Text),
	}
	r.show(nil)
	if p.opts.Statements != nil {
		p.opts.Statements.Notify(func() { r.heard.Poke() })
	}
	return r
}

// run shows what is proposed whenever what is remembered, trusted or stated has changed,
// until Close.
func (r *proposer) run() {
	r.publish()
	for {
		select {
		case <-r.changed:
			r.provider.shown()
			r.publish()
		case <-r.provider.ctx.Done():
			return
		}
	}
}

// listen reads what was stated whenever there is news, at first at once, until Close.
func (r *proposer) listen() {
	ctx, most := r.provider.ctx, r.provider.opts.Pause
	pause := min(firstPause, most)
	for {
		if r.learn() {
			r.changed.Poke()
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
		pause = min(2*pause, most)
		select {
		case <-r.heard:
			continue
		default:
			pause = min(firstPause, most) // nothing came for a while
		}
		select {
		case <-r.heard:
		case <-ctx.Done():
			return
		}
	}
}

// learn reads what is new, and reports whether anything is.
func (r *proposer) learn() bool {
	p := r.provider
	if p.opts.Statements == nil {
		return false
	}
	all := slices.Collect(p.opts.Statements.All(p.ctx, r.book.Version))
	if p.ctx.Err() != nil {
		return false
	}
	changed := r.book.Learn(all)
	err := r.book.Save()
	if err != nil && !r.unsaved {
		p.opts.Env.Log.Warn("what was stated in sessions is read again after a restart", "error", err)
	}
	r.unsaved = err != nil
	return changed
}

// publish shows what is proposed now.
func (r *proposer) publish() {
	r.publishing.Lock()
	defer r.publishing.Unlock()
	r.show(r.book.Proposals(r.outside()))
}

// show puts proposals into the folder. The caller holds publishing.
func (r *proposer) show(all []*proposed.Proposal) {
	p := r.provider
	view := proposed.Shown{Home: p.opts.Home, Trusted: r.trusted}
	nodes := make(map[string]fs.Node, len(all)+1)
	files := make(map[string]*fs.Text, len(all)+1)
	var newest time.Time
	put := func(name string, at time.Time, body []byte) {
		files[name] = keep(r.files[name], at, p.opts.Env.Built, body)
		nodes[name] = files[name]
	}
	for _, one := range all {
		put(one.Name+fact.Extension, one.Time, view.File(one))
		newest = latest(newest, one.Time)
	}
	put(proposed.IndexName, newest, view.Index(all))
	r.shown = all
	r.count.Store(int32(len(all)))
	same := len(files) == len(r.files)
	for name, text := range files {
		same = same && r.files[name] == text
	}
	if same {
		return
	}
	before := len(r.files) > 0
	r.files = files
	r.folder.Replace(cmp.Or(newest, p.opts.Env.Built), nodes)
	if before {
		p.opts.Env.Changed(proposedName)
	}
}

// all returns what is proposed now.
func (r *proposer) all() []*proposed.Proposal {
	r.publishing.Lock()
	defer r.publishing.Unlock()
	return r.shown
}

// trusted reports whether the user trusts where a scope is.
func (r *proposer) trusted(scope string) bool {
	return scope == fact.User || r.provider.opts.Trust.Trusts(scope)
}

// outside returns what decides about proposals.
func (r *proposer) outside() proposed.Outside {
	p := r.provider
	type known struct {
		scope string
		key   uint64
	}
	remembered := make(map[known]bool)
	for _, sec := range p.current.Load().sections {
		for _, e := range sec.entries {
			for _, m := range e.members {
				remembered[known{m.Scope, m.Key()}] = true
				remembered[known{m.Scope, m.About()}] = true
			}
		}
	}
	return proposed.Outside{
		ScopeOf: r.scopeOf,
		Known: func(scope, text string) bool {
			key := fact.KeyOf(text)
			return remembered[known{scope, key}] || remembered[known{fact.User, key}]
		},
	}
}

// scopeOf returns the scope of what was said in a folder, which need not be there any
// more. The home folder, what is above it, and what is in a view of ours are no project.
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

// Proposal is a proposal as commands see it.
type Proposal struct {
	Name string `json:"name"`
	// Path is that of its file in the folder of memories.
	Path string `json:"path"`
	Text string `json:"text"`
	// Kind is what it was found to be: rule, preference, correction, decision or lesson;
	// Type and Scope are those of the memory that it would be.
	Kind  string `json:"kind"`
	Type  string `json:"type"`
	Scope string `json:"scope"`
	// ByAgent reports that only agents said it.
	ByAgent  bool             `json:"by_agent"`
	Before   string           `json:"before,omitempty"`
	Sessions int              `json:"sessions"`
	Places   []proposed.Place `json:"places"`
	Time     time.Time        `json:"time,omitzero"`
	Trusted  bool             `json:"trusted"`
}

// ProposedQuery asks for proposals.
type ProposedQuery struct {
	// At is where the project is whose proposals, with the user's, are wanted; without
	// Dir it is all of them.
	At fs.Standpoint `json:"at"`
}

// DecideQuery decides about proposals: about all that are named, or none.
type DecideQuery struct {
	Names []string `json:"names"`
	// User is to remember them for the user, wherever they were said.
	User bool `json:"user,omitempty"`
}

// DecidedProposal is what became of a proposal.
type DecidedProposal struct {
	Name    string           `json:"name"`
	Verdict proposed.Verdict `json:"verdict"`
	Text    string           `json:"text"`
	// Before reports that it was decided so already, or remembered otherwise: nothing
	// has changed.
	Before bool `json:"before"`
	// Path is that of the memory that it has become.
	Path string `json:"path,omitempty"`
}

// The operations.
var (
	OpProposed = fs.Op[ProposedQuery, []Proposal]{Name: "memory-proposed", Effect: fs.Reads}
	OpAccept   = fs.Op[DecideQuery, []DecidedProposal]{Name: "memory-accept"}
	OpDismiss  = fs.Op[DecideQuery, []DecidedProposal]{Name: "memory-dismiss"}
)

// list answers OpProposed.
func (r *proposer) list(_ context.Context, q ProposedQuery) ([]Proposal, error) {
	p := r.provider
	p.shown()
	r.publish()
	project := ""
	if q.At.Dir != "" {
		project = p.projectAt(q.At)
	}
	some := []Proposal{}
	for _, one := range r.all() {
		if q.At.Dir != "" && one.Scope != fact.User && one.Scope != project {
			continue
		}
		some = append(some, Proposal{
			Name: one.Name, Path: proposedName + "/" + one.Name + fact.Extension, Text: one.Text, Kind: string(one.Kind), Type: string(one.Type), Scope: one.Scope,
			ByAgent: one.ByAgent, Before: one.Before, Sessions: one.Sessions, Places: one.Places, Time: one.Time, Trusted: r.trusted(one.Scope),
		})
	}
	return some, nil
}

// chosen is what a name means: a proposal, or what was decided about one.
func (r *proposer) chosen(written string) (one proposed.Decided, was proposed.Verdict, err error) {
	name := proposed.NameOf(written)
	for _, p := range r.all() {
		if p.Name == name {
			return proposed.Decided{Name: p.Name, Scope: p.Scope, Text: p.Text, Type: string(p.Type), Source: p.Source()}, "", nil
		}
	}
	if last, ok := r.book.Last(name); ok {
		return last, last.Verdict, nil
	}
	return one, "", &fault{what: fmt.Sprintf("nothing is proposed by the name %q", clean.Cut(clean.Line(name), 100)), fix: "list what is: ctxfs memory proposed"}
}

// decide carries out a verdict on all that are named.
func (r *proposer) decide(verdict proposed.Verdict) func(context.Context, DecideQuery) ([]DecidedProposal, error) {
	return func(ctx context.Context, q DecideQuery) ([]DecidedProposal, error) {
		p := r.provider
		p.lately()
		r.publish()
		type choice struct {
			proposed.Decided
			was proposed.Verdict
		}
		var all []choice
		for _, written := range q.Names {
			one, was, err := r.chosen(written)
			if err != nil {
				return nil, err
			}
			if verdict == proposed.Dismissed && was == proposed.Accepted {
				return nil, &fault{what: one.Name + " was accepted, and is remembered", fix: "list memories, and forget it: ctxfs memory; ctxfs forget NAME"}
			}
			all = append(all, choice{one, was})
		}
		defer r.publish()
		done := []DecidedProposal{}
		for _, c := range all {
			d := DecidedProposal{Name: c.Name, Verdict: verdict, Text: c.Text, Before: c.was == verdict}
			if verdict == proposed.Accepted {
				known, path, err := p.rememberProposal(ctx, c.Decided, q.User)
				if err != nil {
					return done, err
				}
				d.Path, d.Before = path, known
			}
			if c.was != verdict {
				c.Verdict, c.Time = verdict, p.opts.Env.Now().UTC().Truncate(time.Second)
				if err := r.book.Decide(c.Decided); err != nil {
					return done, err
				}
			}
			done = append(done, d)
		}
		return done, nil
	}
}

// rememberProposal adds a proposal to the store, and returns where it is shown.
func (p *Provider) rememberProposal(ctx context.Context, one proposed.Decided, forUser bool) (known bool, path string, err error) {
	draft := store.Draft{Text: one.Text, Type: fact.Type(one.Type), Scope: one.Scope, Source: one.Source}
	if forUser {
		draft.Scope = fact.User
	}
	ours := p.ours()
	read, err := ours.Read(draft, draft.Scope)
	if err != nil {
		return false, "", err
	}
	r, err := p.add(ctx, ours, read)
	return r.Known, r.Path, err
}
