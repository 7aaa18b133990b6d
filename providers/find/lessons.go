package find

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"ctxfs/providers/internal/words"
)

// Weights of what was learned. Small changes of any do not change its quality.
const (
	// lessonLift is how much the wants before the use of a document can add to its
	// score, as a share of the most that words could give. The more of a query the
	// best document has, the less they add, by the square of what is missing: the
	// literal word beats what was learned.
	lessonLift = 2.0
	// mostLift bounds what they add, as a multiple of the best score without them.
	mostLift = 2.0
	// lessonDoubt is how many wants with a word, beside lessonChance, count half of
	// what many do. One counts a tenth: a single session may have any word once.
	lessonDoubt  = 2.5
	lessonChance = 0.25
	// lessonFocus is how much less a word counts that was in wants before other uses,
	// too: the power of this one's share.
	lessonFocus = 0.3
	// lessonSpare is added to the number of documents that were used: there will be
	// others.
	lessonSpare = 5
	// lessonWeight is how well a document has a word of many wants, see
	// [fs.Evidence].
	lessonWeight = 0.8
)

// Lesson is a request that preceded a use of a document.
type Lesson struct {
	// Path is that of the document in the tree.
	Path string
	// Wants differ from each other.
	Wants []Want
}

// Want is what a person wanted, in that person's words.
type Want struct {
	Text string
	// Weight is how much it counts, from -1 to 1. Below 0 it counts against others
	// with the same words.
	Weight float64
	// Session is where it was wanted: a word counts once in each.
	Session string
}

// lessons are an index of wants, which does not change after it was made. It is apart
// from that of documents, so that the rarity of a word in these, and the words that
// an unknown one may mean, do not depend on what was learned.
type lessons struct {
	paths   []string
	numbers map[string]uint32      // of paths
	words   map[string]*wantedWord // by stem
}

// wantedWord is a word of wants, with the lessons that have it, in order.
type wantedWord struct{ in []heard }

// heard says how much a word in wants says for a lesson.
type heard struct {
	lesson uint32
	// sure is from 0 to 1: how certain it is that the word belongs to the lesson.
	sure float64
	// worth is that, less as the word was in other wants.
	worth float64
}

// sure returns how certain it is that a word belongs to a lesson that has it in n
// wants, by their weights.
func sure(n float64) float64 {
	n = max(0, n-lessonChance)
	return n * n / (n*n + lessonDoubt*lessonDoubt)
}

// newLessons indexes wants. A word counts once in each want, and all wants of one
// session are one vote for it.
func (l *lexicon) newLessons(all []Lesson) *lessons {
	out := &lessons{numbers: make(map[string]uint32), words: make(map[string]*wantedWord)}
	type vote struct{ stem, session string }
	stems := wantStems{l, make(map[string]string)}
	for _, lesson := range all {
		n := uint32(len(out.paths))
		out.paths = append(out.paths, lesson.Path)
		out.numbers[lesson.Path] = n
		votes := make(map[vote]float64)
		for _, want := range lesson.Wants {
			for _, stem := range stems.of(want.Text) {
				v := vote{stem, want.Session}
				votes[v] = max(-1, min(1, votes[v]+want.Weight))
			}
		}
		for _, v := range slices.SortedFunc(maps.Keys(votes), func(a, b vote) int {
			return cmp.Or(strings.Compare(a.stem, b.stem), strings.Compare(a.session, b.session)) // so that sums are equal
		}) {
			w := out.words[v.stem]
			if w == nil {
				w = new(wantedWord)
				out.words[v.stem] = w
			}
			if last := len(w.in) - 1; last < 0 || w.in[last].lesson != n {
				w.in = append(w.in, heard{lesson: n})
			}
			w.in[len(w.in)-1].sure += votes[v] // until all are counted
		}
	}
	for stem, w := range out.words {
		w.in = slices.DeleteFunc(w.in, func(h heard) bool { return h.sure <= lessonChance })
		total := 0.0
		for _, h := range w.in {
			total += h.sure
		}
		for i := range w.in {
			n := w.in[i].sure
			w.in[i].sure = sure(n)
			w.in[i].worth = sure(n) * math.Pow(n/total, lessonFocus)
		}
		if len(w.in) == 0 {
			delete(out.words, stem)
		}
	}
	return out
}

// wantStems cuts wants into words, much faster than a query is read.
type wantStems struct {
	*lexicon
	known map[string]string // by word
}

// of returns the words of a want that say something, by their stems, each once.
// Values are left out: addresses and paths.
func (w wantStems) of(want string) (stems []string) {
	for token := range strings.FieldsSeq(want) {
		if strings.ContainsAny(token, "/\\@") || len(token) > maxToken && words.ASCII(token) {
			continue
		}
		words.Split(token, func(part words.Word) {
			if part.Kind == words.Paired || part.Kind == words.Joined || w.courtesies[part.Text] {
				return
			}
			stem, known := w.known[part.Text]
			if !known {
				stem = words.Stem(part.Text)
				w.known[part.Text] = stem
			}
			if !slices.Contains(stems, stem) {
				stems = append(stems, stem)
			}
		})
	}
	return stems
}

// Teach replaces what was learned, one lesson for each path. Lessons about documents
// that do not exist are ignored as long as they do not.
func (x *index) Teach(all []Lesson) {
	l := x.newLessons(all)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.lessons = l
}

// recall adds what was learned to the scores of a search for words, by their stems.
func (x *index) recall(s *scratch, asked map[string]float64, concepts []concept) {
	if x.lessons == nil || len(x.lessons.paths) == 0 {
		return
	}
	s.learned, s.lesson = zeros(s.learned, len(x.lessons.paths)), zeros(s.lesson, len(x.lessons.paths))
	for _, stem := range sortedWords(asked) { // so that sums are equal
		s.hit = s.hit[:0]
		x.hear(s, stem, asked[stem])
		for _, other := range x.synonyms[stem] {
			x.hear(s, other, asked[stem]*synonymWeight)
		}
		for _, n := range s.hit {
			s.learned[n] += s.lesson[n]
			s.lesson[n] = 0
		}
	}
	best := 0.0
	for _, id := range s.found {
		best = max(best, s.scores[id])
	}
	missing, most := 1.0, math.Inf(1)
	if best > 0 {
		missing, most = max(0, 1-best/x.ideal(concepts)), mostLift*best
	}
	for n, learned := range s.learned {
		id, exists := x.ids[x.lessons.paths[n]]
		if !exists || learned == 0 {
			continue
		}
		if s.scores[id] == 0 {
			s.found = append(s.found, id)
		}
		s.scores[id] += min(most, lessonLift*missing*missing*learned)
	}
}

// hear notes how much a word says for each lesson that has it.
func (x *index) hear(s *scratch, stem string, weight float64) {
	w := x.lessons.words[stem]
	if w == nil {
		return
	}
	worth := weight * x.lessonRarity(stem, w) * (saturation + 1)
	for _, h := range w.in {
		if s.lesson[h.lesson] == 0 {
			s.hit = append(s.hit, h.lesson)
		}
		s.lesson[h.lesson] = max(s.lesson[h.lesson], worth*h.worth)
	}
}

// lessonRarity returns how much a word says: as much as in documents, or as in wants
// if that is less, because people say much that no description has.
func (x *index) lessonRarity(stem string, w *wantedWord) float64 {
	rare := rarity(float64(len(x.lessons.paths)+lessonSpare), float64(len(w.in)))
	if t := x.terms[stem]; t != nil {
		rare = min(rare, x.rarity(t))
	}
	return rare
}

// ideal returns the score of a document that has every word of a query, as often as
// can be.
func (x *index) ideal(concepts []concept) (sum float64) {
	for _, c := range concepts {
		best := 0.0
		for _, v := range c.variants {
			best = max(best, v.weight*c.weight*x.rarity(v.term))
		}
		sum += best * (saturation + 1)
	}
	return sum
}

// addLearned adds to how well a document has the words of a query that it was used
// after wants with them.
func (x *index) addLearned(found map[string]float64, path string, asked map[string]float64) {
	if x.lessons == nil {
		return
	}
	n, ok := x.lessons.numbers[path]
	if !ok {
		return
	}
	for stem := range asked {
		w := x.lessons.words[stem]
		if w == nil {
			continue
		}
		if at, ok := slices.BinarySearchFunc(w.in, n, func(h heard, n uint32) int { return cmp.Compare(h.lesson, n) }); ok {
			found[stem] = max(found[stem], lessonWeight*w.in[at].sure)
		}
	}
}
