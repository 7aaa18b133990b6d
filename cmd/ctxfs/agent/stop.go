package agent

import (
	"errors"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/providers/executor/request"
	"ctxfs/providers/executor/runner"
)

func newStop(a *cli.App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:               "stop ID...",
		Short:             "end an agent with all that it has started",
		Args:              cli.Args(-1, which),
		ValidArgsFunction: completeJobs(a, -1, goingOn),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.OnlyReads(); err != nil {
				return err
			}
			results := make([]*request.Result, 0, len(args))
			var failed []error
			for _, name := range args {
				r, already, err := stop(cmd, a, name)
				if err != nil {
					failed = append(failed, err)
					continue
				}
				results = append(results, r)
				switch {
				case asJSON:
				case already:
					a.Sayf("%s: had ended already: %s", r.ID, r.Ended)
				default:
					a.Sayf("%s: ended: %s", r.ID, r.Ended)
				}
			}
			if asJSON {
				failed = append(failed, a.PrintJSON(results))
			}
			return errors.Join(failed...)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the results as JSON")
	return cmd
}

// stop ends the run that a user names, and reports whether it had ended already.
func stop(cmd *cobra.Command, a *cli.App, name string) (r *request.Result, already bool, err error) {
	j, err := findJob(a, "stop", name, goingOn)
	if err != nil {
		return nil, false, err
	}
	already = j.Ended()
	if j, err = runner.Stop(cmd.Context(), store(a), j.ID); err != nil {
		return nil, false, err
	}
	return j.Result, already, nil
}
