package daemon

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestEndsWithin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for took, want := range map[time.Duration]bool{time.Second: true, time.Minute: false} {
			if got := endsWithin(closeTime, func() { time.Sleep(took) }); got != want {
				t.Errorf("after %v: %v", took, got)
			}
		}
		time.Sleep(time.Minute) // the last f ends, too
	})
}

// TestMemoryIsReturnedAtRest: a while after the last request, change or work of its own, and
// only if work has left something to return.
func TestMemoryIsReturnedAtRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var returned atomic.Int32
		var used atomic.Int64
		r := newRest(func() { returned.Add(1) }, func() time.Duration { return time.Duration(used.Load()) })
		var kept []byte
		work := func() {
			kept = make([]byte, 32<<20)
			r.putOff()
		}
		rests := func(d time.Duration, want int32) {
			t.Helper()
			time.Sleep(d)
			synctest.Wait()
			if got := returned.Load(); got != want {
				t.Errorf("returned %d times, want %d", got, want)
			}
		}
		work()
		rests(restTime-1, 0)
		work()
		rests(restTime-1, 0)
		rests(1, 1)
		r.putOff()
		rests(time.Hour, 1)
		work()
		rests(restTime, 2)
		work()
		used.Add(int64(time.Second))
		rests(restTime, 2)
		rests(restTime, 3)
		_ = kept
	})
}
