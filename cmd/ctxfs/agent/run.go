package agent

import (
	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/agentrun"
	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/providers/executor/programs"
)

func newRun(a *cli.App) *cobra.Command {
	var f agentrun.Flags
	cmd := &cobra.Command{
		Use:   "run [flags] -- PROMPT",
		Short: "start an agent with one task",
		Long: `Run starts the command line of a coding agent with one task, waits for its end,
and prints one JSON object: how it has ended, its exit code, its answer, what
its requests took, where the log of its terminal and its session are, what it
has changed, how long it took.

The task is a prompt and flags, or one JSON object on standard input with the
same things: repoDir, prompt, timeoutMs, readOnly, agent, worktree, schema. A
flag overrides the same key of the object. The prompt - is read from standard
input; with any other prompt that is not read.

The agent is claude, codex, cursor-agent, gemini, opencode, copilot, goose or
amp, which must be installed and logged in; it gets its own flags for output
that programs read, for not asking anybody, and for being read-only. It may be a
kind of subagent, a table in config.toml of such an agent, or of any command:

  [agents.explore]
  agent = "claude"
  args = ["--model", "haiku"]
  read_only = true
  prompt = "Answer in at most ten lines."
  timeout = "5m"

  [agents.mine]
  command = ["my-agent", "--print", "{prompt}"]
  state = ["~/.my-agent"]   # what it writes for itself, also when read-only

Nobody is there to be asked: one that may write edits files and runs commands
without asking, but for what its own settings deny. With --read-only the kernel
lets it write nothing but its own sessions and caches, and a folder for
temporary files; the result says "read_only": "enforced", or "requested" where
the system has no means for that. Its settings stay as they are. Of ctxfs it
gets only what reads: no tools that are not annotated read-only, no ctxfs run,
no agent run. What it reaches by network is not kept from writing.

It runs in a recorded terminal: ctxfs ps lists it, ctxfs attach shows it,
terminals/ID.txt of the mount is its log. It gets the prompt, and one line
behind it that says where its context is. The variables by which another agent
names itself are taken from its environment.

With --schema its answer is in "structured", as JSON, if it has a flag for that
(claude, codex); else that is "unsupported".

Ctrl-C, the time limit and the end of whoever started it end the agent and
everything it started, daemons included, within two seconds: by SIGTERM, and
after a second by SIGKILL. What it leaves running when it ends is ended
likewise. With --detach run prints the id and returns; the agent goes on.

In a git repository the result has the changed files and a diff of everything
that changed meanwhile, whoever did it, committed or not. Ignored files are not
in it. With --worktree the agent works in a git worktree of its own, on a new
branch that begins at the commit that is checked out: what is not committed is
not in it, and the result and the agent are told so. It is removed afterwards if
nothing has changed in it; otherwise the result names it, its branch and its
diff, and ctxfs agent adopt ID merges it into the repository. A read-only run
gets one only to read what is committed while others work in the folder.

At most 8 agents run at once (limit in the table [agents]); more wait for their
turn. The time limit counts from the start of the agent. An agent that is
started by an agent counts too, and ends with it; it is refused where it would
wait for a turn that nobody can give it.

Exit codes:
` + cli.Indent(agentrun.ExitCodes),
		Example: `  ctxfs agent run --agent claude -- "mend the failing test"
  ctxfs agent run --agent codex --read-only -- "where are sessions stored?"
  echo '{"agent": "explore", "prompt": "..."}' | ctxfs agent run
  ctxfs agent run --agent explore --timeout 2m --detach -- "..."`,
		Args: cli.Args(-1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return agentrun.Run(cmd.Context(), a.Streams, a.Places, &f, args)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	f.Add(cmd.Flags())
	_ = cmd.RegisterFlagCompletionFunc("agent", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		settings, _ := programs.ReadSettings(a.Config)
		return programs.Available(settings), cobra.ShellCompDirectiveNoFileComp
	})
	_ = cmd.RegisterFlagCompletionFunc("repo", cli.CompleteDirs)
	_ = cmd.RegisterFlagCompletionFunc("timeout", cobra.NoFileCompletions)
	return cmd
}
