package agent

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/agentrun"
	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/console"
	"ctxfs/mounts/control"
	"ctxfs/providers/executor/job"
	"ctxfs/providers/executor/request"
)

func newResult(a *cli.App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:               "result ID",
		Short:             "print what came of an agent",
		Long:              cli.Indent(agentrun.ExitCodes),
		Args:              cli.Args(1, which),
		ValidArgsFunction: completeJobs(a, 1, (*job.Job).Ended),
		RunE: func(_ *cobra.Command, args []string) error {
			j, err := findJob(a, "result", args[0], (*job.Job).Ended)
			if err != nil {
				return err
			}
			if !j.Ended() {
				return &control.Fault{Message: fmt.Sprintf("%s has no result yet: %s", j.ID, stands(j)), Hint: "wait for it: ctxfs agent wait " + j.ID}
			}
			if asJSON {
				err = a.PrintJSON(j.Result)
			} else {
				err = printAnswer(a, j.Result)
			}
			if err != nil {
				return err
			}
			return outcome(j.Result)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print all of it as JSON")
	return cmd
}

// stands says how a run stands that has not ended.
func stands(j *job.Job) string {
	if j.Status.State == job.Waiting {
		return "it waits for its turn, or for git"
	}
	return "it runs"
}

// printAnswer prints an agent's answer as it is, but for what a terminal would take for its
// own, and how it has ended where that was no success.
func printAnswer(a *cli.App, r *request.Result) error {
	if r.Ended != request.Success {
		a.Notef("%s: %s: %s", r.ID, r.Ended, r.Error)
		if r.Fix != "" {
			fmt.Fprintf(a.Err, "  %s\n", r.Fix)
		}
	}
	text := r.Text
	if r.TextFile != "" {
		whole, err := os.ReadFile(r.TextFile)
		if err != nil {
			return err
		}
		text = string(whole)
	}
	if console.IsTerminal(a.Out) {
		text = job.Shown(text)
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
	}
	_, err := io.WriteString(a.Out, text)
	return err
}
