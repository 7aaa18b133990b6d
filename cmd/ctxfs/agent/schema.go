package agent

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/providers/executor/programs"
	"ctxfs/providers/executor/request"
)

// schemaForms are the forms of agent schema, by the names that --for takes.
var schemaForms = map[string]func(agents []string) json.RawMessage{
	"":          request.Schema,
	"openai":    request.OpenAI,
	"anthropic": request.Anthropic,
}

func newSchema(a *cli.App) *cobra.Command {
	var form string
	var result bool
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "print the JSON Schema of what agent run takes and returns",
		Args:  cli.Args(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if result {
				if form != "" {
					return cli.Usage(cmd, errors.New("--result is no function that a model calls; leave out --for"))
				}
				return a.PrintJSON(request.ResultSchema())
			}
			print, ok := schemaForms[form]
			if !ok {
				return cli.Usage(cmd, fmt.Errorf("--for takes openai or anthropic, not %q", form))
			}
			settings, _ := programs.ReadSettings(a.Config) // agent run tells its faults
			return a.PrintJSON(print(programs.Available(settings)))
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&form, "for", "", "as a function that models call: `SERVICE` is openai or anthropic")
	flags.BoolVar(&result, "result", false, "the schema of the result instead")
	a.CompleteFlag(cmd, "for", cobra.FixedCompletions([]cobra.Completion{
		cobra.CompletionWithDesc("anthropic", "a tool of Messages"),
		cobra.CompletionWithDesc("openai", "a function of Chat Completions"),
	}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}
