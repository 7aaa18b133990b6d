//go:build !linux

package mcp

import "os/exec"

// spawner starts processes. Where there is no way to have them killed when
// this process is, they have the end of their input to go by.
type spawner struct{}

func newSpawner() *spawner { return &spawner{} }

// start is cmd.Start.
func (s *spawner) start(cmd *exec.Cmd) error { return cmd.Start() }

func (s *spawner) close() {}
