package terminal

import (
	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
)

func newAttach(a *cli.App) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "attach ID",
		Short: "show a terminal or a command in the background, and type into it",
		Args:  cli.Args(1, "which terminal? give its id or name"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) (ids []string, _ cobra.ShellCompDirective) {
			if len(args) == 0 {
				ids = runningTerminals(a)
			}
			return ids, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.AttachTerminal(cmd.Context(), args[0], force) },
	}
	cmd.Flags().BoolVar(&force, "force", false, "attach even inside a recorded terminal")
	return cmd
}

// runningTerminals returns the ids of the terminals that can be attached.
func runningTerminals(a *cli.App) (ids []string) {
	recording := a.Recording()
	all, _ := recording.List() // no terminals to complete
	for _, t := range all {
		if t.Running() && t.Attachable() {
			ids = append(ids, t.ID)
		}
	}
	return ids
}
