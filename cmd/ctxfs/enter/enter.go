// Package enter runs agent-enter, which closes a sandbox around an agent and becomes it.
package enter

import (
	"os"

	"ctxfs/providers/executor/sandbox"
)

// init does not return if the command is agent-enter. Every read-only run waits for it, so
// it comes before package net, which package early needs, as package hook does: what Go
// initialises until then takes 5 to 10 ms.
func init() {
	if len(os.Args) > 1 && os.Args[1] == sandbox.Command {
		os.Exit(sandbox.Enter(os.Args[2:]))
	}
}
