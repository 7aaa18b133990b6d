// Package enter runs helpers before nearly anything is initialised: the keepers of commands
// and of runs of agents, and what closes a sandbox around an agent and becomes it.
package enter

import (
	"os"

	"ctxfs/providers/executor/sandbox"
	"ctxfs/providers/helper"
)

// init does not return if this process is such a helper. Every run and every command waits for
// them, and a keeper stays as long, so they come before package net, which package early
// needs, as package hook does: what Go initialises until then takes milliseconds.
func init() {
	switch role, args := helper.Role(); role {
	case helper.AgentEnter:
		os.Exit(sandbox.Enter(args))
	case helper.AgentKeeper:
		os.Exit(helper.RunAgentKeeper(args))
	case helper.Keep:
		os.Exit(helper.RunKeep(args))
	}
}
