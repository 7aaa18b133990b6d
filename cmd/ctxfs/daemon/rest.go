package daemon

import (
	"runtime/metrics"
	"sync/atomic"
	"time"
)

// restTime is how long nothing is asked and nothing changes before the process rests.
const restTime = 2 * time.Second

// rest has memory returned to the system when the process rests: it holds what it shows
// for days, and what work needed besides is of no use then.
type rest struct {
	timer     *time.Timer
	allocated atomic.Uint64 // bytes, in all, when memory was last returned
}

func newRest(release func()) *rest {
	r := new(rest)
	r.timer = time.AfterFunc(restTime, func() {
		of := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}, {Name: "/gc/heap/live:bytes"}}
		metrics.Read(of)
		allocated, live := of[0].Value.Uint64(), of[1].Value.Uint64()
		// Releasing costs a collection, whose cost grows with what lives.
		if allocated-r.allocated.Load() >= live/4 {
			r.allocated.Store(allocated)
			release()
		}
	})
	return r
}

// putOff puts the rest off: something was asked or has changed.
func (r *rest) putOff() { r.timer.Reset(restTime) }
