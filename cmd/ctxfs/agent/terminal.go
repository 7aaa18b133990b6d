package agent

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/usertree"
	"ctxfs/providers/caller"
	"ctxfs/providers/executor/keeper"
	"ctxfs/providers/executor/programs"
	"ctxfs/providers/executor/request"
	"ctxfs/providers/executor/runner"
	"ctxfs/providers/terminals/holder"
	"ctxfs/providers/transcripts"
)

// newRunner returns the command that runs an agent for agent run.
func newRunner(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:     keeper.RunnerCommand + " DIR",
		Short:   "the process that runs an agent (started by agent run)",
		Hidden:  true,
		Example: "  ctxfs " + keeper.RunnerCommand + " ~/.local/state/ctxfs/agents/explore-k2x4",
		Args:    cli.Args(1, "which run?"),
		RunE: func(_ *cobra.Command, args []string) error {
			if _, err := os.Stat(filepath.Join(args[0], "lock")); err != nil {
				return errors.New("this command is started by: ctxfs agent run")
			}
			settings, _ := programs.ReadSettings(a.Config) // agent run has told their faults
			return runner.Run(runner.Config{
				Dir: args[0], Settings: settings, Environ: environ(os.Environ()), Tree: shown{a},
				Open: lend(a), Reach: a.Process().SocketFolders(),
			})
		},
	}
}

// lend opens the recorded terminals in which agents run.
func lend(a *cli.App) runner.Open {
	return func(name string, argv []string, dir string, environ []string) (runner.Terminal, error) {
		return holder.Lend(holder.Spec{Recording: a.Recording(), Name: name, Argv: argv}, dir, environ)
	}
}

// environ returns an environment for an agent: without the variables by which another
// agent, which may have started this program, names itself and its session. The agent
// would take them for its own, and so would ctxfs. Nor is it part of this terminal.
func environ(ours []string) []string {
	return slices.DeleteFunc(slices.Clone(ours), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return name == "AGENT" || name == "AGENT_SESSION_ID" || name == holder.Variable || name == holder.TreeVariable || caller.Marks(name)
	})
}

// shown is what the background process shows, if there is one.
type shown struct{ a *cli.App }

// shownTime is how long the background process may take to tell what it shows.
const shownTime = time.Second

// Hint implements runner.Tree. Without a mount the agent is told the commands.
func (s shown) Hint(ctx context.Context) (line, mount string) {
	const what = "Context for this task (past sessions, tools, terminals, notes)"
	ctx, cancel := context.WithTimeout(ctx, shownTime)
	defer cancel()
	info, _ := s.a.ServerInfo(ctx)
	for _, view := range info.Mounts {
		if mount == "" || view.Dir == s.a.DefaultMount() {
			mount = view.Dir
		}
	}
	if mount == "" {
		return what + ": ctxfs ls, ctxfs find WORDS.", ""
	}
	return what + " is in the folder " + mount + ": begin with AGENTS.md there.", mount
}

// Has implements runner.Tree.
func (s shown) Has(ctx context.Context, path string) bool {
	ctx, cancel := context.WithTimeout(ctx, shownTime)
	defer cancel()
	_, err := usertree.OpList.Ask(ctx, s.a.OnlyRunning(), usertree.PathQuery{Path: path})
	return err == nil
}

// Spent implements runner.Tree.
func (s shown) Spent(ctx context.Context, session string) *request.Usage {
	ctx, cancel := context.WithTimeout(ctx, shownTime)
	defer cancel()
	spent, err := transcripts.OpSpent.Ask(ctx, s.a.OnlyRunning(), transcripts.Wanted{Session: session})
	if err != nil || spent.Requests == 0 {
		return nil
	}
	t := spent.Tokens
	return &request.Usage{
		InputTokens: t.Input, CacheReadTokens: t.CacheRead, CacheWriteTokens: t.CacheWrite + t.CacheWriteLong,
		OutputTokens: t.Output + t.Reasoning, CostUSD: spent.Cost,
	}
}
