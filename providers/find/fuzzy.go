package find

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sahilm/fuzzy"

	"ctxfs/providers/internal/words"

	"ctxfs/fs"
)

// fuzzy finds documents by some letters of their titles, as typed by people who
// know the name: "ghcris" for github/create_issue. It is for queries without any
// indexed word, and its scores are below those of words.
func (x *index) fuzzy(query string, opts Options) []fs.Match {
	letters := strings.Join(strings.Fields(query), "")
	if len(letters) < 2 || len(letters) > words.MaxLength {
		return nil
	}
	titles := make(titles, 0, len(x.ids))
	asked := lettersOf(letters)
	for i := range x.docs {
		if doc := &x.docs[i]; doc.path != "" && doc.letters&asked == asked && below(doc.path, opts.In) {
			titles = append(titles, doc)
		}
	}
	var out []fs.Match
	for _, m := range fuzzy.FindFromNoSort(letters, titles) {
		out = append(out, titles[m.Index].match(float64(m.Score)))
	}
	if len(out) == 0 {
		return nil
	}
	slices.SortFunc(out, func(a, b fs.Match) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.Path, b.Path))
	})
	if opts.Limit > 0 && len(out) > opts.Limit {
		out = out[:opts.Limit]
	}
	for i := range out {
		out[i].Score = 1 / float64(i+2)
	}
	return out
}

// lettersOf returns the set of letters and digits in a name, which rules out most
// names that do not match.
func lettersOf(name string) (set uint64) {
	for _, r := range strings.ToLower(name) {
		switch {
		case r >= 'a' && r <= 'z':
			set |= 1 << (r - 'a')
		case r >= '0' && r <= '9':
			set |= 1 << (26 + r - '0')
		}
	}
	return set
}

// titles implements fuzzy.Source.
type titles []*document

func (t titles) String(i int) string { return t[i].title }
func (t titles) Len() int            { return len(t) }
