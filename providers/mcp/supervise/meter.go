package supervise

import (
	"sync"
	"time"
)

// What counts as progress: less is what an idle program does to keep its
// timers, or to ask again and again for something that is not there.
const (
	progressCPU   = 50 * time.Millisecond
	progressBytes = 4 << 10
)

// usage is what processes have used since they are measured.
type usage struct {
	cpu   time.Duration
	bytes int64 // read and written
}

// meter measures what a process group and all descendants of its processes
// use, those that have ended included.
type meter struct {
	group int

	mu    sync.Mutex
	known map[int]*measured // by pid
	total usage
	mark  usage // total when moved last said so
}

// measured is a process as it was last seen.
type measured struct {
	began uint64 // tells it from a later one of the same number
	usage
}

func newMeter(group int) *meter { return &meter{group: group, known: make(map[int]*measured)} }

// moved reports whether the processes have made progress since it last said
// so, or since they began.
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

// add takes down what a process has used until now. One that was not seen
// before counts in full; the end of one takes nothing away.
func (m *meter) add(pid int, began uint64, now usage) {
	old := m.known[pid]
	if old == nil || old.began != began {
		old = &measured{began: began}
		m.known[pid] = old
	}
	m.total.cpu += max(0, now.cpu-old.cpu)
	m.total.bytes += max(0, now.bytes-old.bytes)
	old.usage = now
}
