package supervise

import (
	"sync"
	"time"
)

// The thresholds of progress: an idle program uses less within progressTime, for its timers
// or for polling something that is not there, such as a network.
const (
	progressCPU   = 50 * time.Millisecond
	progressBytes = 4 << 10
	progressTime  = 3 * time.Second
)

// usage is what processes have used since they are being measured.
type usage struct {
	cpu   time.Duration
	bytes int64 // read and written
}

// meter measures what a process group and all descendants of its processes use,
// including those that have exited.
type meter struct {
	group int

	mu    sync.Mutex
	known map[int]*measured // by pid
	total usage
}

// watcher reports the progress of what a meter measures, to one caller: each has
// seen another part of it.
type watcher struct {
	meter *meter
	seen  usage     // the total at that time
	since time.Time // when moved last reported progress, or a while without it was over
}

// watch returns a watcher for which all use until now is seen.
func (m *meter) watch() *watcher {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.measure()
	return &watcher{m, m.total, time.Now()}
}

// measured is a process as it was last measured.
type measured struct {
	began uint64 // start time: distinguishes it from a later process with the same pid
	usage
}

func newMeter(group int) *meter { return &meter{group: group, known: make(map[int]*measured)} }

// moved reports whether the processes have made progress since it last reported
// progress, since the watcher was made, or for progressTime.
func (w *watcher) moved() bool {
	w.meter.mu.Lock()
	defer w.meter.mu.Unlock()
	w.meter.measure()
	total, now := w.meter.total, time.Now()
	moved := total.cpu-w.seen.cpu >= progressCPU || total.bytes-w.seen.bytes >= progressBytes
	if moved || now.Sub(w.since) >= progressTime {
		w.seen, w.since = total, now
	}
	return moved
}
