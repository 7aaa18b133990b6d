package main

import (
	"fmt"
	"slices"
	"testing"

	"ctxfs/fs/fstest"
)

// TestReplay prints the tables of BENCHMARKS.md on recorded trajectories: what they
// would cost with their tools given in other ways. It takes minutes.
func TestReplay(t *testing.T) {
	fstest.OptIn(t, "measure")
	pool := tools(t)
	all := trajectories(t, pool)
	if len(all) == 0 {
		t.Skip("the recorded trajectories in ../shared/data/trajectories are missing; CTXFS_TEST_DATA names another folder")
	}
	settings := allCosts()
	outcomes := make(map[string][]*outcome) // by the name of the costs
	for _, size := range replaySizes() {
		at := make(map[string]*outcome)
		for _, c := range settings {
			at[c.name] = newOutcome(len(all))
			outcomes[c.name] = append(outcomes[c.name], at[c.name])
		}
		for sample := range samples {
			random := newRandom(uint64(size + sample))
			for i, set := range packs(pool, all, size, random) {
				t.Run(fmt.Sprintf("%dk.%d.%d", size/1000, sample, i), func(t *testing.T) {
					w := newReplayWorld(t, pool, set.servers)
					for _, c := range settings {
						w.replay(at[c.name], all, set.trajectories, c)
					}
				})
			}
		}
	}
	if t.Failed() {
		return
	}
	t.Logf("%s", replayedOf(pool, all))
	t.Logf("\n%s\n%s\n%s", curves(outcomes[settings[0].name]), lookUps(outcomes, all), variants(outcomes, all))
}

// replay replays trajectories in every arm. The bill of several in one session is that
// of each in equal parts.
func (w *replayWorld) replay(into *outcome, all []trajectory, which []int, c costs) {
	for members := range slices.Chunk(which, max(1, c.chain)) {
		var session []trajectory
		for _, i := range members {
			session = append(session, all[i])
		}
		for _, a := range arms() {
			b := w.replayed(chained(session), a, c)
			for _, i := range members {
				bills := into.bills[a.name]
				bills[i] = bills[i].plus(b, 1/float64(samples*len(members)))
			}
		}
		into.size += float64(w.definitions*len(members)) / float64(samples*len(all))
	}
}
