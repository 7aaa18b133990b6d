package fleet

import (
	"sync"
	"time"

	"ctxfs/providers/mcp/supervise"
)

// sampler takes samples of what the processes of servers use, for STATUS.md: soon
// after the condition of an instance has changed, and from time to time while any of
// them runs.
type sampler struct {
	every time.Duration // 0 takes none
	take  func() bool   // takes a sample, and reports whether anything runs

	mu     sync.Mutex
	timer  *time.Timer // of the next sample; nil before the first
	due    time.Time   // when it fires; zero if it is not to
	closed bool

	taking sync.Mutex // held while a sample is taken
}

// sampleDelay is the time from a change to its sample: a program that has just
// started grows.
const sampleDelay = time.Second

// soon has a sample taken soon.
func (m *sampler) soon() {
	if m.every > 0 {
		m.in(min(sampleDelay, m.every))
	}
}

// in has a sample taken after a delay, unless one is due before.
func (m *sampler) in(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	due := time.Now().Add(d)
	if m.closed || !m.due.IsZero() && m.due.Before(due) {
		return
	}
	m.due = due
	if m.timer == nil {
		m.timer = time.AfterFunc(d, m.run)
	} else {
		m.timer.Reset(d)
	}
}

// run takes a sample, and has the next one taken while anything runs.
func (m *sampler) run() {
	m.taking.Lock()
	defer m.taking.Unlock()
	m.mu.Lock()
	closed := m.closed
	m.due = time.Time{}
	m.mu.Unlock()
	if !closed && m.take() {
		m.in(m.every)
	}
}

// close ends the samples, and waits for one that is being taken.
func (m *sampler) close() {
	m.mu.Lock()
	m.closed = true
	if m.timer != nil {
		m.timer.Stop()
	}
	m.mu.Unlock()
	m.taking.Lock()
	defer m.taking.Unlock()
}

// sample shows what the processes of all servers use, and when their instances were
// last used. It reports whether any of them runs.
func (f *Fleet) sample() bool {
	var groups []int
	all := f.All()
	for _, s := range all {
		groups = append(groups, s.Groups()...)
	}
	if len(groups) == 0 {
		return false
	}
	sizes := supervise.Resident(groups)
	for _, s := range all {
		s.ShowSample(sizes)
	}
	return true
}
