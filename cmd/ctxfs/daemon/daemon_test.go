package daemon

import (
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
