package daemon

import (
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
)

// restTime is how long nothing is asked, nothing changes and little is done before the
// process rests.
const restTime = 2 * time.Second

// rest has memory returned to the system when the process rests: it holds what it shows
// for days, and what work needed besides is of no use then.
type rest struct {
	timer     *time.Timer
	allocated atomic.Uint64 // bytes, in all, when memory was last returned
	used      atomic.Int64  // what used returned last, as a duration
}

// newRest returns a rest that calls release. Used returns the processor time of the process:
// the first pass over sessions is work that nobody has asked for.
func newRest(release func(), used func() time.Duration) *rest {
	r := new(rest)
	r.timer = time.AfterFunc(restTime, func() {
		if now := int64(used()); now-r.used.Swap(now) > int64(restTime/10) {
			r.putOff()
			return
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		// Releasing costs a collection, whose cost grows with what lives.
		if m.TotalAlloc-r.allocated.Load() >= m.HeapAlloc/4 {
			r.allocated.Store(m.TotalAlloc)
			release()
		}
	})
	return r
}

// putOff puts the rest off: something was asked or has changed.
func (r *rest) putOff() { r.timer.Reset(restTime) }

// processorTime returns the processor time that this process has used.
func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // of oneself: cannot fail
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
