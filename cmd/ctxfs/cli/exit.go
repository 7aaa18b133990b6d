package cli

import (
	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/console"
	"ctxfs/mounts/control"
)

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
