package procs

// HelperCommand is the command by which this program starts itself as a helper, in a role:
// "ctxfs helper ROLE ARGUMENTS". Package providers/helper has the roles for the command line.
const HelperCommand = "helper"

// The roles of helpers.
const (
	RoleKeep        = "keep"         // the keeper of a program, by its command line
	RoleAgentKeeper = "agent-keeper" // the keeper of the runner of an agent, by the folder of its run
	RoleAgentRunner = "agent-runner" // by the number and the mark of its keeper, and that folder
	RoleAgentEnter  = "agent-enter"  // closes a sandbox around itself, and becomes an agent
	RoleTerminal    = "terminal"     // the holder of a recorded terminal
)

// Helper returns the command line of a helper.
func Helper(program, role string, args ...string) []string {
	return append([]string{program, HelperCommand, role}, args...)
}
