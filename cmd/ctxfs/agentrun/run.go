package agentrun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"ctxfs/cmd/ctxfs/agentrunner"
	"ctxfs/cmd/ctxfs/console"
	"ctxfs/cmd/ctxfs/places"
	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/mounts/control"
	"ctxfs/providers/executor/job"
	"ctxfs/providers/executor/programs"
	"ctxfs/providers/executor/request"
	"ctxfs/providers/executor/runner"
)

// Run starts an agent, and prints what came of it. The error has the exit code of the
// program, see [console.Exit].
func Run(ctx context.Context, s console.Streams, p places.Places, f *Flags, args []string) error {
	r, err := f.request(s.In, args)
	if err != nil {
		return err
	}
	if f.json && !f.detach {
		return usage(errors.New("--json is for --detach; the result is JSON anyway"))
	}
	settings, problems := programs.ReadSettings(p.Config)
	self, err := os.Executable()
	if err != nil {
		return err
	}
	// From now on: a signal between the start and the wait would end this process alone.
	ctx, stop := signal.NotifyContext(ctx, heeded()...)
	defer stop()
	started, err := runner.Start(runner.Options{Store: job.In(p.State), Program: self, Request: r, Settings: settings, Detach: f.detach})
	for _, problem := range problems {
		if err == nil || err.Error() != problem.What {
			note(s.Err, "%s", problem.What)
		}
	}
	if err != nil {
		return notStarted(settings, r, err)
	}
	if f.detach {
		return printDetached(s, p, begun(ctx, p, started.Job), f.json)
	}
	if console.IsTerminal(s.Err) {
		tellBegun(s.Err, begun(ctx, p, started.Job), settings)
	}
	j, err := started.Wait(ctx)
	if err != nil {
		return err
	}
	if j.Result == nil { // its keeper was killed, and its runner cannot be
		return &control.Fault{Message: started.Job.ID + " cannot be ended", Hint: "see what it does: ctxfs agent ps"}
	}
	if err := console.PrintJSON(s.Out, j.Result); err != nil {
		return err
	}
	return console.Exit(ExitCode(j.Result.Ended), nil)
}

// Limits of waiting until a run has started or waits for its turn: how long, and how often
// to look.
const (
	begunTime = time.Second
	begunTurn = 5 * time.Millisecond
)

// begun returns a run when its agent has been started, or waits for its turn; where the
// background process shows runs, it shows the agent's log then.
func begun(ctx context.Context, p places.Places, j *job.Job) *job.Job {
	ctx, cancel := context.WithTimeout(ctx, begunTime)
	defer cancel()
	for {
		if now, err := job.In(p.State).Load(j.ID); err == nil {
			j = now
		}
		waits := j.Status.Runner != 0 && j.Status.State == job.Waiting
		if waits || j.Ended() || j.Status.State == job.Running && (j.Status.Terminal == "" || agentrunner.Shows(ctx, p, "agents/"+j.ID+"/log.txt")) {
			return j
		}
		select {
		case <-ctx.Done():
			return j
		case <-time.After(begunTurn):
		}
	}
}

// tellBegun tells a person how a run stands that is waited for.
func tellBegun(w io.Writer, j *job.Job, s request.Settings) {
	switch {
	case j.Ended():
	case j.Status.State == job.Waiting:
		note(w, "%s waits for its turn, since %d agents run at once; give up: Ctrl-C", j.ID, s.Limit)
	default:
		note(w, "%s runs; look at it: ctxfs attach %[1]s; end it: Ctrl-C", j.ID)
	}
}

// note prints a line that is not part of the result.
func note(w io.Writer, format string, args ...any) { fmt.Fprintf(w, "ctxfs: "+format+"\n", args...) }

// heeded returns the signals that cancel a run: not those that this process was started to
// ignore, as by nohup.
func heeded() []os.Signal {
	return slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}, signal.Ignored)
}

// ExitCodes are the exit codes of ctxfs agent run, as help documents them.
const ExitCodes = `0    the agent has succeeded
1    nothing was started; the message says why
2    the command line or the request was wrong
5    the agent has failed, or could not be started
8    this is part of a read-only run, which starts no agents
13   lost: its processes were killed from outside
124  the time limit was reached
130  it was cancelled`

// ExitCode returns the exit code for how a run has ended.
func ExitCode(how request.Ended) int { return exitCodes[how] }

// exitCodes are the exit codes for how a run has ended.
var exitCodes = map[request.Ended]int{
	request.Success: console.ExitOK, request.Failure: console.ExitTool, request.Lost: console.ExitLost,
	request.Timeout: console.ExitTimeout, request.Cancelled: console.ExitInterrupted,
}

// notStarted is the error of a run that was not started.
func notStarted(s request.Settings, r request.Request, err error) error {
	if confined := (*fs.Confined)(nil); errors.As(err, &confined) {
		return console.Exit(console.ExitDenied, err)
	}
	fault := &control.Fault{Message: err.Error()}
	if here := programs.Available(s); errors.Is(err, exec.ErrNotFound) || r.Agent == "" {
		fault.Hint = "what can be started here: " + strings.Join(here, ", ")
		if len(here) == 0 {
			fault.Hint = "install an agent, or configure a command: ctxfs agent run --help"
		}
	}
	if wrong := (*request.WrongError)(nil); errors.As(err, &wrong) {
		fault.Hint = "correct it; see all of it: ctxfs config validate"
	}
	if unknown := (*programs.UnknownError)(nil); errors.As(err, &unknown) {
		fault.Hint = "what can be started here: " + strings.Join(programs.Available(s), ", ")
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

func printDetached(s console.Streams, p places.Places, j *job.Job, asJSON bool) error {
	if asJSON {
		return console.PrintJSON(s.Out, detached{j.ID, j.Dir})
	}
	fmt.Fprintln(s.Out, j.ID)
	how := "runs in the background"
	if j.Status.State == job.Waiting {
		how = "waits for its turn"
	}
	if j.Status.Within != "" {
		how += ", and ends with " + j.Status.Within + ": wait for it"
	}
	note(s.Err, "%s %s; its result will be %s", j.ID, how, wording.Tilde(j.Path(job.ResultFile), p.Home))
	return nil
}
