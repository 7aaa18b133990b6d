package spoken

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

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
