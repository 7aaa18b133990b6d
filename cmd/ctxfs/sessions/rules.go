package sessions

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/console"
	"ctxfs/fs/wording"
	"ctxfs/providers/rules"
)

func newRules(a *cli.App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "rules [PATH]",
		Short: "print the rules that hold for a file or folder",
		Args:  cli.Args(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := a.Abs(strings.Join(args, ""))
			if err != nil {
				return err
			}
			page, err := cli.Ask(cmd.Context(), a, rules.OpFor, rules.PathQuery{Path: path})
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
	cmd.AddCommand(newRulesCheck(a))
	return cmd
}

func newRulesCheck(a *cli.App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:               "check [DIR]",
		Short:             "say what is wrong with the rules of a project",
		Args:              cli.Args(1),
		ValidArgsFunction: cli.CompleteDirs,
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := a.Abs(strings.Join(args, ""))
			if err != nil {
				return err
			}
			found, err := cli.Ask(cmd.Context(), a, rules.OpCheck, rules.PathQuery{Path: dir})
			if err != nil {
				return err
			}
			if asJSON {
				err = a.PrintJSON(found)
			} else {
				printFindings(a, found)
			}
			if err == nil && len(found.Findings) > 0 {
				return cli.Exit(console.ExitProblems, nil)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// printFindings prints a finding as file:line: what, and below it what to do.
func printFindings(a *cli.App, found rules.Checked) {
	for _, f := range found.Findings {
		place := a.Tilde(f.File)
		if f.Line > 0 {
			place += ":" + strconv.Itoa(f.Line)
		}
		a.Sayf("%s: %s: %s", place, f.Kind, f.What)
		a.Sayf("  fix: %s", f.Fix)
	}
	for _, note := range found.Notes {
		a.Notef("%s", note)
	}
	what := wording.Count(len(found.Findings), "findings") + " in " + wording.Count(found.Files, "files") + " of rules"
	if found.Files == 0 {
		what = "no rules"
	}
	a.Sayf("%s: %s", a.Tilde(found.Project), what)
}
