package servers

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/mounts"
	"ctxfs/mounts/control"
	"ctxfs/providers/mcp"
	"ctxfs/providers/mcp/fleet"
)

func newConfig(a *cli.App) *cobra.Command {
	cmd := cli.WithJSON(&cobra.Command{
		Use:               "config [SERVER]",
		Short:             "show where MCP servers are configured, and which entry is used",
		Args:              cli.Args(1),
		ValidArgsFunction: completeServer(a),
	}, func(cmd *cobra.Command, args []string, asJSON bool) error {
		report, err := configuration(cmd.Context(), a)
		if err != nil {
			return err
		}
		if len(args) > 0 {
			part, suggestion := report.Of(args[0])
			if len(part.Entries) == 0 {
				fault := &control.Fault{Message: fmt.Sprintf("no file configures a server %q", args[0]), Hint: "list all servers: ctxfs config"}
				if suggestion != "" {
					fault.Hint = "did you mean: ctxfs config " + suggestion
				}
				return fault
			}
			report = part
		}
		switch {
		case asJSON:
			return a.PrintJSON(report)
		case len(args) > 0:
			printEntries(a, report.Entries)
		default:
			printReport(a, report)
		}
		return nil
	})
	cmd.AddCommand(newValidate(a))
	return cmd
}

// configuration asks the background process, whose environment is the one that
// servers get, or reads the files if no process runs.
func configuration(ctx context.Context, a *cli.App) (report fleet.Report, err error) {
	folder, err := a.Getwd()
	if err != nil || mounts.NewTable().Contain(folder) {
		folder = "" // it was deleted, or is in a mount, where nothing is configured
	}
	return cli.Ask(ctx, a, mcp.OpConfiguration, mcp.FolderQuery{Folder: folder})
}

// printReport prints a table for people.
func printReport(a *cli.App, r fleet.Report) {
	if len(r.Entries) == 0 {
		a.Sayf("no server is configured; ctxfs looks for them in the files of Claude Code, Cursor, Codex and others,\nand in %s", a.Tilde(a.Config))
	} else {
		table := a.Table()
		fmt.Fprintln(table, "SERVER\tSTATE\tRUNS\tCLIENT\tSCOPE\tFILE")
		for _, e := range r.Entries {
			name := e.Name
			if e.Folder != "" && e.Folder != e.Name {
				name += " (" + e.Folder + ")"
			}
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", name, e.State, e.Runs, e.Client, scope(a, e), place(a, e))
		}
		table.Flush()
	}
	printed := false
	for _, e := range r.Entries {
		if e.Why == "" {
			continue
		}
		if !printed {
			a.Sayf("")
			printed = true
		}
		a.Sayf("%s in %s: %s", e.Name, place(a, e), e.Why)
		if e.Mend != "" {
			a.Sayf("  fix: %s", e.Mend)
		}
	}
	for _, p := range r.Problems {
		a.Sayf("\n! %s\n  fix: %s", p.What, p.Mend)
	}
}

// printEntries prints all details of entries.
func printEntries(a *cli.App, entries []fleet.Entry) {
	for i, e := range entries {
		if i > 0 {
			a.Sayf("")
		}
		seconds := func(n float64) string {
			if n == 0 {
				return ""
			}
			return fmt.Sprintf("%g s", n)
		}
		for _, line := range [][2]string{
			{"server", e.Name}, {"folder", e.Folder}, {"state", e.State}, {"why", e.Why}, {"fix", e.Mend},
			{"transport", e.Transport}, {"runs", e.Runs}, {"client", e.Client}, {"scope", scope(a, e)}, {"file", place(a, e)},
			{"processes", processes(e)},
			{"start timeout", seconds(e.StartTimeout)}, {"call timeout", seconds(e.CallTimeout)},
			{"allowed tools", strings.Join(e.AllowTools, ", ")}, {"denied tools", strings.Join(e.DenyTools, ", ")},
			{"note", strings.Join(e.Notes, "; ")},
		} {
			if line[1] != "" {
				a.Sayf("%-14s %s", line[0]+":", line[1])
			}
		}
	}
}

// processes says which calls share a process of a server, and why.
func processes(e fleet.Entry) string {
	if e.SharedBy == "" || e.State == fleet.PassedOver {
		return ""
	}
	words := map[string]string{"user": "one for all", "project": "one for each project", "session": "one for each session"}
	return words[e.SharedBy] + ": " + e.SharedBecause
}

// scope is the scope of an entry, with its project.
func scope(a *cli.App, e fleet.Entry) string {
	if e.Project != "" {
		return e.Scope + " " + a.Tilde(e.Project)
	}
	return e.Scope
}

// place is the file and line of an entry.
func place(a *cli.App, e fleet.Entry) string {
	if e.Line == 0 {
		return a.Tilde(e.File)
	}
	return fmt.Sprintf("%s:%d", a.Tilde(e.File), e.Line)
}
