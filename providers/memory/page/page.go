// Package page writes the pages of memories: SUMMARY.md, which fits on a screen and is
// put before an agent that did not ask for it, and INDEX.md, a line for each memory.
package page

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/tokens"
	"ctxfs/providers/memory/fact"
)

// Budget is the length of the longest summary, in tokens.
const Budget = 300

// Entry is a memory as it is listed.
type Entry struct {
	// Path is that of its file in the folder of memories.
	Path        string
	Description string
	Type        fact.Type
	Modified    time.Time
	// Agents are whose it is: "" is ctxfs.
	Agents []string
	// Untrusted reports that it lies in the files of a project that the user does not
	// trust.
	Untrusted bool
	// Differs are those that seem to contradict it.
	Differs []*Entry
}

// Section is the memories of the user or of a project.
type Section struct {
	// Name is that of its folder. Title says what it is: the folder on disk.
	Name, Title string
	Entries     []*Entry
	// Pushed are those of Entries that may be put before an agent, as [Pushed] returns
	// them.
	Pushed []*Entry
}

// Line returns a memory as a line of the index. Of two that contradict each other the
// newer one names the older.
func (e *Entry) Line() string {
	var b strings.Builder
	b.WriteString("- " + e.Path + " — " + e.Description + " [" + string(e.Type))
	if at := e.when(e.Differs...); at != "" {
		b.WriteString(", " + at)
	}
	if who := e.who(); who != "" {
		b.WriteString(", " + who)
	}
	if e.Untrusted {
		b.WriteString(", not trusted")
	}
	b.WriteString("]\n")
	for _, d := range e.Differs {
		if cmp.Or(d.Modified.Compare(e.Modified), strings.Compare(e.Path, d.Path)) < 0 {
			b.WriteString("  - differs from " + e.Beside(d) + "\n")
		}
	}
	return b.String()
}

// Beside returns how a memory is named beside this one, which it contradicts.
func (e *Entry) Beside(other *Entry) string {
	at := other.when(e)
	if at != "" {
		at = " (" + at + ")"
	}
	if other.Untrusted {
		return other.Path + at + " (not trusted)"
	}
	return other.Path + at + ": " + other.Description
}

// when returns the day of a memory, with the time if one of the others is of the same day:
// it says which is newer.
func (e *Entry) when(others ...*Entry) string {
	at := day(e.Modified)
	if at != "" && slices.ContainsFunc(others, func(o *Entry) bool { return day(o.Modified) == at }) {
		return e.Modified.UTC().Format(time.DateTime)
	}
	return at
}

// who names the agents whose it is, if it is not only ours.
func (e *Entry) who() string {
	if !slices.ContainsFunc(e.Agents, func(a string) bool { return a != "" }) {
		return ""
	}
	all := make([]string, len(e.Agents))
	for i, a := range e.Agents {
		all[i] = cmp.Or(a, "ctxfs")
	}
	return strings.Join(all, ", ")
}

func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.DateOnly)
}

// Index writes INDEX.md. Line returns the line of an entry of a section, by their places;
// notes are what could not be read.
func Index(sections []Section, line func(section, entry int) string, notes []string) []byte {
	var b bytes.Buffer
	b.WriteString("# Memories\n\nWhat is known from before, a file for each. New: ctxfs remember \"…\" [--project], or a\nMarkdown file in inbox/. The gist: SUMMARY.md; of one project: <project>/SUMMARY.md.\n")
	none := true
	for i, s := range sections {
		if len(s.Entries) == 0 {
			continue
		}
		none = false
		fmt.Fprintf(&b, "\n## %s: %s\n\n", s.Name, s.Title)
		for j := range s.Entries {
			b.WriteString(line(i, j))
		}
	}
	if none {
		b.WriteString("\nThere are none yet.\n")
	}
	if len(notes) > 0 {
		b.WriteString("\n## Not shown\n\n")
		for _, note := range notes {
			b.WriteString("- " + note + "\n")
		}
	}
	return b.Bytes()
}

// Writer writes summaries. It remembers how many tokens lines have; it is not safe for
// concurrent use.
type Writer struct{ counts map[string]int }

// NewWriter returns a Writer.
func NewWriter() *Writer { return &Writer{make(map[string]int)} }

// tokens returns how many tokens some lines have.
func (w *Writer) tokens(text string) int {
	n, ok := w.counts[text]
	if !ok {
		const most = 5000
		if len(w.counts) > most {
			clear(w.counts)
		}
		n = tokens.Count(text)
		w.counts[text] = n
	}
	return n
}

// Summary writes SUMMARY.md: the memories of the first section, then those of the others,
// those first that matter most; what there is no room for is counted. It has at most
// Budget tokens.
func (w *Writer) Summary(sections []Section) []byte {
	const head = "# Memory\n\nKnown from before. More: memory/INDEX.md, ctxfs find --in memory WORDS. New: ctxfs remember\n"
	filled := slices.DeleteFunc(slices.Clone(sections), func(s Section) bool { return len(s.Pushed) == 0 })
	if len(filled) == 0 {
		return []byte("# Memory\n\nNothing is remembered yet. To remember something: ctxfs remember \"…\" [--project]\n")
	}
	left := Budget - w.tokens(head) - 4
	var b strings.Builder
	b.WriteString(head)
	for i, s := range filled {
		share := left
		if rest := len(filled) - i - 1; rest > 0 {
			share = left * 6 / 10 // some room for the others
		}
		text, used := w.section(s, share, left)
		if used > left {
			break
		}
		left -= used
		b.WriteString(text)
	}
	return []byte(b.String())
}

// Pushed returns those that may be put before an agent, those first that matter most.
func Pushed(all []*Entry) []*Entry {
	some := slices.DeleteFunc(slices.Clone(all), func(e *Entry) bool { return e.Untrusted })
	slices.SortStableFunc(some, func(a, b *Entry) int {
		return cmp.Or(cmp.Compare(a.Type.Rank(), b.Type.Rank()), b.Modified.Compare(a.Modified), strings.Compare(a.Path, b.Path))
	})
	return some
}

// maxLine is the length of the description in a line of the summary, in bytes.
const maxLine = 120

// section returns a section within a share of the tokens that are left, and how many it
// has. If not even its title has room, there are more than left.
func (w *Writer) section(s Section, share, left int) (text string, used int) {
	head := "\n## " + s.Title + "\n"
	used = w.tokens(head) + 1
	more := func(n int) string {
		if n == 0 {
			return ""
		}
		return fmt.Sprintf("- %d more in memory/%s/\n", n, s.Name)
	}
	var chosen []*Entry // one that contradicts another is shown below that
	below := make(map[string][]string)
	shown := make(map[string]bool)
	add := func(e *Entry, text string) bool {
		cost := w.tokens(text) + 1
		if used+cost+w.tokens(more(len(s.Pushed)))+1 > share {
			return false
		}
		used += cost
		shown[e.Path] = true
		return true
	}
	for _, e := range s.Pushed {
		if shown[e.Path] {
			continue
		}
		if i := slices.IndexFunc(chosen, e.contradicts); i >= 0 {
			line := e.beside(s, chosen[i])
			if !add(e, line) {
				break
			}
			below[chosen[i].Path] = append(below[chosen[i].Path], line)
			continue
		}
		if !add(e, e.short()) {
			break
		}
		chosen = append(chosen, e)
	}
	for _, e := range chosen { // what other sections have against it, where there is room
		for _, d := range e.Differs {
			if line := d.beside(s, e); !d.Untrusted && !shown[d.Path] && add(d, line) {
				below[e.Path] = append(below[e.Path], line)
			}
		}
	}
	var b strings.Builder
	for _, e := range chosen {
		b.WriteString(e.short() + strings.Join(below[e.Path], ""))
	}
	rest := 0
	for _, e := range s.Pushed {
		if !shown[e.Path] {
			rest++
		}
	}
	tail := more(rest)
	used += w.tokens(tail) + 1
	if used > left {
		return "", left + 1
	}
	return head + b.String() + tail, used
}

// contradicts reports whether an entry contradicts another one.
func (e *Entry) contradicts(other *Entry) bool {
	return slices.ContainsFunc(e.Differs, func(d *Entry) bool { return d.Path == other.Path })
}

// beside is an entry as a line below one of a section that it contradicts.
func (e *Entry) beside(s Section, other *Entry) string {
	text := clean.Cut(e.Description, maxLine)
	if at := e.when(other); at != "" {
		text += " (" + at + ")"
	}
	if !strings.HasPrefix(e.Path, s.Name+"/") {
		text = e.Path + ": " + text
	}
	return "  - but " + text + "\n"
}

// short is a memory as a line of the summary. Only what contradicts another one has its
// date.
func (e *Entry) short() string {
	line := "- " + clean.Cut(e.Description, maxLine)
	if len(e.Differs) > 0 {
		if at := e.when(e.Differs...); at != "" {
			line += " (" + at + ")"
		}
	}
	return line + "\n"
}
