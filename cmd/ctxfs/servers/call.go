package servers

import (
	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/call"
	"ctxfs/cmd/ctxfs/cli"
)

const callExitCodesHelp = `0    it worked
1    it failed; the message says why
2    the arguments do not fit the tool, or the command line was wrong
5    the tool says that it failed; what it says is on standard error
6    the server requires a login: ctxfs auth SERVER
7    the server cannot be reached, or did not answer in time
8    the configuration forbids the call, or it requires --yes
9    the server asks something, and nobody is here to ask: standard error
     has the commands that answer, and that print the result
130  it was interrupted`

func newCall(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "call SERVER TOOL [ARGUMENTS]",
		Short: "call a tool of an MCP server",
		Long: `Call calls a tool of an MCP server and prints its result: text as text, a
structured result as JSON. Images and other bytes are written to files, and the
paths are printed. A long result is written to a file too, and its first and
last lines are printed. The server is started if it does not run. SERVER TOOL
may be written SERVER/TOOL, as in INDEX.md.

Each argument of the tool is a flag: --title Hello, --draft or --no-draft,
--labels '["a","b"]' or --label a --label b, --filter.state open. Or all are one
JSON object: as a word, as @FILE, or on standard input (-). The value of a flag
may be @FILE, for the text of that file, or -, for that of standard input.
Arguments are checked before anything is sent.

A server that works in a project runs once for each: the call goes to that of
the folder it is made in, or of --project DIR.

A server may ask something before it goes on. On a terminal you are asked; in
scripts the command ends with exit code 9, and the call goes on as a task (with
--json, standard output has the question and the task). ctxfs answer ID answers;
ctxfs call --continue ID waits for the result and prints it as the call would.
--detach makes the call a task at once and prints its ID: see ctxfs tasks.

The flags of ctxfs below go before the tool, or after it if the tool has no
argument of that name. After the tool its own argument takes precedence; after
-- everything is an argument of the tool. --help after the tool shows the tool's
arguments.

Exit codes:
` + cli.Indent(callExitCodesHelp),
		Example: `  ctxfs tools github                              what there is
  ctxfs call github create_issue --help           its arguments
  ctxfs call github create_issue --title "It fails" --body @report.md
  ctxfs call github list_issues '{"state":"open"}' | jq length`,
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
