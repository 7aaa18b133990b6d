package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/console"
	"ctxfs/fs/wording"
	"ctxfs/mounts/control"
)

// Sayf prints a line of the result, for people.
func (a *App) Sayf(format string, args ...any) { fmt.Fprintf(a.Out, format+"\n", args...) }

// Notef prints a line that is not part of the result to standard error.
func (a *App) Notef(format string, args ...any) { fmt.Fprintf(a.Err, "ctxfs: "+format+"\n", args...) }

// PrintJSON prints the result for scripts.
func (a *App) PrintJSON(value any) error { return console.PrintJSON(a.Out, value) }

// Tilde shortens a path in the home folder, for people.
func (a *App) Tilde(path string) string { return wording.Tilde(path, a.Home) }

// Indent indents every line of a text by two blanks.
func Indent(s string) string { return "  " + strings.ReplaceAll(s, "\n", "\n  ") }

// Exit returns an error that ends the program with a code, as [console.Exit] does.
func Exit(code int, err error) error { return console.Exit(code, err) }

// Usage returns an error of the command line of cmd, which ends the program with
// [console.ExitUsage] and names the command's help.
func Usage(cmd *cobra.Command, err error) error {
	return Exit(console.ExitUsage, &control.Fault{Message: err.Error(), Hint: seeHelp(cmd)})
}

func seeHelp(cmd *cobra.Command) string {
	return "see how it is used: " + cmd.CommandPath() + " --help"
}

// WithJSON returns a command with the flag --json, which run is told.
func WithJSON(cmd *cobra.Command, run func(cmd *cobra.Command, args []string, asJSON bool) error) *cobra.Command {
	asJSON := cmd.Flags().Bool("json", false, "print as JSON")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return run(cmd, args, *asJSON) }
	return cmd
}

// Report prints what a check has found, as JSON or for people, and returns an error that ends
// the program with [console.ExitProblems] if anything is wrong.
func (a *App) Report(asJSON bool, value any, print func(), wrong bool) (err error) {
	if asJSON {
		err = a.PrintJSON(value)
	} else {
		print()
	}
	if err == nil && wrong {
		err = Exit(console.ExitProblems, nil)
	}
	return err
}
