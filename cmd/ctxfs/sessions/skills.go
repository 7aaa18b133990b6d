package sessions

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/skills"
)

func newSkills(a *cli.App) *cobra.Command {
	cmd := cli.WithJSON(&cobra.Command{
		Use:   "skills",
		Short: "list the skills, commands and subagents of all agents",
		Args:  cli.Args(0),
	}, func(cmd *cobra.Command, _ []string, asJSON bool) error {
		all, err := cli.Ask(cmd.Context(), a, skills.OpList, fs.None{})
		switch {
		case err != nil:
			return err
		case asJSON:
			return a.PrintJSON(all)
		}
		return printSkills(a, all)
	})
	cmd.AddCommand(newSkillsCheck(a))
	return cmd
}

// aboutLen is the most of a description in a list, in characters.
const aboutLen = 80

// short returns at most n characters of a line.
func short(line string, n int) string {
	runes := []rune(line)
	if len(runes) <= n {
		return line
	}
	return string(runes[:n-1]) + "…"
}

// printSkills prints a line for each.
func printSkills(a *cli.App, all []skills.Listed) error {
	w := a.Table()
	for _, s := range all {
		tokens := "-"
		if s.Tokens != nil {
			tokens = fmt.Sprintf("%d+%d+%d", s.Tokens.Card, s.Tokens.Body, s.Tokens.Rest)
		}
		var marks []string
		if !s.Trusted {
			marks = append(marks, "not trusted")
		}
		if s.Problems > 0 {
			marks = append(marks, wording.Count(s.Problems, "problems"))
		}
		if s.Suspicious > 0 {
			marks = append(marks, "suspicious")
		}
		if len(s.Missing) > 0 {
			marks = append(marks, "needs "+short(strings.Join(s.Missing, ", "), aboutLen/2))
		}
		about := short(s.About, aboutLen)
		if len(marks) > 0 {
			about = "[" + strings.Join(marks, "; ") + "] " + about
		}
		if _, err := fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", s.Name, s.Kind, tokens, about); err != nil {
			return err
		}
	}
	return w.Flush()
}

func newSkillsCheck(a *cli.App) *cobra.Command {
	var security bool
	cmd := cli.WithJSON(&cobra.Command{
		Use:               "check [DIR]",
		Short:             "say what is wrong with skills, by the rules of the specification",
		Args:              cli.Args(1),
		ValidArgsFunction: cli.CompleteDirs,
	}, func(cmd *cobra.Command, args []string, asJSON bool) error {
		q := skills.CheckQuery{Security: security}
		if len(args) > 0 {
			dir, err := a.Abs(args[0])
			if err != nil {
				return err
			}
			q.Dir = dir
		}
		found, err := cli.Ask(cmd.Context(), a, skills.OpCheck, q)
		if err != nil {
			return err
		}
		return a.Report(asJSON, found, func() { printChecked(a, found, security) }, len(found.Findings)+len(found.Suspects) > 0)
	})
	cmd.Flags().BoolVar(&security, "security", false, "say what is suspicious instead")
	return cmd
}

// printChecked prints what was found, and a line that counts it.
func printChecked(a *cli.App, found skills.Checked, security bool) {
	for _, f := range found.Findings {
		a.Sayf("%s", f.Sentence())
		a.Sayf("  fix: %s", f.Fix)
	}
	for _, s := range found.Suspects {
		place := s.Path
		if s.Line > 0 {
			place += fmt.Sprintf(":%d", s.Line)
		}
		a.Sayf("%s: %s: %s", place, s.Kind, s.What)
		if s.Text != "" {
			a.Sayf("  %s", s.Text)
		}
	}
	where := ""
	if found.Dir != "" {
		where = a.Tilde(found.Dir) + ": "
	}
	what := wording.Count(len(found.Findings), "findings")
	if security {
		what = wording.Count(len(found.Suspects), "suspicious passages")
	}
	a.Sayf("%s%s in %s", where, what, wording.Count(found.Skills, "skills"))
}
