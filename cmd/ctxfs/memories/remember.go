// Package memories has the commands for what agents and their user remember: remember,
// forget and memory.
package memories

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/fs"
	"ctxfs/mounts/control"
	"ctxfs/providers/caller"
	"ctxfs/providers/memory"
)

// Commands returns the commands for memories.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{newRemember(a), newForget(a), newMemory(a)}
}

// maxInput is how much is read of standard input, in bytes: more than a memory may have,
// so that too long a one is reported as such.
const maxInput = 1 << 20

func newRemember(a *cli.App) *cobra.Command {
	var project, kind string
	cmd := cli.WithJSON(&cobra.Command{
		Use:   "remember TEXT",
		Short: "remember a fact, preference, decision or lesson for later sessions",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 && cmd.Flags().Changed("project") {
				return cli.Usage(cmd, fmt.Errorf("%q is one word too many: put the text into quotes, and name a folder as --project=DIR", args[1]))
			}
			return cli.Args(1, "remember what?")(cmd, args)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}, func(cmd *cobra.Command, args []string, asJSON bool) error {
		text := args[0]
		if text == "-" {
			body, err := io.ReadAll(io.LimitReader(a.In, maxInput))
			if err != nil {
				return err
			}
			text = string(body)
		}
		if strings.TrimSpace(text) == "" {
			return cli.Usage(cmd, errors.New("there is nothing to remember"))
		}
		q := memory.RememberQuery{Text: text, Type: kind}
		if err := q.Check(); err != nil {
			return cli.Usage(cmd, err)
		}
		q.Agent, q.Session = caller.Of(a.LookupEnv)
		if cmd.Flags().Changed("project") {
			at, err := a.Standpoint(project)
			if err != nil {
				return err
			}
			q.Project = at
		}
		return remember(cmd, a, q, asJSON)
	})
	cmd.Flags().StringVar(&project, "project", "", "for the project of this `folder`; without =DIR that of the current one")
	cmd.Flags().Lookup("project").NoOptDefVal = "."
	cmd.Flags().StringVar(&kind, "type", "", "fact, preference, decision or lesson")
	a.CompleteFlag(cmd, "project", cli.CompleteDirs)
	a.CompleteFlag(cmd, "type", cobra.FixedCompletions([]cobra.Completion{"fact", "preference", "decision", "lesson"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func remember(cmd *cobra.Command, a *cli.App, q memory.RememberQuery, asJSON bool) error {
	r, err := cli.Ask(cmd.Context(), a, memory.OpRemember, q)
	switch {
	case errors.Is(err, fs.ErrInvalid) || errors.Is(err, fs.ErrTooLarge):
		return cli.Usage(cmd, err)
	case err != nil:
		return err
	case asJSON:
		return a.PrintJSON(r)
	}
	a.Sayf("%s", r.Path)
	switch {
	case r.Known:
		a.Notef("it was known already: nothing has changed")
	case r.Masked:
		a.Notef("a secret in it was hidden")
	}
	for _, d := range r.Differs {
		a.Notef("it seems to contradict %s; compare: ctxfs memory show %s", d, strings.TrimSuffix(d, ".md"))
	}
	return nil
}

// notThere is the error for a command without names.
func notThere(what string) error {
	return &control.Fault{Message: what, Hint: "list them: ctxfs memory"}
}
