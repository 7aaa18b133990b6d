//go:build !linux

// Package spawn starts processes that do not outlive this one.
package spawn

import "os/exec"

// Spawner starts processes. Where there is no way to have them killed when
// this process is, they have the end of their input to go by.
type Spawner struct{}

// New returns a spawner that has started nothing yet. Close ends it.
func New() *Spawner { return &Spawner{} }

// Start is cmd.Start.
func (s *Spawner) Start(cmd *exec.Cmd) error { return cmd.Start() }

func (s *Spawner) Close() {}
