package terminal

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/mounts/control"
	"ctxfs/providers/terminals/holder"
	"ctxfs/providers/terminals/record"
)

func newAttach(a *cli.App) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "attach ID",
		Short: "show a terminal or a command in the background, and type into it",
		Long: `Attach shows a running terminal of ctxfs term here, or a command of ctxfs run
--background, by its id or name; ctxfs ps lists them. A terminal can be attached
to several windows, and has the size of the smallest one. Ctrl-\ d detaches: the
terminal goes on. When its shell exits, attach exits with the shell's exit code.

First the current screen is drawn, without colours. What was shown before is in
terminals/ID.txt of the mount.`,
		Example: `  ctxfs ps
  ctxfs attach api`,
		Args: cli.Args(1, "which terminal? give its id or name"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) (ids []string, _ cobra.ShellCompDirective) {
			if len(args) == 0 {
				ids = runningTerminals(a)
			}
			return ids, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error { return attach(cmd.Context(), a, args[0], force) },
	}
	cmd.Flags().BoolVar(&force, "force", false, "attach even inside a recorded terminal")
	return cmd
}

func attach(ctx context.Context, a *cli.App, name string, force bool) error {
	recording := recording(a)
	for _, folder := range a.Process().OlderFolders() { // a terminal outlives the version that opened it
		recording.Runtime = append(recording.Runtime, filepath.Join(folder, "terminals"))
	}
	t, err := recording.Find(name)
	if missing := (*holder.Missing)(nil); errors.As(err, &missing) {
		fault := &control.Fault{Message: err.Error(), Hint: "list the running ones: ctxfs ps"}
		switch {
		case missing.Ended != nil:
			fault.Hint = "what it has shown: " + missing.Ended.Path(missing.Ended.LastPart())
		case missing.Other != "":
			fault.Hint = "what it shows: " + terminalFile(a, name)
		case missing.Near != "":
			fault.Hint = "did you mean: ctxfs attach " + missing.Near
		}
		return fault
	}
	if err != nil {
		return err
	}
	if id, inside := a.LookupEnv(holder.Variable); inside && (!force || id == t.ID) {
		fault := &control.Fault{Message: fmt.Sprintf("this is terminal %s, which would record what it is shown", id), Hint: "to attach anyway: ctxfs attach --force " + name}
		if id == t.ID {
			fault.Message, fault.Hint = fmt.Sprintf("this is terminal %s itself", id), ""
		}
		return fault
	}
	if !isTerminal(a.In) || !isTerminal(a.Out) {
		return &control.Fault{Message: "there is no terminal here to show it in", Hint: "read what it shows: " + t.Path(t.LastPart())}
	}
	out, err := recording.Attach(ctx, t.ID, stdin(a))
	if errors.Is(err, holder.ErrNotRunning) {
		return &control.Fault{Message: fmt.Sprintf("terminal %s has just ended, or its socket was deleted", t.ID), Hint: "what it has shown: " + t.Path(t.LastPart())}
	}
	return attachOutcome(a, out, err)
}

// terminalFile returns the path of the newest part of a terminal's log.
func terminalFile(a *cli.App, id string) string {
	t, err := record.LoadState(filepath.Join(recording(a).Dir, id))
	if err != nil {
		return recording(a).Dir
	}
	return t.Path(t.LastPart())
}

// runningTerminals returns the ids of the terminals that can be attached.
func runningTerminals(a *cli.App) (ids []string) {
	recording := recording(a)
	all, _ := recording.List() // without terminals there is nothing to complete
	for _, t := range all {
		if t.Running() && t.Attachable() {
			ids = append(ids, t.ID)
		}
	}
	return ids
}
