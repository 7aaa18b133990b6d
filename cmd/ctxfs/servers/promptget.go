package servers

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/providers/mcp"
	"ctxfs/providers/mcp/calls"
)

func newPromptGet(a *cli.App) *cobra.Command {
	var asJSON bool
	var given []string
	cmd := &cobra.Command{
		Use:               "prompt-get SERVER PROMPT",
		Short:             "get a prompt of an MCP server",
		Args:              cli.Args(2, "which server, and which prompt?", "which prompt of that server?"),
		ValidArgsFunction: completeServersAnd(a, "prompts"),
		RunE: func(cmd *cobra.Command, args []string) error {
			values := make(map[string]string)
			for _, g := range given {
				name, value, ok := strings.Cut(g, "=")
				if !ok || name == "" {
					return cli.Usage(cmd, fmt.Errorf("--arg is NAME=VALUE, not %q", g))
				}
				values[name] = value
			}
			r, err := mcp.OpPrompt.Ask(cmd.Context(), a.Starting(), mcp.ReadingQuery{Server: args[0], What: args[1], Args: values})
			switch {
			case err != nil:
				return err
			case asJSON:
				return a.PrintJSON(r.Raw)
			}
			printMessages(a, r)
			return nil
		},
	}
	cmd.Flags().StringArrayVar(&given, "arg", nil, "an argument of the prompt, NAME=VALUE; may be repeated")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the server's whole answer")
	return cmd
}

// printMessages prints the messages of a prompt, each below its role.
func printMessages(a *cli.App, r *calls.Reading) {
	for i, c := range r.Contents {
		if i > 0 {
			a.Sayf("")
		}
		text := strings.TrimSuffix(c.Text, "\n")
		if c.Blob != nil {
			text = fmt.Sprintf("(%s of %d bytes; --json has it)", kindOf(c), len(c.Blob))
		}
		a.Sayf("%s:\n\n%s", c.Role, text)
	}
}
