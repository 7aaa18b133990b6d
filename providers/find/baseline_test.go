package find

import (
	"cmp"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"

	"ctxfs/fs"
	"ctxfs/providers/internal/words"
)

// plainWords are the words of the reference's baseline: camelCase cut, lower
// case, runs of a-z and 0-9 or one Chinese or Japanese character, no stop
// words, one ending taken off.
func plainWords(text string) (all []string) {
	stop := words.Set(words.Function)
	text = camel.ReplaceAllString(text, "$1 $2")
	for _, w := range plainWord.FindAllString(strings.ToLower(text), -1) {
		if !stop[w] {
			all = append(all, lightStem(w))
		}
	}
	return all
}

var (
	camel     = regexp.MustCompile(`([a-z0-9])([A-Z])`)
	plainWord = regexp.MustCompile(`[a-z0-9]+|[\p{Han}\p{Hiragana}\p{Katakana}]`)
)

func lightStem(w string) string {
	for _, end := range []string{"ing", "ed", "es", "s"} {
		if before, ok := strings.CutSuffix(w, end); ok && len(before) >= 3 {
			return before
		}
	}
	return w
}

// byPlainBM25 ranks by BM25 (k1 1.2, b 0.75) over one text of name and
// description.
func byPlainBM25(docs []fs.Document) func(want) int {
	counts := make([]map[string]float64, len(docs))
	lengths := make([]float64, len(docs))
	df := make(map[string]float64)
	total := 0.0
	for i, d := range docs {
		counts[i] = make(map[string]float64)
		for _, w := range plainWords(d.Fields["name"] + " " + d.Fields["description"]) {
			if counts[i][w] == 0 {
				df[w]++
			}
			counts[i][w]++
			lengths[i]++
			total++
		}
	}
	n := float64(len(docs))
	return func(w want) int {
		asked := plainWords(w.text)
		slices.Sort(asked)
		asked = slices.Compact(asked)
		scores := make([]float64, len(docs))
		for i := range docs {
			for _, q := range asked {
				f := counts[i][q]
				scores[i] += math.Log(1+(n-df[q]+0.5)/(df[q]+0.5)) * f * 2.2 / (f + 1.2*(0.25+0.75*lengths[i]/(total/n)))
			}
		}
		order := make([]int, len(docs))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int {
			return cmp.Or(cmp.Compare(scores[b], scores[a]), strings.Compare(docs[a].Path, docs[b].Path))
		})
		var names []string
		for _, i := range order {
			if scores[i] > 0 && len(names) < 50 {
				names = append(names, docs[i].Fields["name"])
			}
		}
		return rankOf(w, names)
	}
}

// byOneWord is the best that `rg -il WORD` can do for who knows which word of
// the want to take: the number of files in the smallest answer that holds a
// right one stands for the rank.
func byOneWord(docs []fs.Document) func(want) int {
	texts := make([]string, len(docs))
	for i, d := range docs {
		body, _ := json.Marshal(d.Fields) // texts only: cannot fail
		texts[i] = strings.ToLower(string(body))
	}
	return func(w want) int {
		least := 0
		for _, q := range plainWord.FindAllString(strings.ToLower(w.text), -1) {
			if q = lightStem(q); len(q) < 3 {
				continue
			}
			n, right := 0, false
			for i, text := range texts {
				if strings.Contains(text, q) {
					n++
					right = right || slices.Contains(w.gold, docs[i].Fields["name"])
				}
			}
			if right && (least == 0 || n < least) {
				least = n
			}
		}
		return least
	}
}
