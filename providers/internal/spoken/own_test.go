package spoken

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// TestOwn: code, markup, quotations, logs and tables are not a person's own words, and of
// a long text only its first and last lines are.
func TestOwn(t *testing.T) {
	const said = "please mend the cart"
	for _, c := range []struct{ text, want string }{
		{said, said},
		{"- " + said + ":\n\n* and the till", said + "|and the till"},
		{"why\n```go\n" + said + "\n```\nhello there", "why|hello there"},
		{"why\n~~~\n" + said, "why"},
		{"```" + said + "```\nhello", "hello"},
		{"<log>\n" + said + "\n</log>\nhello there", "hello there"},
		{"a <b>x</b> c", "a|c"},
		{"hello\n <system attr='1'>\n" + said, "hello"},
		{"add --log <file> to it, " + said, "add --log <file> to it, " + said},
		{"where a < b and b > a, say so to me", "where a < b and b > a, say so to me"},
		{"> " + said + "\n| a | b |\n# heading\n$ make", ""},
		{`translate "please always send the whole report" to French`, "translate   to French"},
		{`call it "cart" and “the whole report of today and tomorrow” here`, `call it "cart" and   here`},
		{"2026-05-01 12:00:00 it broke\n[12:00:00] it broke\nFile \"x.py\", line 1\nat main.run(x)\n12: it broke\nat noon (or so) it broke", "at noon (or so) it broke"},
		{"\tindented\n    indented", ""},
		{"first of all\n" + strings.Repeat("word word word word\n", 60) + "and last", "first of all|and last"},
		{"x " + strings.Repeat("<a ", 1<<18) + ">", ""},
		{strings.Repeat("x <a>", 1<<18), ""},
	} {
		fstest.Equal(t, strings.Join(Own(c.text), "|"), c.want, c.text)
	}
}

// FuzzOwn: whatever the text, its lines are lines.
func FuzzOwn(f *testing.F) {
	for _, seed := range []string{"<", "<a", "</a>", "<a></", "```", "“x", "\xff<é>", "at (", "12"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, line := range Own(text) {
			fstest.ContainsNot(t, line, "\n")
			Sentences(line)
		}
		Last(text)
	})
}

// TestSentenceEnd compares with the expression that says what ends a sentence, which takes
// much longer.
func TestSentenceEnd(t *testing.T) {
	ends := regexp.MustCompile(`[.!?]+(?:\s+|$)|\.{3,}|[。！？]+|\n+`)
	alphabet := []string{"a", "é", "中", " ", "\n", "\t", ".", "..", "...", "!", "?", "。", "！", "？", "\xff"}
	r := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		var b strings.Builder
		for range 1 + r.IntN(9) {
			b.WriteString(alphabet[r.IntN(len(alphabet))])
		}
		text, want := b.String(), b.Len()
		if at := ends.FindStringIndex(text); at != nil {
			want = at[1]
		}
		if got := sentenceEnd(text); got != want {
			t.Fatalf("%q ends at %d, not %d", text, got, want)
		}
	}
}
