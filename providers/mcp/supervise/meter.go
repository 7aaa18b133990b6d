package supervise

import (
	"sync"
	"time"
)

// The thresholds of progress: an idle program uses less, for its timers or for
// polling something that is not there.
const (
	progressCPU   = 50 * time.Millisecond
	progressBytes = 4 << 10
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
	mark  usage // the total when moved last reported progress
}

// measured is a process as it was last measured.
type measured struct {
	began uint64 // start time: distinguishes it from a later process with the same pid
	usage
}

func newMeter(group int) *meter { return &meter{group: group, known: make(map[int]*measured)} }

// moved reports whether the processes have made progress since it last reported
// progress, or since they were started.
func (m *meter) moved() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.measure()
	if m.total.cpu-m.mark.cpu < progressCPU && m.total.bytes-m.mark.bytes < progressBytes {
		return false
	}
	m.mark = m.total
	return true
}
