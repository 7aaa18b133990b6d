// Package proposed lists what may be worth remembering: sentences in which the user stated
// a rule, a preference, a correction or a decision in sessions. Nothing is remembered by
// itself: a person accepts a proposal or dismisses it, and an agent may create a memory of
// its own judgement.
//
// The [Book] has the statements of all sessions, as providers know them
// ([factbook.Book]).
// What was accepted or dismissed cannot, and is noted apart. From both come the proposals
// (proposal.go): equal statements of several sessions are one.
package proposed

import (
	"path/filepath"
	"sync"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/factbook"
	"ctxfs/providers/internal/jsonlines"
	"ctxfs/providers/internal/mask"
	"ctxfs/providers/memory/fact"
)

const (
	// bookName is the file in the folder for what can be made again, settledName that in
	// the folder for what cannot: a line of JSON for each sentence that is not to be
	// proposed any more.
	bookName    = "statements.jsonl"
	settledName = "proposed.jsonl"
	// mostOfPart is how many statements are kept of one session, the last ones, and
	// mostText the length of one, in bytes.
	mostOfPart = 100
	mostText   = 480
)

// Book is all that was stated, and what was decided about it. It is safe for concurrent
// use, and other processes may write the same files.
type Book struct {
	*factbook.Book[facts.Statement]
	settledPath string

	mu    sync.Mutex
	fault error // of what is settled, as it was last read
}

// Open returns the book in a cache folder, and what was decided in a state folder. They
// are read when they are first asked for.
func Open(cache, state string) *Book {
	return &Book{Book: factbook.Open(filepath.Join(cache, bookName), keep), settledPath: filepath.Join(state, settledName)}
}

// keep returns the last of some statements, safe to show, without secrets and of bounded
// size. Those without a word are left out.
func keep(all []facts.Statement) (kept []facts.Statement) {
	for _, s := range all[max(0, len(all)-mostOfPart):] {
		for _, text := range []*string{&s.Text, &s.Kind, &s.Anchor} {
			*text = clean.Cut(clean.Line(mask.Text(clean.Prefix(*text, 4*mostText))), mostText)
		}
		if s.Text != "" {
			kept = append(kept, s)
		}
	}
	return kept
}

// settled is a sentence that is not to be proposed any more, where a scope holds.
type settled struct {
	Scope string `json:"scope"`
	Text  string `json:"text"`
}

// Settle notes that a sentence is not to be proposed any more, which is on disk when it
// returns.
func (b *Book) Settle(scope, text string) error {
	return jsonlines.Append(b.settledPath, settled{scope, text})
}

// readSettled returns what is settled, by scope and key. The caller holds mu.
func (b *Book) readSettled() (map[scoped]bool, error) {
	lines, _, err := jsonlines.Lines[settled](b.settledPath) // the writer of a damaged one was killed: nothing was decided
	b.fault = err
	all := make(map[scoped]bool)
	for _, one := range lines {
		all[scoped{one.Scope, fact.KeyOf(one.Text)}] = true
	}
	return all, err
}

// Problems returns what is wrong with what was decided, as it was last read.
func (b *Book) Problems() []fs.Problem {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fault == nil {
		return nil
	}
	return []fs.Problem{{
		What: "it is not known which proposals were dismissed, so none are listed: " + clean.Line(b.fault.Error()),
		Mend: "make it readable, or remove it: " + wording.ShellWord(b.settledPath),
	}}
}
