package find

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs"
)

// manyTools are n tools of 50 to a server and s skills, with words as frequent
// as in a language.
func manyTools(n, s int) []fs.Document {
	random := rand.New(rand.NewPCG(3, 4))
	often := rand.NewZipf(random, 1.1, 4, 20_000)
	text := func(n int) string {
		var b strings.Builder
		for range n {
			fmt.Fprintf(&b, "%s ", letters(often.Uint64()))
		}
		return b.String()
	}
	var docs []fs.Document
	for i := range n {
		server := fmt.Sprintf("server%d", i/50)
		docs = append(docs, toolDocument(server, "words of "+server, fmt.Sprintf("%s_%d", strings.ReplaceAll(strings.TrimSpace(text(3)), " ", "_"), i), text(25)+". "+text(25),
			[]parameter{{"path", text(10)}, {"label", text(10)}, {strings.TrimSpace(text(1)), text(10)}}))
	}
	for i := range s {
		name := fmt.Sprintf("skill-%d", i)
		docs = append(docs, fs.Document{Path: "skills/" + name + "/SKILL.md", Title: name, Fields: map[string]string{"name": name, "description": text(30), "body": text(600)}})
	}
	return docs
}

// letters writes a number as a word that is not stemmed into another.
func letters(n uint64) string {
	s := ""
	for ; ; n /= 20 {
		s += string("bcdfghjklmnpqrtvwxzk"[n%20]) + string("aou"[n%3])
		if n < 20 {
			return s
		}
	}
}

// BenchmarkSearch is a search in 10,000 tools and 1,000 skills.
func BenchmarkSearch(b *testing.B) {
	docs := manyTools(10_000, 1000)
	x := newIndex()
	x.Update("", slices.Values(docs))
	sentence := strings.Join(strings.Fields(docs[77].Fields["description"])[:25], " ")
	var nonsense strings.Builder
	for i := range uint64(500) {
		nonsense.WriteString("a" + letters(i*7919) + "zz ")
	}
	for _, q := range []struct{ name, query string }{
		{"two-words", strings.Join(strings.Fields(docs[500].Fields["description"])[:2], " ")},
		{"sentence", sentence},
		{"page", strings.Repeat(sentence+" ", 4) + docs[99].Fields["description"]},
		{"misspelt", "babacodux colafuku"},
		{"nonsense", nonsense.String()},
	} {
		b.Run(q.name, func(b *testing.B) {
			for b.Loop() {
				x.Search(q.query, Options{Limit: 10})
			}
		})
	}
}
