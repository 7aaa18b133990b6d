package memory

import (
	"context"
	"slices"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/memory/fact"
)

// maxSources is how many sources of one memory are named.
const maxSources = 20

// render makes the file of an entry.
func (e *entry) render(opts Options) {
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
	t := e.Modified
	if t.IsZero() {
		t = opts.Env.Built
	}
	e.node = fs.NewText(t, h.File(is.Text))
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

// version returns what identifies the bytes of a file.
func version(t *fs.Text) uint64 {
	a, _ := t.Attr(context.Background()) // it is in memory
	return a.Version
}
