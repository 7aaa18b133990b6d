package find

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ctxfs/providers/internal/words"
)

// lessonsOf makes lessons of wants by the names of tools.
func lessonsOf(c corpus, wants map[string][]string) (all []Lesson) {
	for _, d := range c.docs {
		if texts := wants[d.Fields["name"]]; len(texts) > 0 {
			l := Lesson{Path: d.Path}
			for _, text := range texts {
				l.Wants = append(l.Wants, Want{text, 1, text})
			}
			all = append(all, l)
		}
	}
	return all
}

// taught is what an index is taught, and what it is asked then.
type taught struct {
	lessons []Lesson
	asked   []want
}

// leaveOneOut asks for each want after the others were learned.
func leaveOneOut(c corpus) (all []taught) {
	for i, asked := range c.wants {
		wants := make(map[string][]string)
		for j, other := range c.wants {
			for _, name := range other.gold {
				if j != i && !slices.Contains(wants[name], other.text) {
					wants[name] = append(wants[name], other.text)
				}
			}
		}
		all = append(all, taught{lessonsOf(c, wants), []want{asked}})
	}
	return all
}

// inTurn asks for each want of a tool after k of its others were learned, as many of
// every tool: those with one more would be wrong by design.
func inTurn(c corpus, k int) (all []taught) {
	of := make(map[string][]string)
	for _, w := range c.wants {
		of[w.gold[0]] = append(of[w.gold[0]], w.text)
	}
	for turn := range 3 {
		one := taught{}
		wants := make(map[string][]string)
		for _, w := range c.wants {
			name := w.gold[0]
			if of[name][turn%len(of[name])] == w.text {
				one.asked = append(one.asked, w)
			} else if len(wants[name]) < k {
				wants[name] = append(wants[name], w.text)
			}
		}
		one.lessons = lessonsOf(c, wants)
		all = append(all, one)
	}
	return all
}

// withoutNames takes the words of the tool's name, and their synonyms, out of each
// want: what is left is vague.
func withoutNames(c corpus) corpus {
	out := corpus{docs: c.docs}
	l := newLexicon()
	for _, w := range c.wants {
		of := make(map[string]bool)
		words.Split(w.gold[0], func(part words.Word) {
			stem := words.Stem(part.Text)
			of[stem] = true
			for _, other := range l.synonyms[stem] {
				of[other] = true
			}
		})
		kept := slices.DeleteFunc(strings.Fields(w.text), func(token string) (named bool) {
			words.Split(token, func(part words.Word) { named = named || of[words.Stem(part.Text)] })
			return named
		})
		out.wants = append(out.wants, want{strings.Join(kept, " "), w.gold})
	}
	return out
}

// ranksOf asks an index of the corpus, with or without what was taught.
func ranksOf(c corpus, all []taught, learn bool) (ranks []int) {
	x := newIndex()
	x.Update("", slices.Values(c.docs))
	for _, one := range all {
		if learn {
			x.Teach(one.lessons)
		}
		for _, w := range one.asked {
			var names []string
			for _, m := range x.Search(w.text, Options{Limit: 50}) {
				names = append(names, m.Title[strings.IndexByte(m.Title, '/')+1:])
			}
			ranks = append(ranks, rankOf(w, names))
		}
	}
	return ranks
}

// learningSets are what is asked with and without what can be learned.
func learningSets(t testing.TB) []learningSet {
	tasks, steps, links := liveMCPBench(t, false, false), liveMCPBench(t, true, false), toolLinkOS(t)
	vague := withoutNames(links)
	return []learningSet{
		{"LiveMCPBench-tasks-leave-one-out", tasks, leaveOneOut(tasks), [3]float64{.52, .72, .82}},
		{"LiveMCPBench-steps-leave-one-out", steps, leaveOneOut(steps), [3]float64{}},
		{"ToolLinkOS-one-want-a-tool", links, inTurn(links, 1), [3]float64{}},
		{"ToolLinkOS-two", links, inTurn(links, 2), [3]float64{}},
		{"ToolLinkOS-vague-one", vague, inTurn(vague, 1), [3]float64{}},
		{"ToolLinkOS-vague-two", vague, inTurn(vague, 2), [3]float64{}},
	}
}

type learningSet struct {
	name string
	corpus
	all  []taught
	goal [3]float64 // learned
}

// TestLearningGains holds what is learned to what it is for: it finds more where
// wants are vague, and loses next to nothing where they are literal.
func TestLearningGains(t *testing.T) {
	const most = .02 // of ties, which the order of names had decided
	for n, set := range learningSets(t) {
		if n == 1 || n == 4 { // for the benchmark only
			continue
		}
		for i := range set.all {
			if one := &set.all[i]; len(one.asked) > 40 {
				one.asked = one.asked[:40]
			}
		}
		without, with := hits(ranksOf(set.corpus, set.all, false)), hits(ranksOf(set.corpus, set.all, true))
		t.Logf("%s: %.3f, learned %.3f", set.name, without, with)
		for i := range with {
			if with[i] < set.goal[i] || with[i] < without[i]-most {
				t.Errorf("%s: learned %.3f, without %.3f, goal %.3f", set.name, with, without, set.goal)
				break
			}
		}
	}
}

// BenchmarkLearning reports how often the right tool is found, with and without what
// was learned. The time is that of one query.
func BenchmarkLearning(b *testing.B) {
	for _, set := range learningSets(b) {
		for _, learn := range []bool{false, true} {
			name := set.name + "/without"
			if learn {
				name = set.name + "/learned"
			}
			b.Run(name, func(b *testing.B) {
				h := hits(ranksOf(set.corpus, set.all, learn))
				x := newIndex()
				x.Update("", slices.Values(set.docs))
				if learn {
					x.Teach(set.all[0].lessons)
				}
				for i := 0; b.Loop(); i++ {
					x.Search(set.wants[i%len(set.wants)].text, Options{Limit: 10})
				}
				b.ReportMetric(h[0], "hit@1")
				b.ReportMetric(h[1], "hit@5")
				b.ReportMetric(h[2], "hit@10")
			})
		}
	}
}

// BenchmarkTaught is a search in 371 tools, and in them with 20 wants for each.
func BenchmarkTaught(b *testing.B) {
	docs := manyTools(371, 0)
	var lessons []Lesson
	for i, d := range docs {
		l := Lesson{Path: d.Path}
		for j := range 20 {
			other := strings.Fields(docs[(i*7+j)%len(docs)].Fields["description"])
			l.Wants = append(l.Wants, Want{strings.Join(other[j:j+8], " "), 1, fmt.Sprint(j)})
		}
		lessons = append(lessons, l)
	}
	query := strings.Join(strings.Fields(docs[77].Fields["description"])[:8], " ")
	plain, learned := newIndex(), newIndex()
	plain.Update("", slices.Values(docs))
	learned.Update("", slices.Values(docs))
	learned.Teach(lessons)
	b.Run("teach", func(b *testing.B) {
		for b.Loop() {
			learned.Teach(lessons)
		}
	})
	var took [2]float64
	for i, x := range []*index{plain, learned} {
		b.Run([]string{"without", "learned"}[i], func(b *testing.B) {
			for b.Loop() {
				x.Search(query, Options{Limit: 10})
			}
			took[i] = float64(b.Elapsed()) / float64(b.N)
			if i == 1 {
				b.ReportMetric(took[1]/took[0], "x-without")
			}
		})
	}
}
