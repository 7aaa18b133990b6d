package sessions

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/providers/rules"
)

func newRules(a *cli.App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "rules [PATH]",
		Short: "print the rules that hold for a file or folder",
		Long: `Rules prints which rules hold for PATH, of all agents: AGENTS.md, CLAUDE.md with
its imports, .cursor/rules, Copilot's instructions and others. They stand in the
order in which they are read, with what each is about, and then their texts.
When a rule holds is as its agent documents it. Equal rules are printed once.
PATH is the current folder by default, and need not exist.

Rules of a project that you have not trusted are marked: anybody may have
written them. See ctxfs trust.

The same text is in the tree: rules/for/ABSOLUTE/PATH.`,
		Example: `  ctxfs rules api/cart.go
  ctxfs rules --json api/cart.go | jq ".rules[].source"`,
		Args: cli.Args(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := filepath.Abs(strings.Join(args, ""))
			if err != nil {
				return err
			}
			asker := a.Fallback()
			defer asker.Close()
			page, err := rules.OpFor.Ask(cmd.Context(), asker, rules.PathQuery{Path: path})
			switch {
			case err != nil:
				return err
			case asJSON:
				return a.PrintJSON(page)
			}
			a.Sayf("%s", strings.TrimSuffix(page.Text, "\n"))
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}
