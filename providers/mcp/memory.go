package mcp

import (
	"math"
	"slices"
	"sync"
	"time"

	"ctxfs/providers/mcp/instance"
	"ctxfs/providers/mcp/supervise"
)

// sampler takes samples of what the processes of servers use, for STATUS.md: soon
// after the condition of an instance has changed, and from time to time while any of
// them runs.
type sampler struct {
	mu     sync.Mutex
	timer  *time.Timer // of the next sample; nil before the first
	due    time.Time   // when it fires; zero if it is not to
	closed bool

	taking sync.Mutex // held while a sample is taken
}

// sampleDelay is the time from a change to its sample: a program that has just
// started grows.
const sampleDelay = time.Second

// sample has a sample taken soon.
func (p *Provider) sample() {
	if p.timing.sample > 0 {
		p.sampleIn(min(sampleDelay, p.timing.sample))
	}
}

func (p *Provider) sampleIn(d time.Duration) {
	m := &p.samples
	m.mu.Lock()
	defer m.mu.Unlock()
	due := time.Now().Add(d)
	if m.closed || !m.due.IsZero() && m.due.Before(due) {
		return
	}
	m.due = due
	if m.timer == nil {
		m.timer = time.AfterFunc(d, p.takeSample)
	} else {
		m.timer.Reset(d)
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

// takeSample shows what the processes of all servers use, and when their instances
// were last used.
func (p *Provider) takeSample() {
	m := &p.samples
	m.taking.Lock()
	defer m.taking.Unlock()
	m.mu.Lock()
	closed := m.closed
	m.due = time.Time{}
	m.mu.Unlock()
	if closed {
		return
	}
	var groups []int
	all := p.all()
	placed := make(map[*server][]*placed)
	for _, s := range all {
		groups = append(groups, groupOf(s.main))
		s.mu.Lock()
		placed[s] = s.places()
		s.mu.Unlock()
		for _, x := range placed[s] {
			groups = append(groups, groupOf(x.run))
		}
	}
	groups = slices.DeleteFunc(groups, func(group int) bool { return group == 0 })
	if len(groups) == 0 {
		return // nothing runs
	}
	sizes := supervise.Resident(groups)
	for _, s := range all {
		s.showSample(placed[s], func(i *instance.Instance) int64 { return sizes[groupOf(i)] })
	}
	p.sampleIn(p.timing.sample)
}

// groupOf returns the process group of an instance that is ready; 0 is none.
func groupOf(i *instance.Instance) int {
	if c := i.Connection(); c != nil && c.Process != nil {
		return c.Process.Group()
	}
	return 0
}

// showSample shows a sample of the server's instances.
func (s *server) showSample(all []*placed, memory func(*instance.Instance) int64) {
	type sampled struct {
		memory int64
		used   time.Time
	}
	main := memory(s.main)
	of := make(map[*placed]sampled)
	for _, x := range all {
		used, _ := x.run.LastUse()
		of[x] = sampled{memory(x.run), used}
	}
	s.mu.Lock()
	changed := rounded(main, s.memory) != s.memory
	s.memory = rounded(main, s.memory)
	for x, now := range of {
		now.memory = rounded(now.memory, x.memory)
		changed = changed || now.memory != x.memory || !now.used.Equal(x.used)
		x.memory, x.used = now.memory, now.used
	}
	s.mu.Unlock()
	if changed {
		s.update(func() {})
	}
}

// rounded returns how much memory is shown where some is used and some was shown
// before: it stays as long as it is about right, so that STATUS.md seldom changes.
func rounded(used, before int64) int64 {
	if math.Abs(float64(used-before)) < 0.15*float64(used) || used == 0 {
		return before
	}
	unit := math.Pow10(int(math.Log10(float64(used))) - 1)
	return int64(math.Round(float64(used)/unit) * unit)
}
