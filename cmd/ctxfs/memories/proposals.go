package memories

import (
	"strconv"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/fs"
	"ctxfs/providers/memory"
)

func newProposed(a *cli.App) *cobra.Command {
	var in string
	cmd := cli.WithJSON(&cobra.Command{
		Use:   "proposed",
		Short: "list what you said in sessions and may be worth remembering",
		Args:  cli.Args(0),
	}, func(cmd *cobra.Command, _ []string, asJSON bool) error {
		var at fs.Standpoint
		if in != "" {
			var err error
			if at, err = a.Standpoint(in); err != nil {
				return err
			}
		}
		all, err := cli.Ask(cmd.Context(), a, memory.OpProposed, at)
		switch {
		case err != nil:
			return err
		case asJSON:
			return a.PrintJSON(all)
		case len(all) == 0:
			a.Notef("nothing is proposed: in no session you have stated what is not remembered or dismissed")
		}
		for _, p := range all {
			a.Sayf("%s — %s", p.Name, p.Line(a.Home))
		}
		return nil
	})
	cmd.Flags().StringVar(&in, "in", "", "those of the project of this folder, and yours")
	a.CompleteFlag(cmd, "in", cli.CompleteDirs)
	return cmd
}

func newAccept(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:               "accept NAME...",
		Short:             "remember what was proposed",
		Args:              cli.Args(-1, "accept which proposal?"),
		ValidArgsFunction: completeProposals(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			return decide(cmd, a, memory.DecideQuery{Names: args})
		},
	}
}

func newDismiss(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:               "dismiss NAME...",
		Short:             "never propose again what was proposed",
		Args:              cli.Args(-1, "dismiss which proposal?"),
		ValidArgsFunction: completeProposals(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			return decide(cmd, a, memory.DecideQuery{Names: args, Dismiss: true})
		},
	}
}

// decide asks for a decision, and prints what became of it.
func decide(cmd *cobra.Command, a *cli.App, q memory.DecideQuery) error {
	all, err := cli.Ask(cmd.Context(), a, memory.OpDecide, q)
	for _, d := range all {
		if q.Dismiss {
			a.Sayf("dismissed: %s", strconv.Quote(d.Text))
		} else {
			a.Sayf("%s", d.Path)
		}
	}
	return err
}

// completeProposals completes the names of proposals.
func completeProposals(a *cli.App) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) (names []string, _ cobra.ShellCompDirective) {
		all, _ := cli.Ask(cmd.Context(), a, memory.OpProposed, fs.Standpoint{}) // no proposals to complete
		for _, p := range all {
			names = append(names, cobra.CompletionWithDesc(p.Name, p.Text))
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
