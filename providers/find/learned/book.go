// Package learned keeps what was wanted on this machine before something was used, so
// that searches find it by such words: no description of a tool says "too pricey".
//
// The [Book] has a part for each session and each log that providers know of
// ([facts.UsageSource]), with the uses in it. From all of them it makes a [Topic] for each
// thing that was used (topics.go): a few different wants of a person, no more than
// one vote for each from a session, which fade with time, and count against what
// failed or was denied. It shows them as LEARNED.md (page.go).
//
// Everything is made again from what providers know; the book on disk saves reading
// all that at each start, and is what a command sees that runs without a background
// process. What was forgotten is noted apart, with the time, because the sessions are
// still there to learn from. Secrets were hidden when the sessions were rendered, and
// are hidden again here.
package learned

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"ctxfs/providers/facts"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/jsonlines"
	"ctxfs/providers/internal/mask"
)

// The files, in the folders for data that can be derived and for data that cannot.
const (
	bookName      = "learned.jsonl"
	forgottenName = "forgotten.jsonl"
	bookFormat    = 1
)

const (
	// mostOfPart is how many uses are kept of one part: the last ones.
	mostOfPart = 100
	// mostText is the length of a want that is kept, in bytes.
	mostText = 240
)

// Book is all that was learned. It is safe for concurrent use.
type Book struct {
	path, forgottenPath string

	mu        sync.Mutex
	parts     map[string]part
	forgotten []Forgotten
	changed   bool // since it was saved
}

// part is what one session or log has taught.
type part struct {
	Name    string      `json:"part"`
	Version string      `json:"version"`
	Path    string      `json:"path,omitempty"` // in the tree
	Uses    []facts.Use `json:"uses,omitempty"`
}

// Forgotten is what was used until a time, and is not to be learned. The zero Used
// stands for everything.
type Forgotten struct {
	facts.Used
	Until time.Time `json:"until"`
}

// Open reads the book in a cache folder, and what was forgotten from a state folder.
// A book that cannot be read is empty, and is made again.
func Open(cache, state string) (*Book, error) {
	b := &Book{path: filepath.Join(cache, bookName), forgottenPath: filepath.Join(state, forgottenName), parts: make(map[string]part)}
	b.read()
	forgotten, err := readForgotten(b.forgottenPath)
	b.forgotten = forgotten
	return b, err
}

// read reads the book.
func (b *Book) read() {
	for p := range jsonlines.Read[part](b.path, bookFormat) { // where it is damaged, the rest is learned again
		if p.Name != "" {
			b.parts[p.Name] = p
		}
	}
}

// readForgotten reads the lines of a file. One that is damaged is an error, because
// what it says would be learned again.
func readForgotten(path string) ([]Forgotten, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []Forgotten
	for line := range bytes.Lines(text) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var one Forgotten
		if err := json.Unmarshal(line, &one); err != nil {
			return all, fmt.Errorf("%s is damaged: %w", path, err)
		}
		all = append(all, one)
	}
	return all, nil
}

// Version returns the version of a part that the book has, or "".
func (b *Book) Version(name string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.parts[name].Version
}

// Learn replaces all parts: those that are unchanged are kept, others read, and those
// that are not there any more gone. It reports whether any use has come or gone.
func (b *Book) Learn(all []facts.UsePart) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	parts := make(map[string]part, len(all))
	others := false
	for _, one := range all {
		old, known := b.parts[one.Name]
		if !one.Unchanged {
			uses := keep(one.Uses)
			others = others || !slices.Equal(uses, old.Uses)
			b.changed = true
			old.Name, old.Version, old.Uses = one.Name, one.Version, uses
		} else if !known {
			continue
		}
		if len(old.Uses) > 0 && old.Path != one.Path {
			old.Path, others = one.Path, true
		}
		parts[one.Name] = old
	}
	for name, p := range b.parts {
		if _, kept := parts[name]; !kept {
			b.changed = true
			others = others || len(p.Uses) > 0
		}
	}
	b.parts, b.changed = parts, b.changed || others
	return others
}

// keep returns the last of some uses, without secrets and of bounded size.
func keep(all []facts.Use) []facts.Use {
	all = slices.Clone(all[max(0, len(all)-mostOfPart):])
	for i := range all {
		u := &all[i]
		for _, text := range []*string{&u.Want, &u.Said, &u.Server, &u.Name} {
			*text = clean.Cut(clean.Line(mask.Text(clean.Prefix(*text, 4*mostText))), mostText)
		}
	}
	return all
}

// Save writes the book if it has changed.
func (b *Book) Save() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.changed {
		return nil
	}
	err := jsonlines.Write(b.path, bookFormat, func(yield func(part) bool) {
		for _, name := range slices.Sorted(maps.Keys(b.parts)) {
			if !yield(b.parts[name]) {
				return
			}
		}
	})
	b.changed = err != nil
	return err
}

// Forget takes what was used until now out of the book, for good: the zero Used
// stands for everything. It returns how many uses these were. After an error nothing
// is forgotten, or what was may come back.
func (b *Book) Forget(used facts.Used, now time.Time) (n int, err error) {
	one := Forgotten{Used: used, Until: now.UTC()}
	if err := jsonlines.Append(b.forgottenPath, one); err != nil {
		return 0, err
	}
	b.mu.Lock()
	b.forgotten = append(b.forgotten, one)
	for name, p := range b.parts {
		kept := slices.DeleteFunc(slices.Clone(p.Uses), func(u facts.Use) bool { return one.covers(u) })
		n += len(p.Uses) - len(kept)
		p.Uses = kept
		b.parts[name] = p
	}
	b.changed = true
	b.mu.Unlock()
	return n, b.Save()
}

// covers reports whether a use is one of those forgotten. A use without a time is: it
// was there when the rest was.
func (f Forgotten) covers(u facts.Use) bool {
	return !u.Time.After(f.Until) && (f.Used == facts.Used{} || same(f.Used, u.Used))
}

// Erase deletes the book on disk and in memory. What was forgotten stays forgotten.
func (b *Book) Erase() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.parts, b.changed = make(map[string]part), false
	err := os.Remove(b.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
