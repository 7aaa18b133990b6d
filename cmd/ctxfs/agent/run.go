package agent

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/console"
	"ctxfs/fs"
	"ctxfs/mounts/control"
	"ctxfs/providers/executor/job"
	"ctxfs/providers/executor/programs"
	"ctxfs/providers/executor/request"
	"ctxfs/providers/executor/runner"
	"ctxfs/providers/terminals/holder"
)

// runFlags are the flags of agent run.
type runFlags struct {
	agent, repo, schema string
	timeout             time.Duration
	readOnly, worktree  bool
	detach, json        bool
}

// runExitCodes are the exit codes of ctxfs agent run.
const runExitCodes = `0    the agent has succeeded
1    nothing was started; the message says why
2    the command line or the request was wrong
5    the agent has failed, or could not be started
13   lost: its processes were killed from outside
124  the time limit was reached
130  it was cancelled`

func newRun(a *cli.App) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [--agent NAME] [--repo DIR] [-- PROMPT]",
		Short: "start an agent with one task",
		Long: `Run starts the command line of a coding agent with one task, waits for its end,
and prints one JSON object: how it has ended, its exit code, its answer, what
its requests took, where the log of its terminal and its session are, what it
has changed, how long it took.

The task is a prompt and flags, or one JSON object on standard input with the
same things: repoDir, prompt, timeoutMs, readOnly, agent, worktree,
schema. Flags go before what the object says. The prompt - is read from
standard input.

The agent is claude, codex, cursor-agent, gemini, opencode, copilot, goose or
amp, as it is installed and logged in; it gets its own flags for output that
programs read, for not asking anybody, and for being read-only. It may also be a
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
gets only what reads.

It runs in a recorded terminal: ctxfs ps lists it, ctxfs attach shows it,
terminals/ID.txt of the mount is its log. It gets the prompt, and one line
before it that says where its context is. The variables by which another agent
names itself are taken from its environment.

With --schema its answer is in "structured", as JSON, if it has a flag for that
(claude, codex); else that is "unsupported".

Ctrl-C, the time limit and the end of whoever started it end the agent with all
that it has started, also daemons, within two seconds: by SIGTERM, and after a
second by SIGKILL. What it leaves running when it ends is ended likewise. With
--detach run prints the id and returns; the agent goes on.

In a git repository the result has the changed files and a diff of everything
that changed meanwhile, whoever did it, committed or not. Ignored files are not
in it. With --worktree the agent works in a git worktree of its own, on a new
branch that begins at the commit that is checked out: what is not committed is
not in it, and the result and the agent are told so. It is removed afterwards if
nothing has changed in it; otherwise the result names it, its branch and its
diff, and ctxfs agent adopt ID merges it into the repository. A read-only run
gets no worktree.

At most 8 agents run at once (limit in the table [agents]); more wait for their
turn. The time limit counts from the start of the agent. An agent that is
started by an agent counts too, and ends with it; it is refused where it would
wait for a turn that nobody can give it.

Exit codes:
` + cli.Indent(runExitCodes),
		Example: `  ctxfs agent run --agent claude -- "mend the failing test"
  ctxfs agent run --agent codex --read-only -- "where are sessions stored?"
  echo '{"agent": "explore", "prompt": "..."}' | ctxfs agent run
  ctxfs agent run --agent explore --timeout 2m --detach -- "..."`,
		Args: cli.Args(-1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := f.request(cmd, a, args)
			if err != nil {
				return err
			}
			return f.run(cmd, a, r)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	flags := cmd.Flags()
	flags.StringVar(&f.agent, "agent", "", "the agent, or a kind of subagent from the configuration")
	flags.StringVar(&f.repo, "repo", "", "the folder in which it works, instead of this one")
	flags.DurationVar(&f.timeout, "timeout", request.DefaultTimeout, "end it after this time")
	flags.BoolVar(&f.readOnly, "read-only", false, "it may read everything, and write nothing")
	flags.BoolVar(&f.worktree, "worktree", false, "it works in a git worktree of its own")
	flags.StringVar(&f.schema, "schema", "", "the `FILE` with a JSON Schema for its answer")
	flags.BoolVar(&f.detach, "detach", false, "print the id, and return when it has been started")
	flags.BoolVar(&f.json, "json", false, "with --detach, print as JSON")
	_ = cmd.RegisterFlagCompletionFunc("agent", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		settings, _ := programs.ReadSettings(a.Config)
		return programs.Available(settings), cobra.ShellCompDirectiveNoFileComp
	})
	_ = cmd.RegisterFlagCompletionFunc("repo", cli.CompleteDirs)
	_ = cmd.RegisterFlagCompletionFunc("timeout", cobra.NoFileCompletions)
	return cmd
}

// run starts an agent, and prints what came of it.
func (f *runFlags) run(cmd *cobra.Command, a *cli.App, r request.Request) error {
	if f.json && !f.detach {
		return cli.Usage(cmd, errors.New("--json is for --detach; the result is JSON anyway"))
	}
	settings, problems := programs.ReadSettings(a.Config)
	for _, p := range problems {
		a.Notef("%s", p.What)
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	// From now on: a signal between the start and the wait would end this process alone.
	ctx, stop := signal.NotifyContext(cmd.Context(), heeded()...)
	defer stop()
	s, err := runner.Start(runner.Options{Store: job.In(a.State), Program: self, Request: r, Settings: settings, Detach: f.detach})
	if err != nil {
		return notStarted(settings, r, err)
	}
	if f.detach {
		return printDetached(a, s.Job, f.json)
	}
	if file, ok := a.Err.(*os.File); ok && holder.IsTerminal(file) {
		a.Notef("%s runs; look at it: ctxfs attach %[1]s; end it: Ctrl-C", s.Job.ID)
	}
	j, err := s.Wait(ctx)
	if err != nil {
		return err
	}
	if j.Result == nil { // its keeper was killed, and its runner cannot be
		return &control.Fault{Message: s.Job.ID + " cannot be ended", Hint: "see what it does: ctxfs agent ps"}
	}
	if err := a.PrintJSON(j.Result); err != nil {
		return err
	}
	return cli.Exit(exitCodes[j.Result.Ended], nil)
}

// heeded returns the signals that cancel a run: not those that this process was started to
// ignore, as by nohup.
func heeded() []os.Signal {
	return slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}, signal.Ignored)
}

// exitCodes are the exit codes for how a run has ended.
var exitCodes = map[request.Ended]int{
	request.Success: console.ExitOK, request.Failure: console.ExitTool, request.Lost: console.ExitLost,
	request.Timeout: console.ExitTimeout, request.Cancelled: console.ExitInterrupted,
}

// notStarted is the error of a run that was not started.
func notStarted(s request.Settings, r request.Request, err error) error {
	if confined := (*fs.Confined)(nil); errors.As(err, &confined) {
		return cli.Exit(console.ExitDenied, err)
	}
	fault := &control.Fault{Message: err.Error(), Hint: "what can be started here: " + strings.Join(programs.Available(s), ", ")}
	if len(programs.Available(s)) == 0 {
		fault.Hint = "install an agent, or configure a command: ctxfs agent run --help"
	}
	if unknown := (*programs.UnknownError)(nil); errors.As(err, &unknown) {
		if near := cmp.Or(s.Nearest(unknown.Name), unknown.Near); near != "" {
			fault.Hint = "did you mean: --agent " + near
		}
	}
	return fault
}

// detached is what agent run --detach prints for scripts.
type detached struct {
	ID  string `json:"id"`
	Dir string `json:"dir"`
}

func printDetached(a *cli.App, j *job.Job, asJSON bool) error {
	if asJSON {
		return a.PrintJSON(detached{j.ID, j.Dir})
	}
	a.Sayf("%s", j.ID)
	a.Notef("%s runs in the background; its result will be %s", j.ID, a.Tilde(j.Path(job.ResultFile)))
	return nil
}

// maxRequest is the longest request that is read, in bytes.
const maxRequest = 16 << 20

// request returns what is asked for: a prompt as arguments, or else the JSON object on
// standard input. What flags say goes before what the object says.
func (f *runFlags) request(cmd *cobra.Command, a *cli.App, args []string) (r request.Request, err error) {
	prompt := strings.Join(args, " ")
	if len(args) == 0 || prompt == "-" {
		body, err := readInput(cmd, a)
		if err != nil {
			return r, err
		}
		if prompt == "-" {
			prompt = string(body)
		} else if r, err = request.Parse(body); err != nil {
			return r, cli.Usage(cmd, err)
		}
	}
	if prompt != "" {
		r.Prompt = prompt
	}
	given := cmd.Flags().Changed
	if given("agent") {
		r.Agent = f.agent
	}
	if given("repo") || r.RepoDir == "" {
		r.RepoDir = f.repo
	}
	if given("timeout") {
		r.TimeoutMS = f.timeout.Milliseconds()
		if r.TimeoutMS <= 0 {
			return r, cli.Usage(cmd, fmt.Errorf("--timeout takes a time such as 90s or 10m, not %v", f.timeout))
		}
	}
	r.ReadOnly, r.Worktree = r.ReadOnly || f.readOnly, r.Worktree || f.worktree
	if f.schema != "" {
		if r.Schema, err = os.ReadFile(f.schema); err != nil {
			return r, cli.Usage(cmd, err)
		}
	}
	if r.RepoDir, err = filepath.Abs(r.RepoDir); err != nil {
		return r, err
	}
	switch info, err := os.Stat(r.RepoDir); {
	case err != nil:
		return r, cli.Usage(cmd, fmt.Errorf("the folder to work in cannot be used: %w", err))
	case !info.IsDir():
		return r, cli.Usage(cmd, fmt.Errorf("%s is not a folder", r.RepoDir))
	}
	if err := r.Check(); err != nil {
		return r, cli.Usage(cmd, err)
	}
	return r, nil
}

// readInput reads standard input, where a person would not know that it is waited for.
func readInput(cmd *cobra.Command, a *cli.App) ([]byte, error) {
	if file, ok := a.In.(*os.File); ok && holder.IsTerminal(file) {
		return nil, cli.Exit(console.ExitUsage, &control.Fault{
			Message: "which prompt?",
			Hint:    "for example: ctxfs agent run --agent claude -- \"mend the failing test\"\nsee how it is used: " + cmd.CommandPath() + " --help",
		})
	}
	body, err := io.ReadAll(io.LimitReader(a.In, maxRequest+1))
	if err == nil && len(body) > maxRequest {
		err = errors.New("the request is too long")
	}
	return body, err
}
