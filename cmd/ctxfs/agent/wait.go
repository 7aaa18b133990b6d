package agent

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"os"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/agentrun"
	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/console"
	"ctxfs/mounts/control"
	"ctxfs/providers/executor/job"
	"ctxfs/providers/executor/request"
	"ctxfs/providers/executor/runner"
)

func newWait(a *cli.App) *cobra.Command {
	var timeout time.Duration
	var any bool
	cmd := &cobra.Command{
		Use:               "wait ID...",
		Short:             "wait until agents have ended, and print their results",
		Long:              cli.Indent(agentrun.ExitCodes),
		Args:              cli.Args(-1, which),
		ValidArgsFunction: completeJobs(a, -1, anyJob),
		RunE: func(cmd *cobra.Command, args []string) error {
			if timeout < 0 {
				return cli.Usage(cmd, fmt.Errorf("--timeout takes a time such as 90s or 10m, not %v", timeout))
			}
			var ids []string
			for _, name := range args {
				j, err := findJob(a, "wait", name, goingOn)
				if fault := (*control.Fault)(nil); errors.As(err, &fault) {
					return cli.Exit(console.ExitUnknown, fault)
				}
				if err != nil {
					return err
				}
				ids = append(ids, j.ID)
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
			defer stop()
			return wait(ctx, a, ids, any, timeout)
		},
	}
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "give up after this time, such as 90s or 10m")
	cmd.Flags().BoolVar(&any, "any", false, "one is enough")
	a.CompleteFlag(cmd, "timeout", cobra.NoFileCompletions)
	return cmd
}

var errLate = errors.New("not in time")

// wait waits for all runs, or for any of them, and prints their results.
func wait(ctx context.Context, a *cli.App, ids []string, any bool, timeout time.Duration) error {
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, timeout, errLate)
		defer cancel()
	}
	done, err := ended(ctx, store(a), ids, any)
	switch {
	case errors.Is(err, errLate):
		return cli.Exit(console.ExitTimeout, &control.Fault{
			Message: fmt.Sprintf("not within %v: %s", timeout, strings.Join(stillOpen(ids, done), ", ")),
			Hint:    "see what they do: ctxfs agent ps; end them: ctxfs agent stop " + strings.Join(stillOpen(ids, done), " "),
		})
	case errors.Is(err, context.Canceled):
		return cli.Exit(console.ExitInterrupted, nil)
	case err != nil:
		return err
	}
	runner.EndLost(store(a))
	var results []*request.Result
	for _, id := range ids {
		if j := done[id]; j != nil {
			results = append(results, j.Result)
		}
	}
	if len(ids) == 1 {
		err = a.PrintJSON(results[0])
	} else {
		err = a.PrintJSON(results)
	}
	if err != nil {
		return err
	}
	return outcome(results...)
}

// ended waits until all runs have ended, or any of them, and returns those that have.
func ended(ctx context.Context, s job.Store, ids []string, any bool) (done map[string]*job.Job, err error) {
	type news struct {
		job *job.Job
		err error
	}
	told := make(chan news, len(ids))
	done = make(map[string]*job.Job)
	waiting := 0
	for _, id := range ids {
		if j, err := s.Load(id); err == nil && j.Ended() {
			done[id] = j
			continue
		}
		waiting++
		go func() {
			j, err := s.Wait(ctx, id)
			told <- news{j, err}
		}()
	}
	for ; waiting > 0 && !(any && len(done) > 0); waiting-- {
		n := <-told
		if n.err != nil {
			return done, n.err
		}
		done[n.job.ID] = n.job
	}
	return done, nil
}

// stillOpen returns the ids of the runs that are not done.
func stillOpen(ids []string, done map[string]*job.Job) (open []string) {
	for _, id := range ids {
		if done[id] == nil {
			open = append(open, id)
		}
	}
	return open
}
