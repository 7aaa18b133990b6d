package server

import (
	"math"
	"time"

	"ctxfs/providers/mcp/instance"
)

// groupOf returns the process group of an instance that is ready, or 0.
func groupOf(i *instance.Instance) int {
	if c := i.Connection(); c != nil && c.Process != nil {
		return c.Process.Group()
	}
	return 0
}

// Groups returns the process groups of the server's instances that are ready.
func (s *Server) Groups() (groups []int) {
	for _, i := range s.Instances() {
		if group := groupOf(i); group != 0 {
			groups = append(groups, group)
		}
	}
	return groups
}

// ShowSample shows how much memory process groups use, and when the server's
// instances were last used.
func (s *Server) ShowSample(sizes map[int]int64) {
	s.mu.Lock()
	all := s.places()
	s.mu.Unlock()
	main := sizes[groupOf(s.main)]
	memory, used := make([]int64, len(all)), make([]time.Time, len(all))
	for i, x := range all {
		memory[i] = sizes[groupOf(x.run)]
		used[i], _ = x.run.LastUse()
	}
	s.mu.Lock()
	changed := rounded(main, s.memory) != s.memory
	s.memory = rounded(main, s.memory)
	for i, x := range all {
		is := rounded(memory[i], x.memory)
		changed = changed || is != x.memory || !used[i].Equal(x.used)
		x.memory, x.used = is, used[i]
	}
	s.mu.Unlock()
	if changed {
		s.Show()
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
