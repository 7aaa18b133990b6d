package plans

import (
	"maps"
	"path/filepath"
	"slices"
	"time"

	"ctxfs/providers/facts"
	"ctxfs/providers/internal/jsonlines"
)

const (
	// bookName is the file in the cache folder with what sessions have planned, bookFormat
	// its version: another one is made again.
	bookName   = "sessions.jsonl"
	bookFormat = 1
)

// part is what is known of one session.
type part struct {
	Name    string       `json:"part"`
	Version string       `json:"version"`
	Path    string       `json:"path,omitempty"` // in the tree
	Agent   string       `json:"agent,omitempty"`
	Session string       `json:"session,omitempty"`
	Title   string       `json:"title,omitempty"`
	Dir     string       `json:"dir,omitempty"`
	Sub     bool         `json:"subagent,omitempty"`
	Time    time.Time    `json:"time,omitzero"`
	Plans   []facts.Plan `json:"plans,omitempty"`
}

// book is what sessions have planned, on disk too: it saves reading all transcripts at
// each start, and is what a command sees that runs without a background process.
type book struct {
	path    string
	parts   map[string]part
	bySelf  map[string]string // names, by the agent and the id of the session
	changed bool              // since it was saved
	edition int               // another one when anything has changed
}

// openBook reads the book in a folder. One that cannot be read is empty, and is made
// again.
func openBook(dir string) *book {
	b := &book{path: filepath.Join(dir, bookName), parts: make(map[string]part), bySelf: make(map[string]string)}
	b.read()
	b.index()
	return b
}

func (b *book) read() {
	for p := range jsonlines.Read[part](b.path, bookFormat) { // where it is damaged, the rest is read again
		if p.Name != "" {
			b.parts[p.Name] = p
		}
	}
}

func (b *book) index() {
	clear(b.bySelf)
	for name, p := range b.parts {
		b.bySelf[p.Agent+"\x00"+p.Session] = name
	}
}

// of returns the part of a session; ok is false if there is none.
func (b *book) of(agent, session string) (p part, ok bool) {
	name, ok := b.bySelf[agent+"\x00"+session]
	return b.parts[name], ok
}

func (b *book) version(name string) string { return b.parts[name].Version }

// learn replaces all parts: those that are unchanged are kept, and those that are not
// there any more gone. Where all are not known, none is gone.
func (b *book) learn(all []facts.PlanPart, complete bool) {
	if len(all) == len(b.parts) && !slices.ContainsFunc(all, func(one facts.PlanPart) bool {
		old, known := b.parts[one.Name]
		return !known || !one.Unchanged || one.Version != old.Version || one.Path != old.Path || one.Title != old.Title || one.Dir != old.Dir
	}) {
		return
	}
	parts := make(map[string]part, len(all))
	others := false
	for _, one := range all {
		old, known := b.parts[one.Name]
		if one.Unchanged && !known {
			old = part{Name: one.Name} // nothing of it is read yet
		}
		next := part{
			Name: one.Name, Version: old.Version, Path: one.Path, Agent: one.Agent, Session: one.Session, Title: one.Title, Dir: one.Dir,
			Sub: one.Subagent, Time: old.Time, Plans: old.Plans,
		}
		if one.Unchanged && one.Version != old.Version {
			next.Version, b.changed = one.Version, true
		}
		if !one.Unchanged {
			next.Version, next.Plans, next.Time = one.Version, one.Plans, one.Time.UTC().Truncate(time.Second)
			b.changed = true
			others = others || len(next.Plans) > 0 || len(old.Plans) > 0
		}
		if !known || old.Path != next.Path || old.Title != next.Title || old.Dir != next.Dir {
			b.changed = true
			others = others || len(next.Plans) > 0
		}
		parts[one.Name] = next
	}
	for name, p := range b.parts {
		switch _, kept := parts[name]; {
		case kept:
		case complete:
			b.changed = true
			others = others || len(p.Plans) > 0
		default:
			parts[name] = p
		}
	}
	b.parts = parts
	b.index()
	if others {
		b.edition++
	}
}

// save writes the book if it has changed.
func (b *book) save() error {
	if !b.changed {
		return nil
	}
	err := jsonlines.Write(b.path, bookFormat, func(yield func(part) bool) {
		for _, name := range slices.Sorted(maps.Keys(b.parts)) {
			if p := b.parts[name]; p.Version != "" && !yield(p) {
				return
			}
		}
	})
	b.changed = err != nil
	return err
}
