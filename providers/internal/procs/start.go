package procs

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// grouped gives a command a process group of its own, which is killed as a whole when the
// command's context ends. What it leaves behind does not hold up Wait by its output.
func grouped(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if cmd.Cancel != nil {
		cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
		cmd.WaitDelay = time.Second
	}
}

// KeepDescriptors marks inherited descriptors, such as the end of a pipe that is read to
// its end, close-on-exec: what is started next would otherwise hold them as long as it
// lives.
func KeepDescriptors() {
	open, err := os.ReadDir("/dev/fd")
	if err != nil {
		return // then they are inherited
	}
	for _, entry := range open {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
}

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
