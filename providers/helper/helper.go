// Package helper is ctxfs helper, by which the program starts itself as a process beside
// another one, in a role: package procs for the command line, which runs the roles before
// what they do not need is initialised.
package helper

import (
	"fmt"
	"os"
	"strconv"

	"ctxfs/providers/internal/procs"
)

// The roles; see package procs.
const (
	Keep        = procs.RoleKeep
	AgentKeeper = procs.RoleAgentKeeper
	AgentRunner = procs.RoleAgentRunner
	AgentEnter  = procs.RoleAgentEnter
	Terminal    = procs.RoleTerminal
)

// Role returns the role in which this process was started, with its arguments; "" if it is no
// helper.
func Role() (role string, args []string) {
	if len(os.Args) < 3 || os.Args[1] != procs.HelperCommand {
		return "", nil
	}
	return os.Args[2], os.Args[3:]
}

// RunKeep is the whole process of a keeper of a command line. It returns its exit code.
func RunKeep(argv []string) int { return procs.RunKeeper(func(uint64) []string { return argv }, false) }

// RunAgentKeeper is the whole process of the keeper of an agent's runner.
func RunAgentKeeper(args []string) int {
	self, err := os.Executable()
	if err != nil {
		fmt.Fprintln(os.Stderr, "ctxfs:", err)
		return 1
	}
	return procs.RunKeeper(func(mark uint64) []string {
		return procs.Helper(self, AgentRunner, append([]string{strconv.Itoa(os.Getpid()), strconv.FormatUint(mark, 10)}, args...)...)
	}, true)
}
