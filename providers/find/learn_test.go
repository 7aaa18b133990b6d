package find

import (
	"slices"
	"strings"
	"testing"
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

// TestLearningGains holds what is learned to what it is for: it finds more where wants are
// vague, and loses next to nothing where they are literal.
func TestLearningGains(t *testing.T) {
	const most = .02 // of ties, which the order of names had decided
	tasks, links := liveMCPBench(t, false), toolLinkOS(t)
	for _, set := range []struct {
		name string
		corpus
		all  []taught
		goal [3]float64 // learned
	}{
		{"LiveMCPBench, each task after the others", tasks, leaveOneOut(tasks), [3]float64{.52, .72, .82}},
		{"ToolLinkOS, after one want a tool", links, inTurn(links, 1), [3]float64{}},
		{"ToolLinkOS, after two", links, inTurn(links, 2), [3]float64{}},
	} {
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
