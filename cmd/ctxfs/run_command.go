package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"ctxfs/mounts/control"
	"ctxfs/providers/terminals/holder"
)

func (a *app) runCommand() *cobra.Command {
	var name string
	limit := -1
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
it has shown, as clean text of at most that many bytes: if there is more, its
beginning, its end, and the path of the whole.

A command that cannot be found gives exit code 127, one that cannot be started
126.`,
		Example: `  ctxfs run -- make test
  ctxfs run --name build --max-bytes 4000 -- cargo build
  ctxfs run -- npm test 2>errors | tee log`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 0 && cmd.Flags().Changed("max-bytes") {
				return usage(cmd, errors.New("--max-bytes is a number of bytes"))
			}
			return a.runRecorded(holder.Spec{Recording: a.recording(), Name: name, Argv: args}, limit)
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault
		},
	}
	cmd.Flags().SetInterspersed(false) // what follows the command is its own
	cmd.Flags().StringVar(&name, "name", "", "the id that the recording is to have, instead of a number")
	cmd.Flags().IntVar(&limit, "max-bytes", limit, "print no more than so many bytes of the output, at its end")
	_ = cmd.RegisterFlagCompletionFunc("name", cobra.NoFileCompletions)
	_ = cmd.RegisterFlagCompletionFunc("max-bytes", cobra.NoFileCompletions)
	return cmd
}

// runRecorded runs a command; a limit of less than zero is none.
func (a *app) runRecorded(spec holder.Spec, limit int) error {
	streams := holder.Streams{Quiet: limit >= 0}
	streams.In, _ = a.in.(*os.File)
	streams.Out, _ = a.out.(*os.File)
	streams.Err, _ = a.err.(*os.File)
	out, err := holder.Run(spec, streams)
	if err != nil {
		fault := &control.Fault{Message: fmt.Sprintf("%s cannot be started: %s", spec.Argv[0], cause(err))}
		if errors.Is(err, exec.ErrNotFound) {
			fault.Message = fmt.Sprintf("%s: there is no such command", spec.Argv[0])
		}
		return &coded{holder.NotStarted(err), fault}
	}
	if limit >= 0 {
		text, err := holder.Excerpt(out.Dir, limit)
		if err != nil {
			return err
		}
		if _, err := a.out.Write(text); err != nil {
			return err
		}
	}
	if out.Exit != 0 {
		return &coded{code: out.Exit}
	}
	return nil
}
