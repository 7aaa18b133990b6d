package fulltext

import (
	"bytes"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/words"
)

// console is a shelf of texts in which each line that begins with "$ " begins a
// section of that name, and what comes before has none.
type console struct{ *shelf }

func (c console) Sections(t Text, from, to int64) (all []Section) {
	body := t.Body
	if b := c.texts[t.Session]; b != nil {
		body = b.body
	}
	last := Section{}
	for at := 0; at < len(body); {
		line, _, _ := bytes.Cut(body[at:], []byte("\n"))
		if name, ok := strings.CutPrefix(string(line), "$ "); ok && at > 0 {
			last.End = int64(at)
			all = append(all, last)
			last = Section{Start: int64(at), Number: last.Number + 1, Name: name}
		}
		at += len(line) + 1
	}
	last.End = int64(len(body))
	return slices.DeleteFunc(append(all, last), func(s Section) bool { return s.End <= from || s.Start >= to })
}

// print appends to a text.
func (c console) print(name, text string) {
	if c.texts[name] == nil {
		c.texts[name] = &book{Text: Text{Session: name, Generation: 1}, body: []byte("welcome\n")}
	}
	b := c.texts[name]
	b.body = append(b.body, text...)
	b.Size = int64(len(b.body))
}

func newConsole(t testing.TB) (*fixture, console) {
	t.Helper()
	c := console{newShelf()}
	f := &fixture{t: t, shelf: c.shelf, Index: New(Options{Path: filepath.Join(t.TempDir(), "fulltext.db"), Library: c, Plain: true, Log: slog.New(slog.DiscardHandler)})}
	t.Cleanup(func() { fstest.Must(t, f.Close()) })
	return f, c
}

// filler is an output that is long enough to be indexed: of different lines.
func filler() string {
	var b strings.Builder
	for i := 0; b.Len() < minBatch; i++ {
		fmt.Fprintf(&b, "%s goes on and on\n", strings.Repeat(string(rune('a'+i%26)), 3+i%7))
	}
	return b.String()
}

// TestSectionsAreFound: a section is found by its lines and by its name, alone, indexed
// or not; its hits say where the line is.
func TestSectionsAreFound(t *testing.T) {
	f, c := newConsole(t)
	c.print("1", "$ make zebra\ncc zebra.c\nzebra.c:7: error: no stripes\n$ ls\nlion.c\ntiger.c\n### [1/00001] - user\n")
	for _, indexed := range []bool{false, true} {
		if indexed {
			c.print("1", "$ cat log\n"+filler())
			f.index()
			if f.covered("1") == 0 {
				t.Fatal("nothing is indexed")
			}
		}
		for query, want := range map[string]string{
			"stripes":       "1 zebra.c:7: error: no stripes|",
			"make stripes":  "1 zebra.c:7: error: no stripes|",
			"error cc make": "1 cc zebra.c|zebra.c:7: error: no stripes", // two lines have it all
			"lion":          "2 lion.c|",
			"user":          "2 ### [1/00001] - user|", // no heading
			"welcome":       "0 welcome|",
		} {
			hits := f.hits(query, 5)
			if len(hits) == 0 {
				t.Errorf("%s: nothing (indexed: %v)", query, indexed)
				continue
			}
			h := hits[0]
			fstest.Equal(t, fmt.Sprintf("%d %s|%s", h.Number, h.Line, h.Further), want, "indexed", query, indexed)
			if text := c.texts["1"].body; !bytes.HasPrefix(text[h.At:], []byte(h.Line)) {
				t.Errorf("%s: the line is not at %d", query, h.At)
			}
		}
	}
}

// TestNameFindsTheEnd: the name of a section counts as much as its line, though the
// section is long, and is found where none of its lines has the word.
func TestNameFindsTheEnd(t *testing.T) {
	f, c := newConsole(t)
	c.print("1", "$ deploy\n"+filler()+"the end\n$ echo\n")
	f.index()
	hits := f.hits("deploy end", 5)
	if len(hits) == 0 || hits[0].Line != "the end" || hits[0].Words["deploy"] != 1 || hits[0].Words["end"] != 1 {
		t.Errorf("%+v", hits)
	}
}

// TestBodies: a text of the query itself is searched and never indexed.
func TestBodies(t *testing.T) {
	f, c := newConsole(t)
	c.print("1", "$ ls\nlion.c\n")
	r, err := f.Search(t.Context(), Query{Words: "tiger", Limit: 3, Also: []Text{{Session: "screen", Size: 9, Body: []byte("$ tiger\nx")}}})
	fstest.Must(t, err)
	if len(r.Hits) != 1 || r.Hits[0].Text.Session != "screen" {
		t.Errorf("%+v", r.Hits)
	}
	if hits := f.hits("tiger", 3); len(hits) != 0 {
		t.Errorf("found again: %+v", hits)
	}
}

// indexedTerms returns how many pieces have each term.
func (f *fixture) indexedTerms() map[string]int {
	f.t.Helper()
	all := make(map[string]int)
	s, done, err := f.openedStore(true)
	defer done()
	fstest.Must(f.t, err)
	v, err := f.viewOf(f.t.Context(), s.writer)
	fstest.Must(f.t, err)
	for _, seg := range v.segments {
		fstest.Must(f.t, seg.withPrefix(f.t.Context(), s.writer, "", func(e entry) { all[string(e.term)] += e.count }))
	}
	return all
}

// TestRepeatedLinesFillNothing: lines that repeat are in the index once a section, and
// ids not all.
func TestRepeatedLinesFillNothing(t *testing.T) {
	f, c := newConsole(t)
	redraw := strings.Repeat("fetching zebra\nbuilding lion\n\n", minBatch/20)
	ids := ""
	for i := range 5000 {
		ids += fmt.Sprintf("ok id %08x%08xdeadbeef %x 1%06d\n", i*0x9e3779b9, i, 0xabc000+i, i)
	}
	c.print("1", "$ one\n"+redraw+"$ two\nfetching zebra\n$ three\n"+ids)
	f.index()
	terms := f.indexedTerms()
	fstest.Equal(t, terms["zebra"], 2, "repeated line")
	long, others, numbers := 0, 0, 0
	for term := range terms {
		switch {
		case len(term) == 24:
			long++
		case strings.HasPrefix(term, "abc"):
			others++
		case len(term) == 7 && term[0] == '1':
			numbers++
		}
	}
	pieces := len(ids) / (pieceSize / 2)
	if long > 0 || others == 0 || others > maxIDs*pieces || numbers == 0 || numbers > maxNumbers*pieces {
		t.Errorf("%d long ids, %d others, %d numbers in at most %d pieces", long, others, numbers, pieces)
	}
	if got := f.hits("zebra", 5); len(got) != 2 {
		t.Errorf("%d hits", len(got))
	}
}

// TestNumbersAreTheirOwnTerms: package words does not split what the lexer does not have
// it split.
func TestNumbersAreTheirOwnTerms(t *testing.T) {
	l := newLexer()
	for _, run := range []string{"42", "4000", "f9511f0", "md5", "0123456789abcdef", "7th", "7", "a", strings.Repeat("1a", words.MaxLength), strings.Repeat("x", words.MaxLength+1)} {
		got, want := l.run([]byte(run)), l.cut(run)
		fstest.EqualSlices(t, got, want, run)
	}
}
