package sessions

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/fs/wording"
	"ctxfs/providers/rules"
)

func newRules(a *cli.App) *cobra.Command {
	cmd := cli.WithJSON(&cobra.Command{
		Use:   "rules [PATH]",
		Short: "print the rules that hold for a file or folder",
		Args:  cli.Args(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault
		},
	}, func(cmd *cobra.Command, args []string, asJSON bool) error {
		path, err := a.Abs(strings.Join(args, ""))
		if err != nil {
			return err
		}
		page, err := cli.Ask(cmd.Context(), a, rules.OpFor, rules.PathQuery{Path: path})
		if err != nil {
			return err
		}
		return a.Report(asJSON, page, func() { a.Sayf("%s", strings.TrimSuffix(page.Text, "\n")) }, false)
	})
	cmd.AddCommand(newRulesCheck(a))
	return cmd
}

func newRulesCheck(a *cli.App) *cobra.Command {
	return cli.WithJSON(&cobra.Command{
		Use:               "check [DIR]",
		Short:             "say what is wrong with the rules of a project",
		Args:              cli.Args(1),
		ValidArgsFunction: cli.CompleteDirs,
	}, func(cmd *cobra.Command, args []string, asJSON bool) error {
		dir, err := a.Abs(strings.Join(args, ""))
		if err != nil {
			return err
		}
		found, err := cli.Ask(cmd.Context(), a, rules.OpCheck, rules.PathQuery{Path: dir})
		if err != nil {
			return err
		}
		return a.Report(asJSON, found, func() { printFindings(a, found) }, len(found.Findings) > 0)
	})
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
