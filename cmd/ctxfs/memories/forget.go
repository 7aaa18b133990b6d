package memories

import (
	"bufio"
	"strings"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/console"
	"ctxfs/fs/wording"
	"ctxfs/providers/memory"
)

func newForget(a *cli.App) *cobra.Command {
	var yes, asJSON bool
	cmd := &cobra.Command{
		Use:               "forget NAME...",
		Short:             "forget what was remembered",
		Args:              cli.Args(-1, "forget what?"),
		ValidArgsFunction: completeNames(a, func(m memory.Item) bool { return m.Own }),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !yes && !asJSON && a.AtTerminal() && !confirmed(cmd, a, args) {
				a.Notef("nothing was forgotten")
				return cli.Exit(console.ExitFailed, nil)
			}
			all, err := cli.Ask(cmd.Context(), a, memory.OpForget, memory.ForgetQuery{Names: args})
			if err != nil {
				return err
			}
			if asJSON {
				return a.PrintJSON(all)
			}
			for _, f := range all {
				a.Sayf("forgotten: %s", f.Path)
				if f.Trash != "" {
					a.Sayf("  undo: mv %s %s", wording.ShellWord(f.Trash), wording.ShellWord(f.File))
				}
				for _, left := range f.Left {
					a.Notef("it is still in %s, which ctxfs only reads", a.Tilde(left))
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON; do not ask")
	return cmd
}

// confirmed shows what is about to be forgotten, and asks. What is not there is left to
// the command, which says so.
func confirmed(cmd *cobra.Command, a *cli.App, names []string) bool {
	asker := a.Fallback()
	defer asker.Close()
	for _, name := range names {
		l, err := memory.OpMemories.Ask(cmd.Context(), asker, memory.ListQuery{Name: name})
		if err != nil {
			return true
		}
		for _, m := range l.Memories {
			a.Sayf("%s: %s", m.Path, m.Description)
		}
	}
	a.Out.Write([]byte("forget " + wording.Count(len(names), "memories") + "? [y/N] "))
	line, _ := bufio.NewReader(a.In).ReadString('\n')
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes"
}

// completeNames completes the names of memories for which wanted is true.
func completeNames(a *cli.App, wanted func(memory.Item) bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) (names []string, _ cobra.ShellCompDirective) {
		l, _ := cli.Ask(cmd.Context(), a, memory.OpMemories, memory.ListQuery{}) // no memories to complete
		for _, m := range l.Memories {
			if wanted(m) {
				names = append(names, cobra.CompletionWithDesc(strings.TrimSuffix(m.Path, ".md"), m.Description))
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
