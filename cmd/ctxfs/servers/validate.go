package servers

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/usertree"
	"ctxfs/fs"
	"ctxfs/providers/exec"
)

// validation is what config validate prints for scripts.
type validation struct {
	File     string        `json:"file"`
	Problems []problem     `json:"problems"`
	Folders  []exec.Folder `json:"exec"`
}

// problem is a fault, with the part of ctxfs that has it.
type problem struct {
	In string `json:"in"`
	fs.Problem
}

func newValidate(a *cli.App) *cobra.Command {
	return cli.WithJSON(&cobra.Command{
		Use:   "validate",
		Short: "check config.toml, and explain the paths of [exec]",
		Args:  cli.Args(0),
	}, func(cmd *cobra.Command, _ []string, asJSON bool) error {
		v, err := validate(cmd.Context(), a)
		if err != nil {
			return err
		}
		return a.Report(asJSON, v, func() { v.print(a) }, len(v.Problems) > 0)
	})
}

// validate reads the configuration in this process: a background process may not have
// read it yet.
func validate(ctx context.Context, a *cli.App) (v validation, err error) {
	tree := a.Offline()
	defer tree.Close()
	v = validation{File: a.Config, Problems: []problem{}}
	statuses, err := usertree.OpProviders.Ask(ctx, tree.Operations(), fs.None{})
	if err != nil {
		return v, err
	}
	for _, s := range statuses {
		for _, p := range s.Problems {
			if strings.Contains(p.What+p.Mend, a.Config) {
				v.Problems = append(v.Problems, problem{s.Name, p})
			}
		}
	}
	v.Folders, err = exec.OpFolders.Ask(ctx, tree.Operations(), fs.None{})
	return v, err
}

func (v validation) print(a *cli.App) {
	for _, f := range v.Folders {
		a.Sayf("[exec.%s]  commands run in %s; outputs are served for %s", f.Name, a.Tilde(f.Dir), f.Lifetime)
		if f.When != "" {
			a.Sayf("  refreshed %s", f.When)
		}
		for _, p := range f.Paths {
			a.Sayf("  %s\n      runs: %s\n      %s", p.Path, p.Command, p.Means)
			for _, text := range p.Placeholders {
				a.Sayf("      %s", text)
			}
			if p.Fault != "" {
				a.Sayf("      ! it cannot be started here: %s", p.Fault)
			}
		}
		a.Sayf("")
	}
	for _, p := range v.Problems {
		a.Sayf("! %s\n  fix: %s", p.What, p.Mend)
	}
	if len(v.Problems) == 0 {
		a.Sayf("%s: nothing is wrong", a.Tilde(v.File))
	}
}
