package sessions

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/fs"
	"ctxfs/providers/caller"
	"ctxfs/providers/workspaces"
)

func newNote(a *cli.App) *cobra.Command {
	var take, in string
	cmd := cli.WithJSON(&cobra.Command{
		Use:   "note [TEXT]",
		Short: "leave a note for whoever works here next, list the notes, or take one",
		Args:  cli.Args(1),
	}, func(cmd *cobra.Command, args []string, asJSON bool) error {
		text := strings.Join(args, " ")
		switch {
		case len(args) > 0 && strings.TrimSpace(text) == "":
			return cli.Usage(cmd, errors.New("the note is empty"))
		case len(args) > 0 && take != "":
			return cli.Usage(cmd, errors.New("a text and --take exclude each other"))
		}
		at, err := a.Standpoint(in)
		if err != nil {
			return err
		}
		return note(cmd.Context(), a, workspaces.NoteQuery{At: at, Text: text, Take: take}, asJSON)
	})
	cmd.Flags().StringVar(&take, "take", "", "take the note of that `name`: print it and remove it from HERE.md")
	cmd.Flags().StringVar(&in, "in", "", "in the workspace of this folder instead")
	a.CompleteFlag(cmd, "in", cli.CompleteDirs)
	a.CompleteFlag(cmd, "take", completeNote(a))
	return cmd
}

func note(ctx context.Context, a *cli.App, q workspaces.NoteQuery, asJSON bool) error {
	q.Agent, q.Session = caller.Of(a.LookupEnv)
	answer, err := cli.Ask(ctx, a, workspaces.OpNote, q)
	switch {
	case errors.Is(err, fs.ErrNotExist) && q.Take != "":
		return errors.New("there is no note " + q.Take + " here; list them: ctxfs note")
	case err != nil:
		return err
	case asJSON:
		return a.PrintJSON(answer)
	case q.Text != "":
		a.Sayf("%s", answer.Notes[0].Name)
		return nil
	case q.Take != "":
		a.Sayf("%s", answer.Notes[0].Text)
		return nil
	case len(answer.Notes) == 0:
		a.Notef("there are no notes in %s; leave one: ctxfs note TEXT", answer.Workspace)
		return nil
	}
	for i, n := range answer.Notes {
		if i > 0 {
			a.Sayf("")
		}
		a.Sayf("%s  %s, %s\n%s", n.Name, n.Time, n.Author, cli.Indent(n.Text))
	}
	return nil
}

// completeNote completes names of notes.
func completeNote(a *cli.App) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) (all []string, _ cobra.ShellCompDirective) {
		answer, _ := cli.Ask(cmd.Context(), a, workspaces.OpNote, workspaces.NoteQuery{At: a.Here()}) // no notes to complete
		for _, n := range answer.Notes {
			all = append(all, n.Name)
		}
		return all, cobra.ShellCompDirectiveNoFileComp
	}
}
