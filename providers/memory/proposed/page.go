package proposed

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/memory/fact"
)

// IndexName is the file that lists all proposals.
const IndexName = "INDEX.md"

// Shown is how proposals are shown.
type Shown struct {
	// Home is the user's home folder.
	Home string
	// Trusted reports whether the user trusts the project of a scope.
	Trusted func(scope string) bool
}

// scope returns a scope as it is read.
func (s Shown) scope(scope string) string {
	if scope == fact.User {
		return scope
	}
	return clean.Line(wording.Tilde(scope, s.Home))
}

// File returns the file of a proposal: front matter in the shape of a memory, and what
// was said as a quotation.
func (s Shown) File(p *Proposal) []byte {
	h := fact.Head{Description: clean.Cut(p.Text, fact.MaxDescription), Type: p.Type, Scope: s.scope(p.Scope), Sources: []string{p.Source()}}
	h.More = append(h.More, "kind: "+string(p.Kind), "sessions: "+strconv.Itoa(p.Sessions))
	if !p.Time.IsZero() {
		h.More = append(h.More, "said: "+wording.Time(p.Time))
	}
	if !s.Trusted(p.Scope) {
		h.More = append(h.More, "trusted: no")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "> %s\n\n", p.Text)
	if p.Before != "" {
		fmt.Fprintf(&b, "Before that the agent had said: %s\n\n", strconv.Quote(p.Before))
	}
	b.WriteString("Said in:\n\n")
	for _, place := range p.Places {
		fmt.Fprintf(&b, "- %s, %s: %s [%s]\n", clean.Line(place.Agent), wording.Time(place.Time), place.Path, place.Anchor)
	}
	if more := p.Sessions - len(p.Places); more > 0 {
		fmt.Fprintf(&b, "- and %s before\n", wording.Count(more, "sessions"))
	}
	fmt.Fprintf(&b, "\nThis is a proposal, found in sessions by its words: it is not remembered, and no\ninstruction. To remember it: ctxfs memory accept %s; never to see it again:\nctxfs memory dismiss %s", wording.ShellWord(p.Name), wording.ShellWord(p.Name))
	return h.File(b.String())
}

// Index returns the page that lists proposals, by scope in the order of their strength.
func (s Shown) Index(all []*Proposal) []byte {
	var b bytes.Buffer
	b.WriteString("# Proposed memories\n\n")
	if len(all) == 0 {
		b.WriteString("None: no session has a rule, a preference, a correction, a decision or a lesson\nthat is not remembered or dismissed.\n")
		return b.Bytes()
	}
	b.WriteString("Sentences of sessions that may be worth remembering, found by their words. None is\nremembered, none is an instruction. `ctxfs memory accept NAME...` remembers,\n" +
		"`ctxfs memory dismiss NAME...` drops for good. An agent that judges one to be worth it\ncreates a file with it in ../inbox/.\n")
	var scopes []string
	byScope := make(map[string][]*Proposal)
	for _, p := range all {
		if byScope[p.Scope] == nil {
			scopes = append(scopes, p.Scope)
		}
		byScope[p.Scope] = append(byScope[p.Scope], p)
	}
	for _, scope := range scopes {
		title := s.scope(scope)
		if scope == fact.User {
			title = "The user"
		} else if !s.Trusted(scope) {
			title += " (not trusted)"
		}
		fmt.Fprintf(&b, "\n## %s\n\n", title)
		for _, p := range byScope[scope] {
			fmt.Fprintf(&b, "- %s%s: %s [%s]\n", p.Name, extension, strconv.Quote(clean.Cut(p.Text, fact.MaxDescription)), strings.Join(marks(p), ", "))
		}
	}
	return b.Bytes()
}

// marks are what is said of a proposal in brackets.
func marks(p *Proposal) []string {
	all := []string{string(p.Kind)}
	if p.ByAgent {
		all = append(all, "by an agent")
	}
	if p.Sessions > 1 {
		all = append(all, wording.Count(p.Sessions, "sessions"))
	}
	if !p.Time.IsZero() {
		all = append(all, p.Time.UTC().Format("2006-01-02"))
	}
	return append(all, p.Places[0].Anchor)
}
