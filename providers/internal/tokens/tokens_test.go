package tokens

import (
	"encoding/binary"
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"

	"ctxfs/fs/fstest"
)

var update = flag.Bool("update", false, "write the vocabulary anew")

// TestVocabulary: the vocabulary is that of the library, in the form that is searched.
func TestVocabulary(t *testing.T) {
	library := codec.NewO200kBase()
	type token struct {
		text string
		rank uint
	}
	var all []token
	for id := range uint(200_000) {
		if text, err := library.Decode([]uint{id}); err == nil {
			all = append(all, token{text, id})
		}
	}
	slices.SortFunc(all, func(a, b token) int { return strings.Compare(a.text, b.text) })
	blocks := (len(all) + blockSize - 1) / blockSize
	file := binary.LittleEndian.AppendUint32(nil, uint32(blocks))
	file = append(file, make([]byte, 4*blocks)...)
	for i, one := range all {
		if i%blockSize == 0 {
			binary.LittleEndian.PutUint32(file[4+4*i/blockSize:], uint32(len(file)))
		}
		file = append(file, byte(len(one.text)), byte(one.rank), byte(one.rank>>8), byte(one.rank>>16))
		file = append(file, one.text...)
	}
	if *update {
		fstest.Must(t, os.WriteFile("o200k.bin", file, 0o644))
	} else if string(file) != vocabulary {
		t.Errorf("o200k.bin is not the vocabulary of %d tokens: go test ./providers/internal/tokens -update", len(all))
	}
	for _, one := range all {
		if r, ok := rank(one.text); !*update && (!ok || uint(r) != one.rank) {
			t.Fatalf("%q has the rank %d (%v), want %d", one.text, r, ok, one.rank)
		}
	}
}

// same compares the count of a text with the library's.
func same(t *testing.T, text string) {
	t.Helper()
	want, err := codec.NewO200kBase().Count(text)
	if got := Count(text); err == nil && got != want {
		t.Errorf("%q has %d tokens, want %d", text, got, want)
	}
}

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

// TestLibrary: texts of all kinds have as many tokens as a library finds.
func TestLibrary(t *testing.T) {
	for _, file := range []string{"../../../README.md", "../../../go.sum", "tokens.go", "pieces.go", "../../find/translate/lists/actions.txt"} {
		text, err := os.ReadFile(file)
		fstest.Must(t, err)
		same(t, string(text))
	}
	for _, text := range samples {
		same(t, text)
	}
	same(t, strings.Repeat("abcdefghij", 5000)) // one piece, which takes no more than its share
}

var samples = []string{
	"", "a b", "  \n\n x", "あ", strings.Repeat("ab", 200), "   x", "x   ", " \t\n \t x", "\r\n/\r\n", "don't DON'T can'LL we'vex 'd",
	"ABCdef", "ǅungla ǅ ʰʰA Aʰ", "e\u0301\u0301X \u0301ABC \u0301abc", "१२३४५ ½⅓Ⅷ", "a//\n\n//b", "\u00a0\u2003x \u2028y", "漢字かなカナ 한국어 ไทย", "🙂👩‍👩‍👧 ok", "it's'S'ſ",
}

// apart are blanks between line breaks, which the library takes for two pieces: its generated matcher
// does not go back in \s*[\r\n]+. The vocabulary has tokens such as "\n  \n", so they are one.
var apart = regexp.MustCompile(`[\r\n][\s\p{Z}\x{85}\v]*[^\S\r\n][\s\p{Z}\x{85}\v]*[\r\n]|[\r\n][\p{Z}\x{85}\v]+[\r\n]`)

// FuzzCount: any text has as many tokens as a library finds. (It leaves out U+007F, which no
// text of ours has; bytes that are no UTF-8 are counted one by one.)
func FuzzCount(f *testing.F) {
	for _, s := range samples {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if utf8.ValidString(s) && !strings.Contains(s, "\x7f") && !apart.MatchString(s) {
			same(t, s)
		} else if n := Count(s); n < 0 || n > len(s) {
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
