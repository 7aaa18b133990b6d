package terminal

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/mounts/control"
	"ctxfs/providers/terminals/holder"
)

func newRun(a *cli.App) *cobra.Command {
	var name string
	var limit int
	cmd := &cobra.Command{
		Use:   "run [--name NAME] [--max-bytes N] -- COMMAND...",
		Short: "run one command, and record it",
		Long: `Run runs a command and passes on its input, output, signals and exit code, as if
it were not there; a command that a signal has killed gives 128 and its number.
What it shows is recorded as it comes: terminals/ID.txt in the mount, where it
stays when it has ended.

Where the output goes to a terminal the command has one too, of its own: Ctrl-C
ends it, but Ctrl-Z does not stop it. Elsewhere, as in a pipe, in CI, in the
background and with --max-bytes, output and errors go each where they would have
gone; the recording has both. What the command leaves running in the background
is heard no more when it has ended.

With --max-bytes nothing is printed before the command has ended, and then what
it has shown, as clean text: of more than that many bytes its beginning and its
end, how much is left out between them, and as the last line the path of the
whole.

Where nothing can be recorded, the command runs all the same; a line on standard
error says why it is not. A command that cannot be found gives exit code 127,
one that cannot be started 126.`,
		Example: `  ctxfs run -- make test
  ctxfs run --name build --max-bytes 4000 -- cargo build
  ctxfs run -- npm test 2>errors | tee log`,
		Args:        cli.Args(-1, "which command?"),
		Annotations: map[string]string{cli.NeedsNoPlaces: "yes"},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case !cmd.Flags().Changed("max-bytes"):
				limit = -1
			case limit < 0:
				return cli.Usage(cmd, fmt.Errorf(`--max-bytes must be a number of bytes, not "%d"`, limit))
			}
			return runRecorded(a, holder.Spec{Recording: recording(a), Name: name, Argv: args}, limit)
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault
		},
	}
	cmd.Flags().SetInterspersed(false) // what follows the command is its own
	cmd.Flags().StringVar(&name, "name", "", "the id that the recording is to have, instead of a number")
	cmd.Flags().IntVar(&limit, "max-bytes", 0, "print the first and last bytes of the output, `N` at most, when the command has ended")
	_ = cmd.RegisterFlagCompletionFunc("name", cobra.NoFileCompletions)
	_ = cmd.RegisterFlagCompletionFunc("max-bytes", cobra.NoFileCompletions)
	return cmd
}

// runRecorded runs a command; a limit of less than zero is none. Where it cannot
// be recorded it runs unrecorded.
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

// runUnrecorded runs a command of which nothing is recorded.
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

// runOutcome prints what a command has shown, where that was kept for its end, and
// passes on its exit code.
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
