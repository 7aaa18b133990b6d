package servers

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/console"
	"ctxfs/fs/wording"
	"ctxfs/providers/mcp"
	"ctxfs/providers/mcp/tasks"
)

func newTasks(a *cli.App) *cobra.Command {
	cmd := cli.WithJSON(&cobra.Command{
		Use:   "tasks",
		Short: "list the calls that go on by themselves, wait for them, or cancel them",
		Args:  cli.Args(0),
	}, func(cmd *cobra.Command, _ []string, asJSON bool) error {
		all, err := cli.Ask(cmd.Context(), a, mcp.OpTasks, mcp.IDQuery{})
		switch {
		case err != nil:
			return err
		case asJSON:
			return a.PrintJSON(append([]tasks.Task{}, all...))
		case len(all) == 0:
			a.Notef("there are no tasks; make one: ctxfs call --detach SERVER TOOL ...")
			return nil
		}
		printTasks(a, all)
		return nil
	})
	cmd.AddCommand(newTasksWait(a), newTasksCancel(a))
	return cmd
}

// printTasks prints a table for people.
func printTasks(a *cli.App, all []tasks.Task) {
	table := a.Table()
	defer table.Flush()
	fmt.Fprintln(table, "ID\tSTATE\tTOOL\tSINCE\tENDED\tMORE")
	for _, t := range all {
		more := t.What
		switch {
		case len(t.Questions) > 0:
			more = "ctxfs answer " + strings.Join(t.Questions, ", ")
		case more == "" && t.Total > 0 && !t.HasEnded():
			more = fmt.Sprintf("%g of %g", t.Done, t.Total)
		}
		fmt.Fprintf(table, "%s\t%s\t%s/%s\t%s\t%s\t%s\n", t.ID, t.State, t.Server, t.Tool, wording.Time(t.Since), wording.Time(t.Ended), more)
	}
}

func newTasksWait(a *cli.App) *cobra.Command {
	return cli.WithJSON(&cobra.Command{
		Use:               "wait ID...",
		Short:             "wait for the end of tasks",
		Args:              cli.Args(-1, "which task?"),
		ValidArgsFunction: completeTaskArgs(a),
	}, func(cmd *cobra.Command, args []string, asJSON bool) error {
		return eachTask(a, args, asJSON, func(id string) (tasks.Task, error) {
			all, err := mcp.OpTasks.Ask(cmd.Context(), a.Starting(), mcp.IDQuery{ID: id})
			if err != nil {
				return tasks.Task{}, err
			}
			for _, t := range all {
				for _, q := range t.Questions {
					a.Notef("task %s waits for an answer: ctxfs answer %s", t.ID, q)
				}
			}
			return mcp.OpAwaitTask.Ask(cmd.Context(), a.Starting(), mcp.IDQuery{ID: id})
		}, func(t tasks.Task) bool { return t.State == tasks.Done })
	})
}

func newTasksCancel(a *cli.App) *cobra.Command {
	return cli.WithJSON(&cobra.Command{
		Use:               "cancel ID...",
		Short:             "cancel tasks",
		Args:              cli.Args(-1, "which task?"),
		ValidArgsFunction: completeTaskArgs(a),
	}, func(cmd *cobra.Command, args []string, asJSON bool) error {
		return eachTask(a, args, asJSON, func(id string) (tasks.Task, error) {
			return mcp.OpCancelTask.Ask(cmd.Context(), a.Starting(), mcp.IDQuery{ID: id})
		}, func(tasks.Task) bool { return true })
	})
}

// eachTask does something with tasks, one after the other, and prints what they are
// then. Good reports whether a task has the wanted outcome.
func eachTask(a *cli.App, ids []string, asJSON bool, do func(id string) (tasks.Task, error), good func(tasks.Task) bool) error {
	all := []tasks.Task{}
	allGood := true
	for _, id := range ids {
		t, err := do(id)
		if err != nil {
			return err
		}
		if all = append(all, t); !asJSON {
			a.Sayf("%s", t.Line())
		}
		allGood = allGood && good(t)
	}
	if asJSON {
		if err := a.PrintJSON(all); err != nil {
			return err
		}
	}
	if !allGood {
		return cli.Exit(console.ExitFailed, nil)
	}
	return nil
}

// completeTaskArgs completes the IDs of tasks that are under way.
func completeTaskArgs(a *cli.App) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		return completeTasks(cmd.Context(), a, func(t tasks.Task) bool { return !t.HasEnded() }), cobra.ShellCompDirectiveNoFileComp
	}
}

func completeTasks(ctx context.Context, a *cli.App, matches func(tasks.Task) bool) (ids []string) {
	all, _ := cli.Ask(ctx, a, mcp.OpTasks, mcp.IDQuery{}) // none, if it cannot be asked
	for _, t := range all {
		if matches(t) {
			ids = append(ids, t.ID+"\t"+t.Server+"/"+t.Tool+", "+t.State)
		}
	}
	return ids
}
