// Package enter runs two processes of a run of an agent before nearly anything is
// initialised: agent-keeper, which is above the run, and agent-enter, which closes a sandbox
// around the agent and becomes it.
package enter

import (
	"os"

	"ctxfs/providers/executor/keeper"
	"ctxfs/providers/executor/sandbox"
)

// init does not return if the command is one of its own. Every run waits for them, and a
// keeper stays as long as the run, so they come before package net, which package early
// needs, as package hook does: what Go initialises until then takes milliseconds.
func init() {
	if len(os.Args) < 2 {
		return
	}
	switch os.Args[1] {
	case sandbox.Command:
		os.Exit(sandbox.Enter(os.Args[2:]))
	case keeper.Command:
		os.Exit(keeper.Main(os.Args[2:]))
	}
}
