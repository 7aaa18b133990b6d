//go:build !linux

package supervise

// measure has nothing to add up where the system shows no other processes:
// only the growth of package caches tells of progress.
func (m *meter) measure() {}

func (m *meter) writes([]string) bool { return false }

func hasLiving(int) bool { return true }

func began(int) uint64 { return 0 }
