package grid

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/clean"
)

func sortedNames(all map[string][]byte) []string { return slices.Sorted(maps.Keys(all)) }

// outcome is everything that a grid produces for a stream.
type outcome struct {
	text   string
	marks  []Mark
	screen []string
	x, y   int
}

// run writes a stream in pieces whose sizes next returns, with a second between
// what lies on either side of a pause, and for terminals of odd widths another
// size.
func run(stream []byte, cols, rows, pause int, next func() int) outcome {
	c := newClock()
	g := c.grid(cols, rows)
	var o outcome
	var text bytes.Buffer
	take := func() {
		grown, marks := g.Take()
		text.Write(grown)
		o.marks = append(o.marks, marks...)
	}
	for i := 0; i < len(stream); {
		end := min(i+next(), len(stream))
		if i < pause {
			end = min(end, pause)
		}
		if i == pause {
			c.advance(time.Second)
			if cols%2 == 1 {
				g.Resize(rows+i%7, cols/2)
			}
		}
		g.Write(stream[i:end])
		i = end
		if next()%2 == 0 {
			g.Settle(c.now())
			take()
		}
	}
	o.screen = g.Screen()
	o.x, o.y = g.Cursor()
	g.Close()
	take()
	o.text = text.String()
	return o
}

// checkStream checks what must hold for any stream: the log is the same however
// the stream is split, it is clean, and marks lie where they say. It reports
// the shortest failing stream that it can find.
func checkStream(t *testing.T, stream []byte, cols, rows int, random *rand.Rand) {
	t.Helper()
	seed := random.Uint64()
	if faultOf(stream, cols, rows, seed) == "" {
		return
	}
	for size := len(stream) / 2; size > 0; {
		found := false
		for i := 0; i+size <= len(stream) && !found; i += size {
			if shorter := slices.Delete(slices.Clone(stream), i, i+size); faultOf(shorter, cols, rows, seed) != "" {
				stream, found = shorter, true
			}
		}
		if !found {
			size /= 2
		}
	}
	t.Fatalf("%d by %d, %q: %s", cols, rows, stream, faultOf(stream, cols, rows, seed))
}

// faultOf returns the property that a grid violates, if any.
func faultOf(stream []byte, cols, rows int, seed uint64) string {
	random := rand.New(rand.NewPCG(seed, 0))
	pause := random.IntN(len(stream) + 1)
	whole := run(stream, cols, rows, pause, func() int { return 1 << 16 })
	for _, next := range []func() int{
		func() int { return 1 },
		func() int { return 1 + random.IntN(5) },
		func() int { return 1 << random.IntN(17) },
	} {
		got := run(stream, cols, rows, pause, next)
		if got.text != whole.text {
			return fmt.Sprintf("pause at %d, cut otherwise it gives %q, not %q", pause, got.text, whole.text)
		}
		if !slices.Equal(got.screen, whole.screen) || got.x != whole.x || got.y != whole.y {
			return fmt.Sprintf("cut otherwise it shows %q, not %q", got.screen, whole.screen)
		}
	}
	if !utf8.ValidString(whole.text) || clean.Text(whole.text) != whole.text || strings.Contains(whole.text, "\t") {
		return fmt.Sprintf("text that is not clean: %q", whole.text)
	}
	if whole.text != "" && !strings.HasSuffix(whole.text, "\n") {
		return fmt.Sprintf("text that does not end with a line feed: %q", whole.text)
	}
	var last int64
	for _, m := range whole.marks {
		if m.Offset < last || m.Offset > int64(len(whole.text)) || m.Lines != int64(strings.Count(whole.text[:m.Offset], "\n")) {
			return fmt.Sprintf("a mark at %d, line %d: %q", m.Offset, m.Lines, whole.text)
		}
		last = m.Offset
		switch m.Kind {
		case PromptStart, OutputStart, CommandEnd, FullScreen:
			if m.Offset > 0 && whole.text[m.Offset-1] != '\n' {
				return fmt.Sprintf("a mark within a line, at %d of %q", m.Offset, whole.text)
			}
		}
	}
	for _, row := range whole.screen {
		if clean.Text(row) != row {
			return fmt.Sprintf("a row that is not clean: %q", row)
		}
	}
	return ""
}

// FuzzGrid checks what must hold for any stream.
func FuzzGrid(f *testing.F) {
	for i, c := range samples() {
		f.Add([]byte(c.in), uint8(i), uint8(i/3), uint64(i))
	}
	f.Add([]byte(ask+"$ x\r\n"+begin+"out"+end0+ask+"\xff\xe2\x82\xf0\x9f"), uint8(9), uint8(2), uint64(1))
	f.Fuzz(func(t *testing.T, stream []byte, cols, rows uint8, seed uint64) {
		if len(stream) > 1<<14 {
			return
		}
		checkStream(t, stream, int(cols), int(rows), rand.New(rand.NewPCG(seed, 0)))
	})
}

// TestPieces cuts long streams in all sizes up to 64 KB.
func TestPieces(t *testing.T) {
	for name, stream := range streams() {
		t.Run(name, func(t *testing.T) {
			checkStream(t, stream[:fstest.Rounds(1<<17)], 80, 24, rand.New(rand.NewPCG(3, 4)))
		})
	}
}

// TestRandomStreams checks random streams of everything that a terminal
// understands, marks included.
func TestRandomStreams(t *testing.T) {
	random := rand.New(rand.NewPCG(5, uint64(*seed)))
	for range fstest.Rounds(1000) {
		cols, rows := 2+random.IntN(30), 1+random.IntN(12)
		var all []byte
		for _, s := range stream(random, 1+random.IntN(60), cols, rows) {
			if all = append(all, s.Data...); random.IntN(8) == 0 {
				all = append(all, []string{ask, begin, end0, "\x1b]7;file://h/a%20b\a"}[random.IntN(4)]...)
			}
		}
		checkStream(t, all, cols, rows, random)
	}
}

// TestPlainTextIsKept: the log of plain text is that text, byte for byte,
// without carriage returns.
func TestPlainTextIsKept(t *testing.T) {
	all := streams()
	for _, name := range []string{"log", "yes", "long-lines", "no-line-feed", "log-symbols", "cjk", "emoji", "combining"} {
		stream := all[name]
		if !bytes.HasSuffix(stream, []byte("\n")) {
			stream = append(stream, "\r\n"...)
		}
		got := run(stream, 120, 40, len(stream)/2, func() int { return 4096 })
		if want := strings.ReplaceAll(string(stream), "\r", ""); got.text != want {
			t.Errorf("%s: %d bytes, not %d", name, len(got.text), len(want))
		}
	}
	blanks := "  indented \r\n \r\n   \r\n trailing   \r\n"
	if got := run([]byte(blanks), 80, 24, 0, func() int { return 1 }); got.text != strings.ReplaceAll(blanks, "\r", "") {
		t.Errorf("blanks: %q", got.text)
	}
}

// TestInvalidUTF8: one replacement for each longest part that could have begun
// a character.
func TestInvalidUTF8(t *testing.T) {
	for in, want := range map[string]string{
		"a\xffb\xc3(c\xe2\x82d|": "a\ufffdb\ufffd(c\ufffdd|",
		"\xf0\x9f\x9ax":          "\ufffdx",
		"\xe2\x82\xe2\x82\xac":   "\ufffd€",
		"\xc0\xaf":               "\ufffd\ufffd",
		"\xed\xa0\x80":           "\ufffd\ufffd\ufffd",
		"end\xe2\x82":            "end\ufffd",
		"\xe2\x1b[1mx":           "\ufffdx",
	} {
		for _, size := range []int{1, 2, 100} {
			if got := run([]byte(in), 80, 24, 0, func() int { return size }); got.text != want+"\n" {
				t.Errorf("%q in pieces of %d: %q", in, size, got.text)
			}
		}
	}
}

// TestHiddenCharactersAreLeftOut, and joiners are not.
func TestHiddenCharactersAreLeftOut(t *testing.T) {
	in := "a\u202eb\u200bc\U000e0041d\ufeffe\u00adf 👩\u200d👧 ❤\ufe0f\x00\x01\x7fg\u0085h"
	got := run([]byte(in), 80, 24, 0, func() int { return 1 })
	fstest.Equal(t, "abcdef 👩\u200d👧 ❤\ufe0fg\nh\n", got.text)
}
