//go:build !linux

package supervise

import (
	"context"
	"os"
)

// busy reports false: the load is not known on this system.
func busy() bool { return false }

// unbreakable returns w: on this system a pipe cannot be reopened, and a process
// that writes to it after ctxfs has exited gets an error.
func unbreakable(w *os.File) (*os.File, error) { return w, nil }

// measure does nothing: this system shows no other processes, so only the growth
// of package caches is progress.
func (m *meter) measure() {}

func (m *meter) writes([]string) bool { return false }

func hasLiving(int) bool { return true }

func began(int) uint64 { return 0 }

// Resident returns nothing: this system shows no other processes.
func Resident([]int) map[int]int64 { return nil }

// AwaitIdle waits until ctx ends: this system does not show what a process does.
func (p *Process) AwaitIdle(ctx context.Context) {
	select {
	case <-p.exited:
	case <-ctx.Done():
	}
}
