package tree

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/console"
	"ctxfs/cmd/ctxfs/usertree"
	"ctxfs/mounts/control"
	"ctxfs/providers/prompt"
)

func newPrompt(a *cli.App) *cobra.Command {
	var budget int
	cmd := &cobra.Command{
		Use:               "prompt",
		Short:             "print the page for an agent's prompt",
		Args:              cli.Args(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("budget") {
				budget = 0
			} else if budget < 1 {
				return cli.Usage(cmd, errors.New("--budget takes a number of tokens, such as 2000"))
			}
			text, err := promptText(cmd.Context(), a, budget)
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(a.Out, text)
			return err
		},
	}
	cmd.Flags().IntVar(&budget, "budget", prompt.Budget, "the largest number of tokens; print as much as fits")
	a.CompleteFlag(cmd, "budget", cobra.NoFileCompletions)
	return cmd
}

// promptText returns the page of AGENTS.md, or if the budget is not 0, the page
// that fills it.
func promptText(ctx context.Context, a *cli.App, budget int) (string, error) {
	facts, err := cli.Ask(ctx, a, usertree.OpFacts, usertree.FactsQuery{Inside: budget > 0})
	if err != nil {
		return "", err
	}
	if budget == 0 {
		return prompt.Page(facts), nil
	}
	text, err := prompt.Filled(facts, budget)
	if small := (*prompt.BudgetError)(nil); errors.As(err, &small) {
		return "", cli.Exit(console.ExitUsage, &control.Fault{
			Message: small.Error(), Hint: fmt.Sprintf("allow more: ctxfs prompt --budget %d", max(small.Least, prompt.Budget)),
		})
	}
	return text, err
}
