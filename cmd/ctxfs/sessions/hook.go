package sessions

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/hooks"
	"ctxfs/providers/hooks/form"
)

// newHook returns the command that agents run as their hook. When they do, it is answered
// before this is reached, by package early; this has the help, and what hooks have told.
func newHook(a *cli.App) *cobra.Command {
	var log, asJSON bool
	cmd := &cobra.Command{
		Use:               "hook AGENT EVENT",
		Short:             "tell an agent in its hooks what matters now",
		Long:              wrapped(form.Agents()),
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeHook,
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return nil // it works without a home folder
			}
			return cmd.Root().PersistentPreRunE(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) > 0:
				return cli.Exit(answerHook(cmd.Context(), a, args), nil)
			case log:
				return printCosts(cmd.Context(), a, asJSON)
			}
			return cmd.Help() // a usage error would stop the agent
		},
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return cli.Exit(1, err) })
	cmd.Flags().BoolVar(&log, "log", false, "print what hooks have told agents, and what that cost in tokens")
	cmd.Flags().BoolVar(&asJSON, "json", false, "with --log: print as JSON")
	return cmd
}

// wrapped lists words with commas, on lines that are not too long.
func wrapped(words []string) string {
	half := (len(words) + 1) / 2
	return strings.Join(words[:half], ", ") + ",\n" + strings.Join(words[half:], ", ")
}

func completeHook(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	switch len(args) {
	case 0:
		return form.Agents(), cobra.ShellCompDirectiveNoFileComp
	case 1:
		return []string{"start", "compacting", "compacted", "prompt", "before", "after"}, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// printCosts prints what hooks have told agents.
func printCosts(ctx context.Context, a *cli.App, asJSON bool) error {
	costs, err := cli.Ask(ctx, a, hooks.OpCosts, fs.None{})
	if err != nil {
		return err
	}
	if asJSON {
		return a.PrintJSON(costs)
	}
	if len(costs.Kinds) == 0 {
		a.Sayf("Hooks have told agents nothing yet.")
		return nil
	}
	w := a.Table()
	fmt.Fprintln(w, "NEWS\tTIMES\tTOKENS")
	var all hooks.Cost
	kinds := slices.SortedFunc(maps.Keys(costs.Kinds), func(x, y string) int {
		return cmp.Or(cmp.Compare(costs.Kinds[y].Tokens, costs.Kinds[x].Tokens), cmp.Compare(x, y))
	})
	for _, kind := range kinds {
		c := costs.Kinds[kind]
		all.Times, all.Tokens = all.Times+c.Times, all.Tokens+c.Tokens
		fmt.Fprintf(w, "%s\t%d\t%d\n", kind, c.Times, c.Tokens)
	}
	fmt.Fprintf(w, "all\t%d\t%d\n", all.Times, all.Tokens)
	fmt.Fprintln(w, "\nWHEN\tAGENT\tSESSION\tAT\tTOKENS\tNEWS")
	for _, t := range costs.Recent {
		var kinds []string
		for _, k := range t.Kinds {
			kinds = append(kinds, string(k))
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\n", wording.Time(t.At), t.Agent, t.Session, t.Moment, t.Tokens, strings.Join(kinds, ", "))
	}
	return w.Flush()
}
