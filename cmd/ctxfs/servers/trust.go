package servers

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/mcp"
	"ctxfs/providers/mcp/fleet"
)

func newTrust(a *cli.App) *cobra.Command {
	var revoke, list bool
	cmd := cli.WithJSON(&cobra.Command{
		Use:               "trust [DIR]",
		Short:             "trust a project: its rules, skills and notes, and its MCP servers",
		Args:              cli.Args(1),
		ValidArgsFunction: cli.CompleteDirs,
	}, func(cmd *cobra.Command, args []string, asJSON bool) error {
		if list {
			if len(args) > 0 {
				return cli.Usage(cmd, fmt.Errorf("--list shows all projects, and takes no folder"))
			}
			return listProjects(cmd.Context(), a, asJSON)
		}
		return trust(cmd.Context(), a, strings.Join(args, ""), revoke, asJSON)
	})
	cmd.Flags().BoolVar(&revoke, "revoke", false, "withdraw the trust")
	cmd.Flags().BoolVar(&list, "list", false, "list the projects that are trusted, and those that configure servers")
	cmd.MarkFlagsMutuallyExclusive("revoke", "list")
	return cmd
}

func trust(ctx context.Context, a *cli.App, dir string, revoke, asJSON bool) error {
	folder, err := a.Abs(dir)
	if err != nil {
		return err
	}
	asker := a.Fallback()
	defer asker.Close()
	project, err := mcp.OpTrust.Ask(ctx, asker, mcp.TrustQuery{Folder: folder, Revoke: revoke})
	if err != nil {
		return err
	}
	if asJSON {
		return a.PrintJSON(project)
	}
	if revoke {
		a.Sayf("%s is no longer trusted", a.Tilde(project.Folder))
		return nil
	}
	if project.Whole != "" {
		a.Sayf("trusted: the project %s, with its rules, skills and notes", a.Tilde(project.Whole))
	}
	if len(project.Servers) == 0 {
		return nil
	}
	a.Sayf("trusted as they are now, in %s:", a.Tilde(project.Folder))
	printProject(a, project)
	return notePassedOver(ctx, a, asker, project)
}

// notePassedOver prints the servers of a project that are not used although they
// are trusted, because another entry, usually of the same name, takes precedence.
func notePassedOver(ctx context.Context, a *cli.App, asker fs.Asker, project fleet.Project) error {
	report, err := mcp.OpConfiguration.Ask(ctx, asker, mcp.FolderQuery{Folder: project.Folder})
	if err != nil {
		return err
	}
	for _, s := range project.Servers {
		for _, e := range report.Entries {
			if e.State == fleet.PassedOver && e.Name == s.Name && e.File == s.File {
				a.Notef("%s of %s is not used: %s", e.Name, place(a, e), e.Why)
			}
		}
	}
	return nil
}

func listProjects(ctx context.Context, a *cli.App, asJSON bool) error {
	projects, err := cli.Ask(ctx, a, mcp.OpProjects, fs.None{})
	switch {
	case err != nil:
		return err
	case asJSON:
		if projects == nil {
			projects = []fleet.Project{}
		}
		return a.PrintJSON(projects)
	case len(projects) == 0:
		a.Sayf("no project is trusted, and none that is known configures a server")
	}
	for _, p := range projects {
		switch {
		case p.Trusted.IsZero():
			a.Sayf("%s: not trusted", a.Tilde(p.Folder))
		case p.Whole == "":
			a.Sayf("%s: its servers are trusted since %s", a.Tilde(p.Folder), wording.Time(p.Trusted))
		default:
			a.Sayf("%s: trusted since %s", a.Tilde(p.Folder), wording.Time(p.Trusted))
		}
		printProject(a, p)
	}
	return nil
}

func printProject(a *cli.App, p fleet.Project) {
	table := a.Table()
	for _, s := range p.Servers {
		fmt.Fprintf(table, "  %s\t%s\t%s\t%s\n", s.Name, s.State, s.Runs, a.Tilde(s.File))
	}
	table.Flush()
}
