package agentrun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"ctxfs/cmd/ctxfs/console"
	"ctxfs/cmd/ctxfs/places"
	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/mounts/control"
	"ctxfs/providers/executor/job"
	"ctxfs/providers/executor/programs"
	"ctxfs/providers/executor/request"
	"ctxfs/providers/executor/runner"
	"ctxfs/providers/terminals/holder"
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
	for _, problem := range problems {
		note(s.Err, "%s", problem.What)
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	// From now on: a signal between the start and the wait would end this process alone.
	ctx, stop := signal.NotifyContext(ctx, heeded()...)
	defer stop()
	started, err := runner.Start(runner.Options{Store: job.In(p.State), Program: self, Request: r, Settings: settings, Detach: f.detach})
	if err != nil {
		return notStarted(settings, r, err)
	}
	if f.detach {
		return printDetached(s, p, started.Job, f.json)
	}
	if file, ok := s.Err.(*os.File); ok && holder.IsTerminal(file) {
		note(s.Err, "%s runs; look at it: ctxfs attach %[1]s; end it: Ctrl-C", started.Job.ID)
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

// note prints a line that is not part of the result.
func note(w io.Writer, format string, args ...any) {
	fmt.Fprintf(w, "ctxfs: "+format+"\n", args...)
}

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

func printDetached(s console.Streams, p places.Places, j *job.Job, asJSON bool) error {
	if asJSON {
		return console.PrintJSON(s.Out, detached{j.ID, j.Dir})
	}
	fmt.Fprintln(s.Out, j.ID)
	note(s.Err, "%s runs in the background; its result will be %s", j.ID, wording.Tilde(j.Path(job.ResultFile), p.Home))
	return nil
}
