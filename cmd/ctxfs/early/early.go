// Package early runs the commands that must start at once, or stay small, before
// the libraries of the program are initialised: ctxfs call, ctxfs guard, and the helpers that
// hold a terminal and run an agent.
//
// Four packages have an init function or start before the libraries do, and
// TestOneInit allows no other: this one; agentrun, which is agent run; quick and enter,
// which start before package net, too (a hook takes 3 ms, Go's own initialisation with
// net 8). The library that costs most, santhosh-tekuri/jsonschema, compiles its
// metaschemas in package variables: 4.5 ms and 1.7 MB of every start.
// google/jsonschema-go takes 0.2 ms, but knows neither drafts 4, 6 and 2019-09 nor
// formats, and its errors name no place in the arguments.
package early

import (
	"os"

	"ctxfs/cmd/ctxfs/agentrunner"
	"ctxfs/cmd/ctxfs/call"
	"ctxfs/cmd/ctxfs/console"
	"ctxfs/mounts/guard"
	"ctxfs/providers/helper"
	"ctxfs/providers/terminals/holder"
)

// init is the only one in the program, and does not return if the command is one
// of its own.
//
// Libraries initialise for milliseconds before main begins: one for JSON Schema
// compiles its metaschemas, which takes 4.5 ms and 1.7 MB of every start. A call
// takes less than that, and is made thousands of times; a guardian stays as long as
// a mount, a runner as long as an agent. Go initialises packages in the order of
// their import paths, as far as imports allow (The Go Programming Language
// Specification, "Program initialization"). This package comes early in that order,
// since it imports little. If the order changed, all would still work, but more slowly;
// TestCommandsStartEarly and TestAgentsStartEarly notice.
func init() {
	role, args := helper.Role()
	switch {
	case len(os.Args) > 2 && os.Args[1] == "call" && !call.OwnHelp(os.Args[2:]):
		os.Exit(call.Early(os.Args[2:]))
	case len(os.Args) > 1 && os.Args[1] == guard.Command:
		os.Exit(guard.Main(os.Stderr))
	case role == helper.AgentRunner:
		os.Exit(agentrunner.Main(args))
	case role == helper.Terminal:
		os.Exit(hold())
	}
}

// hold is the whole process that owns a terminal.
func hold() int {
	if err := holder.Hold(); err != nil {
		console.Complain(os.Stderr, err)
		return console.ExitFailed
	}
	return console.ExitOK
}
