package rounds

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"ctxfs/fs/fstest"
)

// TestARoundForEachStorm: a round follows a change, one for all that come meanwhile, and
// rests for a share of what it took.
func TestARoundForEachStorm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		var at []time.Duration
		w := NewWorker(Options{
			Most: func() time.Duration { return time.Minute }, Gather: 10 * time.Millisecond, Rest: time.Second, Share: 20,
			Round: func(ctx context.Context) {
				at = append(at, time.Since(begun))
				if len(at) == 2 {
					time.Sleep(time.Second)
				}
			},
		})
		w.Poke()
		w.Start()
		time.Sleep(2 * time.Second)
		w.Poke()
		w.Poke()
		time.Sleep(500 * time.Millisecond)
		w.Poke()
		time.Sleep(5 * time.Minute)
		w.Close()
		gather := 10 * time.Millisecond
		third := 2*time.Second + gather + 21*time.Second + gather // it began while the second worked
		want := []time.Duration{gather, 2*time.Second + gather, third}
		for next := third + time.Second; len(want) < len(at); next += time.Minute + gather + time.Second {
			want = append(want, next+time.Minute+gather)
		}
		if !slices.Equal(at, want) || len(at) < 6 {
			t.Errorf("rounds at %v, not %v", at, want)
		}
	})
}

// TestSettledWaitsForNoPause: who asks gets a round that has seen what was reported before,
// whatever the worker waits for.
func TestSettledWaitsForNoPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reported, seen int
		w := NewWorker(Options{Gather: time.Hour, Rest: time.Hour, Round: func(context.Context) { seen = reported }})
		if err := w.Settled(t.Context()); err != nil || seen != 0 {
			t.Errorf("a worker that was not started: %v", err)
		}
		begun := time.Now()
		w.Poke()
		w.Start()
		for range 3 {
			reported++
			w.Poke()
			if err := w.Settled(t.Context()); err != nil || seen != reported {
				t.Errorf("round %d has seen %d: %v", reported, seen, err)
			}
		}
		if waited := time.Since(begun); waited > 0 {
			t.Errorf("%v were waited for", waited)
		}
		w.Close()
		w.Poke()
		if err := w.Settled(t.Context()); err != nil {
			t.Errorf("a worker that has ended: %v", err)
		}
	})
}

// TestRestGrowsInAStorm: while changes come without a pause, rounds become rare.
func TestRestGrowsInAStorm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		var at []time.Duration
		var w *Worker
		w = NewWorker(Options{Rest: time.Second, MostRest: 4 * time.Second, Round: func(context.Context) {
			if at = append(at, time.Since(begun)); len(at) < 6 {
				w.Poke()
			}
		}})
		w.Poke()
		w.Start()
		time.Sleep(time.Minute)
		w.Poke()
		time.Sleep(time.Second)
		w.Close()
		s := time.Second
		if want := []time.Duration{0, s, 3 * s, 7 * s, 11 * s, 15 * s, 60 * s}; !slices.Equal(at, want) {
			t.Errorf("rounds at %v, not %v", at, want)
		}
	})
}

// TestSettledEndsWithItsContext: a round that hangs holds up nobody whose context ends.
func TestSettledEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := NewWorker(Options{Round: func(ctx context.Context) { <-ctx.Done() }})
		w.Poke()
		w.Start()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		fstest.Equal(t, w.Settled(ctx), context.DeadlineExceeded, "returned")
		w.Close()
	})
}

func TestPokeAllocatesNothing(t *testing.T) {
	w := NewWorker(Options{Round: func(context.Context) {}})
	if n := testing.AllocsPerRun(100, w.Poke); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkPoke(b *testing.B) {
	w := NewWorker(Options{Gather: time.Hour, Round: func(context.Context) {}})
	w.Start()
	defer w.Close()
	for b.Loop() {
		w.Poke()
	}
}

// TestAfterAPanic: a round that panics is over for those who wait for it, and there is another
// one after a pause, which grows.
func TestAfterAPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at []time.Duration
		begun := time.Now()
		w := NewWorker(Options{Round: func(context.Context) {
			at = append(at, time.Since(begun))
			if len(at) < 4 {
				panic("no luck")
			}
		}})
		w.Poke()
		w.Start()
		defer w.Close()
		if err := w.Settled(t.Context()); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if want := []time.Duration{0, time.Second, 3 * time.Second, 7 * time.Second}; !slices.Equal(at, want) {
			t.Errorf("rounds at %v, want %v", at, want)
		}
	})
}
