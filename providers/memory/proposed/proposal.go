package proposed

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/names"
	"ctxfs/providers/memory/fact"
)

const (
	// IndexName is the file that lists all proposals.
	IndexName = "INDEX.md"
	// mostProposals is how many proposals are listed, the strongest ones, and mostPlaces
	// how many places of one, the last ones.
	mostProposals = 200
	mostPlaces    = 20
)

// Proposal is a sentence that may be worth remembering.
type Proposal struct {
	// Name is that of its file, without the extension.
	Name string `json:"name"`
	// Text is the sentence as it was said last, on one line. No one has judged it.
	Text string `json:"text"`
	Kind string `json:"kind"`
	// Type and Scope are those of the memory that it would be: "user", or the folder of a
	// project.
	Type  fact.Type `json:"type"`
	Scope string    `json:"scope"`
	// Places are where it was said, the last one first; Sessions is how many sessions
	// that are, also those that are not named.
	Places   []Place `json:"places"`
	Sessions int     `json:"sessions"`
	// Time is when it was said last.
	Time time.Time `json:"time,omitzero"`

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
func (p *Proposal) Source() string { return fact.Source("the user", p.Places[0].Session) }

// scoped is a text in a scope.
type scoped struct {
	scope string
	key   uint64
}

// Proposals returns the proposals, the strongest first: those stated in most sessions, and
// last. What is settled is not, nor what is remembered. ScopeOf returns the scope of
// statements in a folder, known whether something is remembered where a scope holds.
func (b *Book) Proposals(scopeOf func(dir string) string, known func(scope, text string) bool) []*Proposal {
	b.mu.Lock()
	settled, err := b.readSettled()
	b.mu.Unlock()
	if err != nil {
		return nil
	}
	byKey := make(map[uint64]*Proposal)
	for _, part := range b.Parts() {
		scope := scopeOf(part.Dir)
		sessions := make(map[*Proposal]bool)
		for _, s := range part.Facts {
			key, scope := fact.KeyOf(s.Text), scope
			if s.Kind == "preference" {
				scope = fact.User
			}
			if settled[scoped{scope, key}] || settled[scoped{fact.User, key}] {
				continue
			}
			p := byKey[key]
			if p == nil {
				p = &Proposal{Scope: scope, first: s.Time}
				byKey[key] = p
			}
			if p.Scope != scope { // it would hold for the user
				p.Scope = fact.User
			}
			if p.Text == "" || s.Time.After(p.Time) {
				p.Text, p.Kind, p.Time = s.Text, s.Kind, s.Time
			}
			if s.Time.Before(p.first) {
				p.first = s.Time
			}
			if !sessions[p] {
				sessions[p] = true
				p.Places = append(p.Places, Place{part.Agent, part.Session, part.Path, s.Anchor, s.Time})
			}
		}
	}
	var all []*Proposal
	for _, p := range byKey {
		if known(p.Scope, p.Text) {
			continue
		}
		p.Type, p.Sessions = fact.Preference, len(p.Places)
		if p.Kind == "decision" {
			p.Type = fact.Decision
		}
		slices.SortFunc(p.Places, func(a, b Place) int { return cmp.Or(b.Time.Compare(a.Time), strings.Compare(a.Path, b.Path)) })
		p.Places = p.Places[:min(len(p.Places), mostPlaces)]
		all = append(all, p)
	}
	name(all)
	slices.SortStableFunc(all, func(a, b *Proposal) int { return cmp.Or(cmp.Compare(b.Sessions, a.Sessions), b.Time.Compare(a.Time)) })
	return all[:min(len(all), mostProposals)]
}

// name gives proposals names by their first words. The one that was said first keeps its
// name when another with the same words comes.
func name(all []*Proposal) {
	slices.SortFunc(all, func(a, b *Proposal) int {
		return cmp.Or(a.first.Compare(b.first), strings.Compare(a.Text, b.Text), strings.Compare(a.Scope, b.Scope))
	})
	foreign := []string{strings.TrimSuffix(IndexName, fact.Extension)}
	for _, p := range all {
		foreign = append(foreign, fact.NameOf(p.Text))
	}
	for i, name := range names.Assign(foreign)[1:] {
		all[i].Name = name
	}
}

// File returns the file of a proposal: front matter in the shape of a memory, and the
// statement as a quotation.
func (p *Proposal) File(home string) []byte {
	h := fact.Head{Description: clean.Cut(p.Text, fact.MaxDescription), Type: p.Type, Scope: clean.Line(wording.Tilde(p.Scope, home)), Sources: []string{p.Source()}}
	h.More = []string{"kind: " + p.Kind, "sessions: " + strconv.Itoa(p.Sessions)}
	var b strings.Builder
	fmt.Fprintf(&b, "> %s\n\nSaid in:\n\n", p.Text)
	for _, place := range p.Places {
		fmt.Fprintf(&b, "- %s, %s: %s [%s]\n", clean.Line(place.Agent), wording.Time(place.Time), place.Path, place.Anchor)
	}
	fmt.Fprintf(&b, "\nThis is a proposal, found in sessions by its words: it is not remembered, and no\ninstruction. To remember it: ctxfs memory accept %[1]s; never to see it again:\nctxfs memory dismiss %[1]s", wording.ShellWord(p.Name))
	return h.File(b.String())
}

// Index returns the page that lists proposals, the strongest first.
func Index(all []*Proposal, home string) []byte {
	var b bytes.Buffer
	b.WriteString("# Proposed memories\n\n")
	if len(all) == 0 {
		b.WriteString("None: in no session you have stated what is not remembered or dismissed.\n")
		return b.Bytes()
	}
	b.WriteString("Sentences of the user in sessions that may be worth remembering, found by their words.\n" +
		"None is remembered, none is an instruction. `ctxfs memory accept NAME...` remembers,\n" +
		"`ctxfs memory dismiss NAME...` drops for good. An agent that judges one to be worth it\ncreates a file with it in ../inbox/.\n\n")
	for _, p := range all {
		fmt.Fprintf(&b, "- %s%s: %s\n", p.Name, fact.Extension, p.Line(home))
	}
	return b.Bytes()
}

// Line says what is proposed, and what is known of it.
func (p *Proposal) Line(home string) string {
	marks := []string{p.Kind, clean.Line(wording.Tilde(p.Scope, home))}
	if p.Sessions > 1 {
		marks = append(marks, wording.Count(p.Sessions, "sessions"))
	}
	if !p.Time.IsZero() {
		marks = append(marks, p.Time.UTC().Format(time.DateOnly))
	}
	return fmt.Sprintf("%q [%s]", clean.Cut(p.Text, fact.MaxDescription), strings.Join(append(marks, p.Places[0].Anchor), ", "))
}
