package terminal

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/mounts/control"
	"ctxfs/providers/terminals/holder"
	"ctxfs/providers/terminals/record"
)

func newRun(a *cli.App) *cobra.Command {
	var name string
	var limit int
	var background, asJSON bool
	cmd := &cobra.Command{
		Use:         "run [--name NAME] [--max-bytes N] [--background] -- COMMAND...",
		Short:       "run one command, and record it",
		Args:        cli.Args(-1, "which command?"),
		Annotations: map[string]string{cli.NeedsNoPlaces: "yes"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.OnlyReads(); err != nil {
				return err
			}
			switch {
			case background && cmd.Flags().Changed("max-bytes"):
				return cli.Usage(cmd, errors.New("--background prints no output, so --max-bytes excludes it"))
			case asJSON && !background:
				return cli.Usage(cmd, errors.New("--json is for --background; otherwise the output is the command's"))
			case background:
				return runInBackground(a, name, args, asJSON)
			case !cmd.Flags().Changed("max-bytes"):
				limit = -1
			case limit < 0:
				return cli.Usage(cmd, fmt.Errorf(`--max-bytes must be a number of bytes, not "%d"`, limit))
			}
			return runRecorded(a, holder.Spec{Recording: a.Recording(), Name: name, Argv: args}, limit)
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault
		},
	}
	cmd.Flags().SetInterspersed(false) // what follows the command belongs to it
	cmd.Flags().StringVar(&name, "name", "", "the id of the recording, instead of a number")
	cmd.Flags().IntVar(&limit, "max-bytes", 0, "print the first and last bytes of the output, `N` at most, when the command has ended")
	cmd.Flags().BoolVar(&background, "background", false, "return at once, and print the id")
	cmd.Flags().BoolVar(&asJSON, "json", false, "with --background, print as JSON")
	a.CompleteFlag(cmd, "name", cobra.NoFileCompletions)
	a.CompleteFlag(cmd, "max-bytes", cobra.NoFileCompletions)
	return cmd
}

// runRecorded runs a command and records it, or runs it unrecorded if it cannot be
// recorded. The limit is that of --max-bytes; a negative one means no limit.
func runRecorded(a *cli.App, spec holder.Spec, limit int) error {
	if a.PlacesErr != nil {
		return runUnrecorded(a, spec, limit, &holder.Unrecorded{Err: a.PlacesErr})
	}
	streams := holder.Streams{Quiet: limit >= 0, Limit: limit}
	streams.In, _ = a.In.(*os.File)
	streams.Out, _ = a.Out.(*os.File)
	streams.Err, _ = a.Err.(*os.File)
	out, err := holder.Run(spec, streams)
	if without := (*holder.Unrecorded)(nil); errors.As(err, &without) {
		return runUnrecorded(a, spec, limit, without)
	}
	if err != nil {
		return notStarted(spec, err)
	}
	return runOutcome(a, out, limit)
}

// runUnrecorded runs a command without recording it, and says why.
func runUnrecorded(a *cli.App, spec holder.Spec, limit int, why *holder.Unrecorded) error {
	a.Notef("%v", why)
	if limit < 0 {
		return notStarted(spec, spec.Exec())
	}
	in, _ := a.In.(*os.File)
	out, err := spec.RunQuiet(in, limit)
	if err != nil {
		return notStarted(spec, err)
	}
	return runOutcome(a, out, limit)
}

// notStarted is the error for a program that could not be started.
func notStarted(spec holder.Spec, err error) error {
	name := spec.Shell
	if len(spec.Argv) > 0 {
		name = spec.Argv[0]
	}
	return cli.Exit(holder.NotStarted(err), &control.Fault{Message: holder.NotStartedText(name, err)})
}

// runOutcome prints the output of a command, if it was held back until the end, and
// returns its exit code as an error.
func runOutcome(a *cli.App, out holder.Outcome, limit int) error {
	var err error
	if limit >= 0 {
		_, err = a.Out.Write(out.Shown)
	}
	if out.Exit != 0 {
		return cli.Exit(out.Exit, nil)
	}
	return err
}

// runInBackground starts a command in a holder of its own, and says how to go on.
func runInBackground(a *cli.App, name string, argv []string, asJSON bool) error {
	if a.PlacesErr != nil {
		return a.PlacesErr
	}
	spec := holder.Spec{Recording: a.Recording(), Name: name, Argv: argv}
	out, err := holder.StartBackground(a.Program, holderLog(a), spec)
	without, fault := (*holder.Unrecorded)(nil), (*holder.Fault)(nil)
	switch {
	case errors.As(err, &without):
		return &control.Fault{
			Message: "the command was not started, since it cannot be recorded: " + without.Cause(),
			Hint:    "what is wrong: ctxfs doctor; to run it unrecorded, start it with your shell: COMMAND &",
		}
	case errors.As(err, &fault):
		return cli.Exit(fault.Exit, fault)
	case err != nil:
		return err
	}
	t, err := record.LoadState(out.Dir)
	if err != nil {
		return fmt.Errorf("the recording of the command is gone: %w", err)
	}
	if asJSON {
		return a.PrintJSON(newEntry(t))
	}
	a.Sayf("%s", t.ID)
	a.Notef("%s runs in the background; what it prints: %s", t.ID, a.Tilde(t.Path(t.LastPart())))
	a.Notef("wait for it: ctxfs wait terminal %[1]s --exit (or --for REGEX); end it: ctxfs stop %[1]s", t.ID)
	return nil
}
