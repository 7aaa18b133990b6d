//go:build !linux

// Package spawn starts processes that do not outlive this one.
package spawn

import "os/exec"

// Spawner starts processes. This system cannot kill them when this process is
// killed: they have to notice the end of their input.
type Spawner struct{}

// New returns a spawner that has started nothing yet. Close ends it.
func New() *Spawner { return &Spawner{} }

// Start calls cmd.Start.
func (s *Spawner) Start(cmd *exec.Cmd) error { return cmd.Start() }

func (s *Spawner) Close() {}
