package excerpt

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"ctxfs/fs/fstest"
)

// numbered returns n lines of 32 bytes.
func numbered(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "line %06d of some long output.\n", i+1)
	}
	return b.Bytes()
}

func TestTheBeginningTheEndAndWhereTheWholeIs(t *testing.T) {
	text := numbered(1207)
	notice := Notice("/state/x.txt", int64(len(text)), 1207)
	want := `line 000001 of some long output.
line 000002 of some long output.
... 1203 lines (39.7 KB) left out ...
line 001206 of some long output.
line 001207 of some long output.
Large output has been written to: /state/x.txt (39.8 KB, 1207 lines)
`
	if got := string(Of(text, 135, notice)); got != want {
		t.Errorf("%d bytes:\n%s", len(got), got)
	}
	// Without a last line end the last line still counts.
	if got := string(Of(text[:len(text)-1], 150, notice)); got != want {
		t.Errorf("without the last line end, %d bytes:\n%s", len(got), got)
	}
}

func TestShortTextIsAllThere(t *testing.T) {
	for _, text := range []string{"", "x", "one\ntwo", "exactly 20 bytes ..\n"} {
		fstest.Equal(t, string(Of([]byte(text), 20, "notice")), text, "became")
	}
}

func TestLongLinesAreCutBetweenCharacters(t *testing.T) {
	got := string(Of([]byte(strings.Repeat("€", 1000)), 100, "notice"))
	head, rest, _ := strings.Cut(got, "\n")
	gap, tail, _ := strings.Cut(rest, "\n")
	if strings.Trim(head, "€") != "" || gap != "... 2.9 KB left out ..." || strings.Trim(tail, "€") != "\nnotice\n" || strings.Count(got, "€")*3 > 100 {
		t.Errorf("%q", got)
	}
	// The text is not cut after one short line before a long one.
	got = string(Of([]byte("{\n"+strings.Repeat("x", 1000)+"\n}"), 200, "notice"))
	if !strings.HasPrefix(got, "{\nxxxxxxxxxx") || !strings.HasSuffix(got, "xxxxxxxxxx\n}\nnotice\n") {
		t.Errorf("%q", got)
	}
}

// TestTinyLimits says what is left out and where the whole is, however little
// of the text is wanted.
func TestTinyLimits(t *testing.T) {
	var seq strings.Builder
	for i := range 300 {
		fmt.Fprintln(&seq, i+1)
	}
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{
		{seq.String(), -1, "... 300 lines (1.1 KB) left out ...\nnotice\n"},
		{seq.String(), 0, "... 300 lines (1.1 KB) left out ...\nnotice\n"},
		{seq.String(), 10, "1\n2\n... 297 lines (1.1 KB) left out ...\n300\n" + "notice\n"},
		{seq.String(), 20, "1\n2\n3\n4\n5\n... 293 lines (1.1 KB) left out ...\n299\n300\n" + "notice\n"},
		{"a line of one message", 10, "a lin\n... 11 bytes left out ...\nssage\nnotice\n"},
		{"€uro and more", 2, "... 14 bytes left out ...\ne\nnotice\n"},
		{"one\nthe second line\nthree\n", 23, "one\n... 1 line (16 bytes) left out ...\nthree\nnotice\n"}, // no line is cut that ends near
	} {
		fstest.Equal(t, string(Of([]byte(c.text), c.limit, "notice")), c.want, "limit", c.limit)
	}
}

func TestWithoutANotice(t *testing.T) {
	got := string(Of(numbered(100), 150, ""))
	if !strings.HasPrefix(got, "line 000001") || !strings.HasSuffix(got, "line 000100 of some long output.\n") || !strings.Contains(got, "lines (") {
		t.Errorf("%s", got)
	}
}

// TestManyWrites: the excerpt is the same however the text is split, in memory
// that does not grow with it.
func TestManyWrites(t *testing.T) {
	const limit = 1000
	text := numbered(5000)
	want := Of(text, limit, "notice")
	for _, piece := range []int{1, 7, 999, 1000, 1001, 4096, len(text)} {
		w := NewWriter(limit)
		for rest := text; len(rest) > 0; rest = rest[min(piece, len(rest)):] {
			if n, err := w.Write(rest[:min(piece, len(rest))]); n != min(piece, len(rest)) || err != nil {
				t.Fatal(n, err)
			}
			if len(w.head)+len(w.tail) > 3*limit {
				t.Fatalf("pieces of %d: it holds %d bytes", piece, len(w.head)+len(w.tail))
			}
		}
		if got := w.Excerpt("notice"); !bytes.Equal(got, want) {
			t.Errorf("pieces of %d:\n%s\nwant\n%s", piece, got, want)
		}
		if sum := w.Tally(); sum.Bytes != int64(len(text)) || sum.Lines() != 5000 {
			t.Errorf("pieces of %d: %+v", piece, sum)
		}
	}
}

func TestLines(t *testing.T) {
	for text, want := range map[string]int{"": 0, "\n": 1, "a": 1, "a\n": 1, "a\nb": 2, "a\n\n": 2} {
		var sum Tally
		sum.Add([]byte(text))
		sum.Add(nil)
		fstest.Equal(t, sum.Lines(), want, "lines", text)
	}
	if got := Notice("p", 1, 1); !strings.HasSuffix(got, "p (1 byte, 1 line)") {
		t.Error(got)
	}
}

func FuzzOf(f *testing.F) {
	f.Add([]byte("line\nline\nlonger line\nend"), 40, "notice")
	f.Add([]byte(strings.Repeat("€\xff\n", 50)), 60, "n")
	f.Add(bytes.Repeat([]byte{0x80}, 300), 100, "")
	f.Add([]byte(strings.Repeat("0", 500)+"\n"+strings.Repeat("0", 500)+"\n0"), 48, "notice") // what is left out is told in another unit
	f.Fuzz(func(t *testing.T, text []byte, limit int, notice string) {
		if limit > 1<<20 || strings.Contains(notice, "\n") {
			t.Skip()
		}
		got := Of(text, limit, notice)
		if len(text) <= max(limit, 0) {
			if !bytes.Equal(got, text) {
				t.Fatalf("%q became %q", text, got)
			}
			return
		}
		if limit := max(limit, 0) + len("... 1 lines (1.0 KB) left out ...\n") + 20 + len(notice) + 3; len(got) > limit {
			t.Fatalf("%d bytes, limit %d", len(got), limit)
		}
		if utf8.Valid(text) && utf8.ValidString(notice) && !utf8.Valid(got) {
			t.Fatalf("%q is not valid", got)
		}
		if !bytes.HasSuffix(got, []byte(notice)) && !bytes.HasSuffix(got, []byte(notice+"\n")) {
			t.Fatalf("%q does not end with the notice %q", got, notice)
		}
	})
}
