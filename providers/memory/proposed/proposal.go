package proposed

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/names"
	"ctxfs/providers/memory/fact"
)

const (
	// mostProposals is how many proposals are listed, the strongest ones.
	mostProposals = 200
	// mostPlaces is how many places of one proposal are named, the last ones.
	mostPlaces = 20
	extension  = fact.Extension
)

// Proposal is a sentence that may be worth remembering.
type Proposal struct {
	// Name is that of its file, without the extension.
	Name string
	// Text is the sentence as it was said last, on one line. Nobody has judged it.
	Text string
	Kind fs.StatementKind
	Type fact.Type
	// Scope is that of the memory that it would be: "user", or the folder of a project.
	Scope string
	// ByAgent reports whether only agents said it.
	ByAgent bool
	// Before is what the agent had said before a correction, or "".
	Before string
	// Places are where it was said, the last one first; Sessions is how many sessions
	// that are, also those that are not named.
	Places   []Place
	Sessions int
	// Time is when it was said last.
	Time time.Time

	first time.Time
}

// Place is where something was said.
type Place struct {
	Agent   string `json:"agent"`
	Session string `json:"session"`
	// Path is the file in the tree, Anchor the place in it: "0b0e2bd1/00012".
	Path   string    `json:"path"`
	Anchor string    `json:"anchor"`
	Time   time.Time `json:"time,omitzero"`
}

// Source says who said the proposal last, as memories do.
func (p *Proposal) Source() string {
	last := p.Places[0]
	if p.ByAgent {
		return fact.Source(last.Agent, last.Session)
	}
	return fact.Source("the user", last.Session)
}

// Outside is what decides about proposals elsewhere.
type Outside struct {
	// ScopeOf returns the scope of what was said in a folder.
	ScopeOf func(dir string) string
	// Known reports whether something is remembered where a scope holds.
	Known func(scope, text string) bool
}

// scoped is a text in a scope.
type scoped struct {
	scope string
	key   uint64
}

// Proposals returns what is proposed, the strongest first: what was said in most
// sessions, by a person before by an agent, and last. What is remembered, or was decided
// about, is not.
func (b *Book) Proposals(out Outside) []*Proposal {
	b.mu.Lock()
	b.read()
	b.decided.load()
	parts, decided, err := b.parts, b.decided.all, b.decided.err
	b.mu.Unlock()
	if err != nil {
		return nil
	}
	settled := make(map[scoped]bool)
	for _, d := range decided {
		settled[scoped{d.Scope, fact.KeyOf(d.Text)}] = true
	}
	all := gather(parts, out.ScopeOf, settled)
	all = slices.DeleteFunc(all, func(p *Proposal) bool { return out.Known(p.Scope, p.Text) })
	name(all)
	slices.SortStableFunc(all, func(a, b *Proposal) int {
		return cmp.Or(-cmp.Compare(a.Sessions, b.Sessions), cmp.Compare(weakness(a), weakness(b)), b.Time.Compare(a.Time))
	})
	return all[:min(len(all), mostProposals)]
}

// weakness puts what a person said before what an agent did.
func weakness(p *Proposal) int {
	if p.ByAgent {
		return 1
	}
	return 0
}

// gather makes one proposal of equal statements, without those that are settled where
// they were made. What was said in several projects would hold for the user.
func gather(parts map[string]fs.StatementPart, scopeOf func(dir string) string, settled map[scoped]bool) (all []*Proposal) {
	type said struct {
		fs.Statement
		in    *fs.StatementPart
		scope string
	}
	byKey := make(map[uint64][]said)
	scopes := make(map[string]string)
	for _, part := range parts {
		scope, ok := scopes[part.Dir]
		if !ok {
			scope = scopeOf(part.Dir)
			scopes[part.Dir] = scope
		}
		for _, s := range part.Statements {
			one := said{s, &part, scope}
			if s.Kind == fs.Preference {
				one.scope = fact.User
			}
			key := fact.KeyOf(s.Text)
			if !settled[scoped{one.scope, key}] && !settled[scoped{fact.User, key}] {
				byKey[key] = append(byKey[key], one)
			}
		}
	}
	for _, group := range byKey {
		slices.SortFunc(group, func(a, b said) int {
			return cmp.Or(b.Time.Compare(a.Time), strings.Compare(a.in.Name, b.in.Name), strings.Compare(b.Anchor, a.Anchor))
		})
		person := slices.IndexFunc(group, func(s said) bool { return !s.ByAgent })
		is := group[max(0, person)]
		scope := is.scope
		if slices.ContainsFunc(group, func(s said) bool { return s.ByAgent == is.ByAgent && s.scope != scope }) {
			scope = fact.User
		}
		p := &Proposal{
			Text: is.Text, Kind: is.Kind, Type: typeOf(is.Kind), Scope: scope, ByAgent: is.ByAgent, Before: is.Before,
			Time: group[0].Time, first: group[len(group)-1].Time,
		}
		sessions := make(map[string]bool)
		for _, s := range group {
			if !sessions[s.in.Name] && len(p.Places) < mostPlaces {
				p.Places = append(p.Places, Place{s.in.Agent, s.in.Session, s.in.Path, s.Anchor, s.Time})
			}
			sessions[s.in.Name] = true
		}
		p.Sessions = len(sessions)
		all = append(all, p)
	}
	return all
}

// typeOf returns the type of the memory that a statement would be.
func typeOf(kind fs.StatementKind) fact.Type {
	switch kind {
	case fs.Decision:
		return fact.Decision
	case fs.Lesson:
		return fact.Lesson
	}
	return fact.Preference
}

// name gives proposals names by their first words. The one that was said first keeps its
// name when another with the same words comes.
func name(all []*Proposal) {
	slices.SortFunc(all, func(a, b *Proposal) int {
		return cmp.Or(a.first.Compare(b.first), strings.Compare(a.Text, b.Text), strings.Compare(a.Scope, b.Scope))
	})
	foreign := []string{strings.TrimSuffix(IndexName, extension)}
	for _, p := range all {
		foreign = append(foreign, fact.NameOf(p.Text))
	}
	for i, name := range names.Assign(foreign)[1:] {
		all[i].Name = name
	}
}
