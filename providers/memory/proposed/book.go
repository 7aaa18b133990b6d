// Package proposed lists what may be worth remembering: sentences of sessions in which
// somebody stated a rule, a preference or a correction, a decision or a lesson. Nothing
// is remembered by itself: a person accepts a proposal or dismisses it, and an agent may
// create a memory of its own judgement.
//
// The [Book] has the statements of all sessions, as providers know them ([fs.Stating]),
// on disk as well: sessions are not read again at each start, nor when a folder is
// listed. It can be made again at any time. What was accepted and dismissed cannot, and
// is noted apart (decided.go). From both come the proposals (proposal.go): equal
// statements of several sessions are one.
package proposed

import (
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"sync"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/jsonlines"
	"ctxfs/providers/internal/mask"
)

const (
	// bookName is the file in the folder for what can be made again.
	bookName   = "statements.jsonl"
	bookFormat = 1
	// mostOfPart is how many statements are kept of one session, the last ones, and
	// mostText the length of one, in bytes.
	mostOfPart = 100
	mostText   = 480
)

// Book is all that was stated, and what was decided about it. It is safe for concurrent
// use, and other processes may write the same files.
type Book struct {
	path string

	mu      sync.Mutex
	opened  bool // it was read
	parts   map[string]fs.StatementPart
	decided decisions
	changed bool // since it was saved
}

// Open returns the book in a cache folder, and what was decided in a state folder. They
// are read when they are first asked for. A book that cannot be read is empty, and is
// made again.
func Open(cache, state string) *Book {
	return &Book{path: filepath.Join(cache, bookName), parts: make(map[string]fs.StatementPart), decided: decisions{path: filepath.Join(state, decidedName)}}
}

// read reads the book, once. The caller holds mu.
func (b *Book) read() {
	if b.opened {
		return
	}
	b.opened = true
	for p := range jsonlines.Read[fs.StatementPart](b.path, bookFormat) { // where it is damaged, the rest is read from its sessions
		if p.Name != "" {
			p.Statements = keep(p.Statements)
			b.parts[p.Name] = p
		}
	}
}

// Version returns the version of a part that the book has, or "".
func (b *Book) Version(name string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.read()
	return b.parts[name].Version
}

// Learn replaces all parts: those that are unchanged are kept, others read, and those
// that are not there any more gone. It reports whether any statement has come or gone.
func (b *Book) Learn(all []fs.StatementPart) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.read()
	parts := make(map[string]fs.StatementPart, len(all))
	others := false
	for _, one := range all {
		old, known := b.parts[one.Name]
		if one.Unchanged && !known {
			continue
		}
		one.Statements = keep(one.Statements)
		if one.Unchanged {
			one.Statements, one.Unchanged = old.Statements, false
		}
		if !reflect.DeepEqual(one, old) {
			b.changed = true
			old.Version = one.Version
			others = others || len(one.Statements)+len(old.Statements) > 0 && !reflect.DeepEqual(one, old)
		}
		parts[one.Name] = one
	}
	for name, p := range b.parts {
		if _, kept := parts[name]; !kept {
			b.changed = true
			others = others || len(p.Statements) > 0
		}
	}
	b.parts = parts
	return others
}

// keep returns the last of some statements, safe to show, without secrets and of bounded
// size. Those without a word are left out.
func keep(all []fs.Statement) (kept []fs.Statement) {
	for _, s := range all[max(0, len(all)-mostOfPart):] {
		for _, text := range []*string{&s.Text, &s.Before, &s.Anchor} {
			*text = clean.Cut(clean.Line(mask.Text(clean.Prefix(*text, 4*mostText))), mostText)
		}
		if s.Text != "" {
			kept = append(kept, s)
		}
	}
	return kept
}

// Save writes the book if it has changed.
func (b *Book) Save() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.changed {
		return nil
	}
	err := jsonlines.Write(b.path, bookFormat, func(yield func(fs.StatementPart) bool) {
		for _, name := range slices.Sorted(maps.Keys(b.parts)) {
			if !yield(b.parts[name]) {
				return
			}
		}
	})
	b.changed = err != nil
	return err
}
