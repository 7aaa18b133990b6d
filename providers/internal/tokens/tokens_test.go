package tokens

import (
	"strings"
	"sync"
	"testing"

	"ctxfs/fs/fstest"
)

func TestCount(t *testing.T) {
	for text, want := range map[string]int{
		"":                              0,
		"hello world":                   2,
		"Hello, world!\n":               4,
		"create_issue":                  2,
		"mcps/github/tools/a.json":      6,
		strings.Repeat(" ", 40):         1,
		"日本語":                           2,
		"<|endoftext|>":                 7, // text, not the end of one
		strings.Repeat("supercalif", 9): 27,
	} {
		fstest.Equal(t, Count(text), want, "tokens", text)
	}
}

func TestCountAtTheSameTime(t *testing.T) {
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			fstest.Equal(t, Count("one two three"), 3, "tokens, want 3")
		})
	}
	all.Wait()
}

// FuzzCount: any bytes have a count. (The tokenizer leaves out U+007F, which no
// text of ours has; bytes that are no UTF-8 count as the three of U+FFFD.)
func FuzzCount(f *testing.F) {
	for _, s := range []string{"", "a b", "\xf0\x9f", "  \n\n x", "あ", strings.Repeat("ab", 200)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if n := Count(s); n < 0 || n > 3*len(s) {
			t.Errorf("%q has %d tokens", s, n)
		}
	})
}

func BenchmarkCount(b *testing.B) {
	text := strings.Repeat("The server keeps its last known tools; a long result is cut.\n", 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Count(text)
	}
}
