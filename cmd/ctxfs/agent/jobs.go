package agent

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/agentrun"
	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/mounts/control"
	"ctxfs/providers/executor/job"
	"ctxfs/providers/executor/request"
	"ctxfs/providers/executor/runner"
)

// store returns the runs of agents.
func store(a *cli.App) job.Store { return job.In(a.State) }

// findJob returns the run that a user names for a command. Of several that begin with the
// name it is the one that the command wants, if there is one only. What is left of runs that
// were killed has been ended then.
func findJob(a *cli.App, command, name string, wanted func(*job.Job) bool) (*job.Job, error) {
	runner.EndLost(store(a))
	j, err := store(a).Find(name)
	missing := (*job.Missing)(nil)
	if !errors.As(err, &missing) {
		return j, err
	}
	var meant []*job.Job
	for _, id := range missing.Some {
		if j, err := store(a).Load(id); err == nil && wanted(j) {
			meant = append(meant, j)
		}
	}
	switch len(meant) {
	case 0:
	case 1:
		return meant[0], nil
	default:
		missing.Some = nil
		for _, j := range meant {
			missing.Some = append(missing.Some, j.ID)
		}
	}
	fault := &control.Fault{Message: missing.Error(), Hint: "list them: ctxfs agent ps --all", Missing: true}
	switch {
	case len(missing.Some) > 0:
		fault.Hint = "type more of the one that you mean"
	case missing.Near != "":
		fault.Hint = "did you mean: ctxfs agent " + command + " " + missing.Near
	}
	return nil, fault
}

// allJobs returns the runs that can be read: those that go on first, then newest first.
func allJobs(a *cli.App) ([]*job.Job, error) {
	s := store(a)
	ids, err := s.List()
	if err != nil {
		return nil, err
	}
	var all []*job.Job
	for _, id := range ids {
		if j, err := s.Load(id); err == nil { // another one is just being made, or deleted
			all = append(all, j)
		}
	}
	slices.SortStableFunc(all, func(x, y *job.Job) int {
		if x.Ended() != y.Ended() {
			if y.Ended() {
				return -1
			}
			return 1
		}
		return y.Status.Created.Compare(x.Status.Created)
	})
	return all, nil
}

// completeJobs completes the ids of the runs that are wanted, with what they do.
func completeJobs(a *cli.App, most int, wanted func(*job.Job) bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) (ids []string, _ cobra.ShellCompDirective) {
		if most >= 0 && len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		all, _ := allJobs(a) // no runs to complete
		for _, j := range all {
			if wanted(j) && !slices.Contains(args, j.ID) {
				ids = append(ids, cobra.CompletionWithDesc(j.ID, how(j)+": "+promptLine(j)))
			}
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
}

func anyJob(*job.Job) bool       { return true }
func goingOn(j *job.Job) bool    { return !j.Ended() }
func inTerminal(j *job.Job) bool { return !j.Ended() && j.Status.Terminal != "" }

// how says in one word how a run stands, or has ended.
func how(j *job.Job) string {
	if j.Ended() {
		return string(j.Result.Ended)
	}
	return string(j.Status.State)
}

// promptLine returns the beginning of a run's prompt, on a line.
func promptLine(j *job.Job) string { return j.PromptLine(64) }

// outcome returns the exit code of ctxfs agent run for what came of runs: that of the first
// one which has not succeeded.
func outcome(results ...*request.Result) error {
	for _, r := range results {
		if r.Ended != request.Success {
			return cli.Exit(agentrun.ExitCode(r.Ended), nil)
		}
	}
	return nil
}

const which = "which run? give its id, or the beginning of it"
