// Package agentrunner is agent-runner, the process that runs an agent for agent run: what
// package runner needs of other parts of ctxfs.
//
// It imports little, since every run waits until that is initialised: no provider but
// those that it is made of, and not the tree, for which it asks the background process.
//
// In order: agentrunner.go (the process, the agent's terminal and environment), shown.go
// (what the background process shows).
package agentrunner

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ctxfs/cmd/ctxfs/console"
	"ctxfs/cmd/ctxfs/places"
	"ctxfs/providers/caller"
	"ctxfs/providers/executor/programs"
	"ctxfs/providers/executor/runner"
	"ctxfs/providers/terminals/config"
	"ctxfs/providers/terminals/holder"
)

// Main is the whole process, by the number and the mark of its keeper and the folder of its
// run. It returns its exit code.
func Main(args []string) int {
	if len(args) != 3 || !isRun(args[2]) {
		fmt.Fprintln(os.Stderr, "ctxfs: this command is started by: ctxfs agent run")
		return console.ExitFailed
	}
	keeper, _ := strconv.Atoi(args[0])
	mark, _ := strconv.ParseUint(args[1], 10, 64)
	p, err := places.Find(os.LookupEnv)
	if err == nil {
		settings, _ := programs.ReadSettings(p.Config) // agent run has told their faults
		err = runner.Run(runner.Config{
			Dir: args[2], Keeper: keeper, Mark: mark, Settings: settings, Environ: environ(os.Environ()), Tree: shown{p},
			Open: lend(p), Reach: p.Process().Folders(),
		})
	}
	if err != nil {
		console.Complain(os.Stderr, err)
		return console.ExitFailed
	}
	return console.ExitOK
}

// isRun reports whether a folder is that of a run.
func isRun(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "lock"))
	return err == nil
}

// lend opens the recorded terminals in which agents run.
func lend(p places.Places) runner.Open {
	return func(name string, argv []string, dir string, environ []string) (runner.Terminal, error) {
		recording := config.Recording(p.Config, p.State, p.Process().SocketFolders())
		return holder.Lend(holder.Spec{Recording: recording, Name: name, Argv: argv}, dir, environ)
	}
}

// environ returns an environment for an agent: without the variables by which another
// agent, which may have started this program, names itself and its session. The agent
// would take them for its own, and so would ctxfs. Nor is it part of this terminal.
func environ(ours []string) []string {
	marks := caller.Marks()
	return slices.DeleteFunc(slices.Clone(ours), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return name == "AGENT" || name == "AGENT_SESSION_ID" || name == holder.Variable || name == holder.TreeVariable || marks(name)
	})
}
