// Package learned keeps wants, with what was used after them on this machine, so that
// searches find it by such words: no description of a tool says "too pricey".
//
// The [Book] has a part for each session and each log that providers know of, with the
// uses in it ([factbook.Book]). From all of them it makes a [Topic] for each
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
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/factbook"
	"ctxfs/providers/internal/jsonlines"
	"ctxfs/providers/internal/mask"
)

// The files, in the folders for data that can be derived and for data that cannot.
const (
	bookName      = "learned.jsonl"
	forgottenName = "forgotten.jsonl"
)

const (
	// mostOfPart is how many uses are kept of one part: the last ones.
	mostOfPart = 100
	// mostText is the length of a want that is kept, in bytes.
	mostText = 240
)

// Book is all that was learned. It is safe for concurrent use.
type Book struct {
	*factbook.Book[facts.Use]
	forgottenPath string

	mu        sync.Mutex
	forgotten []Forgotten
}

// Forgotten is what was used until a time, and is not to be learned. The zero Used
// stands for everything.
type Forgotten struct {
	facts.Used
	Until time.Time `json:"until"`
}

// Open returns the book in a cache folder, and reads what was forgotten from a state folder.
// A line of that which is damaged is an error, because what it says would be learned again.
func Open(cache, state string) (b *Book, err error) {
	b = &Book{Book: factbook.Open(filepath.Join(cache, bookName), keep), forgottenPath: filepath.Join(state, forgottenName)}
	damaged := 0
	if b.forgotten, damaged, err = jsonlines.Lines[Forgotten](b.forgottenPath); damaged > 0 {
		err = fmt.Errorf("%s is damaged", b.forgottenPath)
	}
	return b, err
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
	b.mu.Unlock()
	n = b.Drop(one.covers)
	return n, b.Save()
}

// covers reports whether a use is one of those forgotten. A use without a time is: it
// was there when the rest was.
func (f Forgotten) covers(u facts.Use) bool {
	return !u.Time.After(f.Until) && (f.Used == facts.Used{} || same(f.Used, u.Used))
}
