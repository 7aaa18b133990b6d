package memories

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/memory"
	"ctxfs/providers/memory/proposed"
)

func newProposed(a *cli.App) *cobra.Command {
	var in string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "proposed",
		Short: "list what was said in sessions and may be worth remembering",
		Long: `Proposed lists sentences of sessions that may be worth remembering: rules,
preferences and corrections that you stated, decisions, and lessons of you or an
agent. They are found by their words, in eight languages and without a model, so
some are of no use. Nothing is remembered by itself.

The strongest come first: what was said in most sessions, and by you. Each is a
file in memory/proposed/ of the tree, with the places where it was said.`,
		Example: `  ctxfs memory proposed
  ctxfs memory proposed --in ~/src/shop
  ctxfs memory accept always-run-the-linter-before-a
  ctxfs memory dismiss use-the-spinner-instead-of-the`,
		Args: cli.Args(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var q memory.ProposedQuery
			if in != "" {
				at, err := a.Standpoint(in)
				if err != nil {
					return err
				}
				q.At = at
			}
			asker := a.Fallback()
			defer asker.Close()
			all, err := memory.OpProposed.Ask(cmd.Context(), asker, q)
			switch {
			case err != nil:
				return err
			case asJSON:
				return a.PrintJSON(all)
			case len(all) == 0:
				a.Notef("nothing is proposed: no session states anything that is not remembered or dismissed")
			}
			for _, p := range all {
				a.Sayf("%s — %s [%s]", p.Name, strconv.Quote(p.Text), strings.Join(proposalMarks(a, p), ", "))
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&in, "in", "", "those of the project of this folder, and yours")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	_ = cmd.RegisterFlagCompletionFunc("in", cli.CompleteDirs) // fails for a flag that is not there
	return cmd
}

// proposalMarks are what is said of a proposal in brackets.
func proposalMarks(a *cli.App, p memory.Proposal) []string {
	all := []string{p.Kind}
	if p.ByAgent {
		all = append(all, "by an agent")
	}
	if p.Sessions > 1 {
		all = append(all, wording.Count(p.Sessions, "sessions"))
	}
	if p.Scope != "user" {
		all = append(all, a.Tilde(p.Scope))
	}
	if !p.Time.IsZero() {
		all = append(all, p.Time.UTC().Format("2006-01-02"))
	}
	if !p.Trusted {
		all = append(all, "not trusted")
	}
	return all
}

func newAccept(a *cli.App) *cobra.Command {
	var user, asJSON bool
	cmd := &cobra.Command{
		Use:   "accept NAME...",
		Short: "remember what was proposed",
		Long: `Accept remembers proposals: each becomes a memory of your own, with the session
in which it was said, for the project in which it was said; preferences, and
what was said in several projects, for you everywhere. NAME is as ctxfs memory
proposed lists it. To undo it: ctxfs forget.`,
		Example: `  ctxfs memory accept always-run-the-linter-before-a
  ctxfs memory accept --user we-use-pnpm-not-npm`,
		Args:              cli.Args(-1, "accept which proposal?"),
		ValidArgsFunction: completeProposals(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			return decide(cmd, a, memory.OpAccept, memory.DecideQuery{Names: args, User: user}, asJSON)
		},
	}
	cmd.Flags().BoolVar(&user, "user", false, "for yourself, wherever it was said")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func newDismiss(a *cli.App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "dismiss NAME...",
		Short: "never propose again what was proposed",
		Long: `Dismiss drops proposals: the same sentence is not proposed again for that
project. NAME is as ctxfs memory proposed lists it. Who thinks better of it
accepts it by that name.`,
		Example:           `  ctxfs memory dismiss use-the-spinner-instead-of-the`,
		Args:              cli.Args(-1, "dismiss which proposal?"),
		ValidArgsFunction: completeProposals(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			return decide(cmd, a, memory.OpDismiss, memory.DecideQuery{Names: args}, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// decide asks for a decision, and prints what became of it.
func decide(cmd *cobra.Command, a *cli.App, op fs.Op[memory.DecideQuery, []memory.DecidedProposal], q memory.DecideQuery, asJSON bool) error {
	asker := a.Fallback()
	defer asker.Close()
	all, err := op.Ask(cmd.Context(), asker, q)
	switch {
	case err != nil:
		return err
	case asJSON:
		return a.PrintJSON(all)
	}
	for _, d := range all {
		switch {
		case d.Verdict == proposed.Accepted:
			a.Sayf("%s", d.Path)
			if d.Before {
				a.Notef("%s was remembered already: nothing has changed", d.Name)
			}
		case d.Before:
			a.Notef("%s was dismissed already: nothing has changed", d.Name)
		default:
			a.Sayf("dismissed: %s", strconv.Quote(d.Text))
		}
	}
	return nil
}

// completeProposals completes the names of proposals.
func completeProposals(a *cli.App) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		asker := a.Fallback()
		defer asker.Close()
		all, err := memory.OpProposed.Ask(cmd.Context(), asker, memory.ProposedQuery{})
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var names []string
		for _, p := range all {
			names = append(names, cobra.CompletionWithDesc(p.Name, p.Text))
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
