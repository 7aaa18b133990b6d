package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// replaySeed makes all samples.
const replaySeed = 14

const (
	resamples = 1_000
	samples   = 3 // sets of servers of each size
)

// replaySizes are the sizes of all definitions together, in tokens.
func replaySizes() []int { return []int{10_000, 20_000, 40_000, 80_000, 120_000, 150_000} }

// outcome has the bill of each trajectory, the mean over the samples, for each arm.
type outcome struct {
	size  float64 // of the definitions, in tokens: the mean
	bills map[string][]bill
}

func newOutcome(trajectories int) *outcome {
	o := &outcome{bills: make(map[string][]bill)}
	for _, a := range arms() {
		o.bills[a.name] = make([]bill, trajectories)
	}
	return o
}

// interval is a figure with the bounds of 95 % of what it is in resamples of the
// trajectories.
type interval struct{ value, low, high float64 }

// over is a figure of a resample, given as indexes of trajectories.
func over(n int, figure func(sample []int) float64) interval {
	random := newRandom(95)
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	values := make([]float64, resamples)
	for i := range values {
		sample := make([]int, n)
		for j := range sample {
			sample[j] = random.IntN(n)
		}
		values[i] = figure(sample)
	}
	slices.Sort(values)
	return interval{figure(all), values[resamples*25/1000], values[resamples*975/1000-1]}
}

// mean is a figure of the mean session in an arm.
func (o *outcome) mean(arm string, of func(bill) float64) interval {
	return over(len(o.bills[arm]), func(sample []int) float64 { return sum(o.bills[arm], sample, of) / float64(len(sample)) })
}

// share is a figure of an arm as a share of another arm's, in percent, over all
// sessions together.
func (o *outcome) share(arm, ofArm string, of func(bill) float64) interval {
	return over(len(o.bills[arm]), func(sample []int) float64 {
		return 100 * sum(o.bills[arm], sample, of) / sum(o.bills[ofArm], sample, of)
	})
}

// lose is how many sessions cost more in an arm than in another.
func (o *outcome) lose(arm, against string, of func(bill) float64) (n int) {
	for i, b := range o.bills[arm] {
		if of(b) > of(o.bills[against][i]) {
			n++
		}
	}
	return n
}

func sum(bills []bill, sample []int, of func(bill) float64) (n float64) {
	for _, i := range sample {
		n += of(bills[i])
	}
	return n
}

// measure is what is read off a bill.
type measure struct {
	name   string
	of     func(bill) float64
	format string
}

func measures() []measure {
	return []measure{
		{"total tokens of a session, in thousands", func(b bill) float64 { return b.tokens / 1000 }, "%.0f"},
		{"priced tokens of a session, in thousands", func(b bill) float64 { return b.priced / 1000 }, "%.1f"},
		{"requests of a session", func(b bill) float64 { return b.requests }, "%.1f"},
		{"tools that no search finds, of a session", func(b bill) float64 { return b.failures }, "%.2f"},
	}
}

func (i interval) text(format string) string {
	return fmt.Sprintf(format+" ("+format+"–"+format+")", i.value, i.low, i.high)
}

// curves are the tables of BENCHMARKS.md, a column for each size.
func curves(outcomes []*outcome) string {
	var b strings.Builder
	for _, m := range measures() {
		head(&b, m.name, outcomes)
		for _, a := range arms() {
			row(&b, a.name, outcomes, func(o *outcome) string { return o.mean(a.name, m.of).text(m.format) })
		}
		b.WriteString("\n")
	}
	for _, against := range []string{"all static", "search tool"} {
		for _, m := range measures()[:2] {
			head(&b, m.name+": percent of "+against+"; sessions that cost more", outcomes)
			for _, a := range arms() {
				if a.name != against {
					row(&b, a.name, outcomes, func(o *outcome) string {
						return fmt.Sprintf("%s; %d", o.share(a.name, against, m.of).text("%.0f"), o.lose(a.name, against, m.of))
					})
				}
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// head begins a table.
func head(b *strings.Builder, name string, outcomes []*outcome) {
	row(b, name, outcomes, func(o *outcome) string { return fmt.Sprintf("%.0fk", o.size/1000) })
	b.WriteString(strings.Repeat("| --- ", len(outcomes)+1) + "|\n")
}

func row(b *strings.Builder, name string, outcomes []*outcome, cell func(*outcome) string) {
	b.WriteString("| " + name + " |")
	for _, o := range outcomes {
		b.WriteString(" " + cell(o) + " |")
	}
	b.WriteString("\n")
}

// lookUps are tables of what became of the first uses of tools, and of compactions.
func lookUps(outcomes map[string][]*outcome, all []trajectory) string {
	var b strings.Builder
	settings := allCosts()
	usual := outcomes[settings[0].name]
	for _, c := range settings {
		if !c.routed && c.name != settings[0].name {
			continue
		}
		lookedUp(&b, c.name, outcomes[c.name])
	}
	for _, source := range sources(all) {
		lookedUp(&b, source+" alone", from(usual, all, source))
	}
	for _, c := range settings {
		if c.chain == 0 {
			continue // too short for any
		}
		head(&b, "compactions in 100 trajectories: "+c.name, outcomes[c.name])
		for _, a := range arms() {
			row(&b, a.name, outcomes[c.name], func(o *outcome) string {
				return fmt.Sprintf("%.1f", 100*o.mean(a.name, func(b bill) float64 { return b.compactions }).value)
			})
		}
	}
	return b.String()
}

func lookedUp(b *strings.Builder, name string, outcomes []*outcome) {
	head(b, "first uses of a tool, percent: shown before / found at the first, second, third try / not found: "+name, outcomes)
	for _, a := range arms() {
		if a.given || a.direct {
			continue
		}
		row(b, a.name, outcomes, func(o *outcome) string {
			var all bill
			for _, one := range o.bills[a.name] {
				all = all.plus(one, 1)
			}
			of := func(n float64) string { return fmt.Sprintf("%.0f", 100*n/all.needs) }
			return fmt.Sprintf("%s / %s, %s, %s / %s", of(all.told), of(all.found[0]), of(all.found[1]), of(all.found[2]), of(all.failures))
		})
	}
	b.WriteString("\n")
}

// from are outcomes of the trajectories of one source.
func from(outcomes []*outcome, all []trajectory, source string) (some []*outcome) {
	for _, o := range outcomes {
		some = append(some, o.only(func(i int) bool { return all[i].source() == source }))
	}
	return some
}

// only is the outcome of some of the trajectories.
func (o *outcome) only(some func(i int) bool) *outcome {
	other := &outcome{size: o.size, bills: make(map[string][]bill)}
	for arm, bills := range o.bills {
		for i, b := range bills {
			if some(i) {
				other.bills[arm] = append(other.bills[arm], b)
			}
		}
	}
	return other
}

// variants are tables of priced tokens under other assumptions, and for each source
// alone.
func variants(outcomes map[string][]*outcome, all []trajectory) string {
	priced := measures()[1]
	settings := allCosts()
	usual := outcomes[settings[0].name]
	var b strings.Builder
	for _, pair := range [][2]string{
		{"this tree", "all static"}, {"this tree", "search tool"}, {"gateway", "search tool"}, {"this tree, with hook", "search tool"},
	} {
		line := func(name string, of []*outcome) {
			row(&b, name, of, func(o *outcome) string { return o.share(pair[0], pair[1], priced.of).text("%.0f") })
		}
		head(&b, "priced tokens of "+pair[0]+", percent of "+pair[1], usual)
		for _, c := range settings {
			if c.chain == 0 {
				line(c.name, outcomes[c.name])
				continue
			}
			row(&b, c.name, outcomes[c.name], func(o *outcome) string { // resamples would take sessions apart
				return fmt.Sprintf("%.0f", o.share(pair[0], pair[1], priced.of).value)
			})
		}
		for _, source := range sources(all) {
			line(source+" alone", from(usual, all, source))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// source is where a trajectory is from.
func (one trajectory) source() string {
	source, _, _ := strings.Cut(one.name, "/")
	return source
}

func sources(all []trajectory) (names []string) {
	for _, one := range all {
		names = append(names, one.source())
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// replayedOf says what is replayed.
func replayedOf(pool *toolPool, all []trajectory) string {
	requests, calls, firsts, long, reads := 0, 0, 0, 0, 0
	for _, one := range all {
		seen := make(map[string]bool)
		for _, t := range one.turns {
			requests++
			reads += len(t.reads)
			for _, h := range t.heard {
				if h.short != "" {
					long++
				}
			}
			for _, u := range t.uses {
				calls++
				if u.defined && !seen[u.key()] {
					seen[u.key()] = true
					firsts++
				}
			}
		}
	}
	tools := 0
	for _, list := range pool.servers {
		tools += len(list)
	}
	return fmt.Sprintf("%d trajectories, %d requests, %d calls, %d first uses of a tool, %d long results of which %d parts are read later; %d servers with %d tools, %d tokens",
		len(all), requests, calls, firsts, long, reads, len(pool.servers), tools, pool.sum(pool.names))
}

// newRandom is a source of numbers that are the same in each run.
func newRandom(of uint64) *rand.Rand { return rand.New(rand.NewPCG(replaySeed, of)) }
