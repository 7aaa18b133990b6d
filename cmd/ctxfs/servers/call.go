package servers

import (
	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/call"
	"ctxfs/cmd/ctxfs/cli"
)

func newCall(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:                "call SERVER TOOL [ARGUMENTS]",
		Short:              "call a tool of an MCP server",
		DisableFlagParsing: true,
		ValidArgsFunction:  completeCall(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			if call.OwnHelp(args) {
				cmd.HelpFunc()(cmd, append(args, "-h"))
				return nil
			}
			return cli.Exit(call.Program{Streams: a.Streams, Places: a.Places, LookupEnv: a.LookupEnv, Here: a.Here, Abs: a.Abs}.Run(cmd.Context(), args), nil)
		},
	}
	for _, o := range call.Options() { // for the help alone: only the tool's schema determines which flags are the command's
		if o.Name != "help" {
			flag := cmd.Flags().VarPF(optionValue(o.Value), o.Name, "", o.About)
			if o.Value == "" {
				flag.NoOptDefVal = "true"
			}
		}
	}
	return cmd
}

// optionValue is the value of a flag that exists for the help alone: the call
// parses its own command line. Its text is the name of the value, "" for none.
type optionValue string

func (v optionValue) String() string   { return "" }
func (v optionValue) Set(string) error { return nil }
func (v optionValue) Type() string {
	if v == "" {
		return "bool"
	}
	return string(v)
}
