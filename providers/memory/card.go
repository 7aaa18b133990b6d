package memory

import (
	"slices"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/memory/fact"
)

// maxSources is how many sources of one memory are named.
const maxSources = 20

// card returns the file of an entry.
func (e *entry) card(opts Options) []byte {
	is := e.members[0]
	h := fact.Head{Description: e.Description, Type: e.Type, Scope: fact.User, Modified: e.Modified}
	if is.Scope != fact.User {
		h.Scope = clean.Line(wording.Tilde(is.Scope, opts.Home))
	}
	for _, m := range e.members[:min(len(e.members), maxSources)] {
		for _, source := range sourcesOf(m, opts.Home) {
			if !slices.Contains(h.Sources, source) {
				h.Sources = append(h.Sources, source)
			}
		}
	}
	if e.Untrusted {
		h.More = append(h.More, "trusted: no")
	}
	if len(e.differs) > 0 {
		h.More = append(h.More, "differs: "+fact.List(e.differs))
	}
	var notes []string
	for _, m := range e.members {
		notes = append(notes, m.Notes...)
	}
	if len(notes) > 0 {
		h.More = append(h.More, "notes: "+fact.List(slices.Compact(notes)))
	}
	return h.File(is.Text)
}

// sourcesOf returns who said a memory, and the file that has it.
func sourcesOf(m *fact.Memory, home string) []string {
	file := clean.Line(wording.Tilde(m.Path, home))
	if len(m.Sources) == 0 {
		if m.Own() {
			return []string{file}
		}
		return []string{m.Agent + ": " + file}
	}
	all := slices.Clone(m.Sources)
	all[0] += ": " + file
	return all
}
