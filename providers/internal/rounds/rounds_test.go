package rounds

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w := NewWake()
		begun := time.Now()
		var at []time.Duration
		done := make(chan struct{})
		go func() {
			defer close(done)
			Run(ctx, w, func() time.Duration { return time.Minute }, 20, func() {
				at = append(at, time.Since(begun))
				if len(at) == 2 {
					w.Poke()
					w.Poke() // one round for both
					Rest(ctx, time.Second)
				}
			})
		}()
		w.Poke()
		Rest(ctx, 3*time.Minute)
		cancel()
		<-done
		second := calm + time.Minute
		third := second + 21*time.Second
		if want := []time.Duration{0, second, third, third + calm + time.Minute}; !slices.Equal(at, want) {
			t.Errorf("rounds at %v, not %v", at, want)
		}
	})
}
