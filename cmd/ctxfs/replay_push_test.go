package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
	"ctxfs/providers/find/suggest"
)

// within is how many requests after a message a tool counts as used for it.
const within = 5

// TestTold prints the tables of BENCHMARKS.md on what a hook tells of tools at each
// message of a user: how much of it is used within the next five requests, and what it
// costs where it is not, for several bars. The usual one was chosen on the odd
// trajectories; the even ones say what it is worth.
func TestTold(t *testing.T) {
	fstest.OptIn(t, "measure")
	pool := tools(t)
	all := trajectories(t, pool)
	if len(all) == 0 {
		t.Skip("the recorded trajectories in ../shared/data/trajectories are missing; CTXFS_TEST_DATA names another folder")
	}
	worlds := make(map[int]map[suggest.Bar]*[2]toldSum)
	for _, size := range toldSizes() {
		sums := make(map[suggest.Bar]*[2]toldSum)
		worlds[size] = sums
		random := newRandom(uint64(size))
		for i, set := range packs(pool, all, size, random) {
			t.Run(fmt.Sprintf("%dk.%d", size/1000, i), func(t *testing.T) {
				w := newReplayWorld(t, pool, set.servers)
				for _, bar := range bars() {
					if sums[bar] == nil {
						sums[bar] = new([2]toldSum)
					}
					for _, j := range set.trajectories {
						sums[bar][j%2].add(w, all[j], bar)
					}
				}
			})
		}
		if t.Failed() {
			return
		}
		for odd, name := range []string{"even trajectories", "odd trajectories"} {
			t.Logf("up to %d tokens of definitions, %s\n%s", size, name, toldTable(sums, odd))
		}
	}
	if best := bestBar(worlds); best != suggest.Usual() {
		t.Errorf("the bar of which at least half is used, and that saves most, is %+v", best)
	}
}

// toldSizes are the most tokens of definitions in a world: those of a user with some
// servers, and all that there are.
func toldSizes() []int { return []int{40_000, 1_000_000} }

// bestBar is the bar with which, of the odd trajectories, at least half of what is told is
// used in each world, and most is saved.
func bestBar(worlds map[int]map[suggest.Bar]*[2]toldSum) (best suggest.Bar) {
	most := 0.0
	for _, bar := range bars() {
		saved := 0.0
		for _, sums := range worlds {
			if sums[bar][1].precision() < 0.5 {
				saved = math.Inf(-1)
			}
			saved += sums[bar][1].priced
		}
		if saved > most {
			best, most = bar, saved
		}
	}
	return best
}

// bars are those that are compared.
func bars() (all []suggest.Bar) {
	for _, words := range []int{1, 2, 3} {
		for _, named := range []float64{0, 0.5, 0.67} {
			for _, score := range []float64{0.25, 0.3, 0.4, 0.5} {
				for _, lead := range []float64{-1, 0, 0.1} {
					all = append(all, suggest.Bar{Score: score, Words: words, Named: named, Lead: lead})
				}
			}
		}
	}
	return all
}

// toldSum is what comes of a bar.
type toldSum struct {
	messages, answered      int // messages of users, and those to which something is told
	told, used, tokens      int // lines, those used within five requests, tokens of all
	wasted, carried         int // tokens of those not used, and with each request that sends them again
	first, known            int // first uses of tools, and those of tools that were told before
	requests, saved, priced float64
}

// add replays a trajectory with the tree, with what a hook tells and without.
func (s *toldSum) add(w *replayWorld, one trajectory, bar suggest.Bar) {
	with := namedArm{arm: files{}, stores: true, hook: true, bar: bar}
	after := w.replayed(one, with, usualCosts())
	with.hook = false
	before := w.replayed(one, with, usualCosts())
	s.requests += before.requests
	s.saved += before.requests - after.requests
	s.priced += before.priced - after.priced

	r := &replay{namedArm: namedArm{bar: bar}, world: w, told: make(map[string]bool), ever: make(map[string]bool)}
	for i, turn := range one.turns {
		for _, h := range turn.heard {
			if !h.user {
				continue
			}
			s.messages++
			lines := r.tells(h.text)
			if len(lines) > 0 {
				s.answered++
			}
			for _, line := range lines {
				key := keyOf(line.Match)
				r.told[key] = true
				s.told++
				s.tokens += line.Tokens
				if usedIn(one.turns[i:min(len(one.turns), i+within)], key) {
					s.used++
					continue
				}
				s.wasted += line.Tokens
				s.carried += line.Tokens * (len(one.turns) - i)
			}
		}
		for _, u := range turn.uses {
			if u.defined && !r.ever[u.key()] {
				r.ever[u.key()] = true
				s.first++
				if r.told[u.key()] {
					s.known++
				}
			}
		}
	}
}

func usedIn(turns []exchange, key string) bool {
	return slices.ContainsFunc(turns, func(t exchange) bool {
		return slices.ContainsFunc(t.uses, func(u use) bool { return u.key() == key })
	})
}

// keyOf is the key of a tool that was found; "" for anything else.
func keyOf(m fs.Match) string {
	key, _, _ := strings.Cut(m.Signature, "(")
	return key
}

// near reports whether a bar is listed: it differs from the usual one in one thing, or asks
// for little more than find does.
func near(bar suggest.Bar) bool {
	usual, differs := suggest.Usual(), 0
	for _, d := range []bool{bar.Score != usual.Score, bar.Words != usual.Words, bar.Named != usual.Named, bar.Lead != usual.Lead} {
		if d {
			differs++
		}
	}
	return differs <= 1 || bar.Words == 1 && bar.Named == 0 && bar.Lead == -1
}

func toldTable(sums map[suggest.Bar]*[2]toldSum, odd int) string {
	var b strings.Builder
	b.WriteString("| score, words, name, lead | messages told of something | lines | tokens a message told | used within 5, % | first uses told before, % | tokens of unused | and carried on | requests saved, of | priced tokens saved |\n")
	b.WriteString(strings.Repeat("| --- ", 10) + "|\n")
	all := slices.DeleteFunc(bars(), func(bar suggest.Bar) bool { return !near(bar) })
	slices.SortStableFunc(all, func(x, y suggest.Bar) int { return cmp.Compare(sums[y][odd].precision(), sums[x][odd].precision()) })
	for _, bar := range all {
		s := sums[bar][odd]
		mark := ""
		if bar == suggest.Usual() {
			mark = " **(usual)**"
		}
		fmt.Fprintf(&b, "| %.2f, %d, %.2f, %.1f%s | %d of %d (%.0f %%) | %d | %.0f | %.0f | %.0f | %d | %d | %.0f of %.0f | %.0f |\n",
			bar.Score, bar.Words, bar.Named, bar.Lead, mark, s.answered, s.messages, 100*float64(s.answered)/float64(max(1, s.messages)), s.told,
			float64(s.tokens)/float64(max(1, s.answered)), 100*s.precision(), 100*float64(s.known)/float64(max(1, s.first)), s.wasted, s.carried, s.saved, s.requests, s.priced)
	}
	return b.String()
}

// precision is the share of what was told that was used.
func (s toldSum) precision() float64 { return float64(s.used) / float64(max(1, s.told)) }
