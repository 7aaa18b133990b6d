package mount

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/console"
	"ctxfs/cmd/ctxfs/usertree"
	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/mounts"
)

// StatusReport is what `ctxfs status --json` prints.
type StatusReport struct {
	Running bool `json:"running"`
	// Pid is the process id of the background process, or 0.
	Pid     int    `json:"pid"`
	Version string `json:"version,omitempty"`
	// Program is the executable that the process was started from.
	Program string    `json:"program,omitempty"`
	Since   time.Time `json:"since,omitzero"`
	// Older reports that this program is a newer build than the process, and that
	// ctxfs mount has it take over.
	Older  bool              `json:"older,omitempty"`
	Mounts []mounts.ViewInfo `json:"mounts"`
	// Gateways is the number of other programs, such as ctxfs serve, that need the
	// process.
	Gateways  int                       `json:"gateways,omitempty"`
	Providers []usertree.ProviderStatus `json:"providers"`
}

func newStatus(a *cli.App) *cobra.Command {
	return cli.WithJSON(&cobra.Command{
		Use:   "status",
		Short: "show what is mounted where, and the state of every provider",
		Args:  cli.Args(0),
	}, func(cmd *cobra.Command, _ []string, asJSON bool) error {
		report, err := status(cmd.Context(), a)
		if err != nil {
			return err
		}
		err = a.Report(asJSON, report, func() { printStatus(a, report) }, false)
		if err == nil && !report.Running {
			return cli.Exit(console.ExitNotRunning, nil)
		}
		return err
	})
}

func status(ctx context.Context, a *cli.App) (*StatusReport, error) {
	info, err := a.ServerInfo(ctx)
	if err != nil {
		return nil, err
	}
	report := &StatusReport{
		Running: info.Pid != 0, Pid: info.Pid, Version: info.Version, Program: info.Program, Since: info.Since, Mounts: []mounts.ViewInfo{}, Gateways: info.Gateways,
	}
	if before, err := olderProcess(ctx, a); err == nil && before != nil {
		report.Older = true
	}
	var served []string
	for _, v := range info.Mounts {
		served = append(served, v.Dir)
		v.State = mounts.Healthy
		if v.Kind == "fuse" {
			v.State = health(v.Dir)
		}
		report.Mounts = append(report.Mounts, v)
	}
	dead, err := mounts.DeadPoints(a.Process(), served, a.DefaultMount())
	if err != nil {
		return nil, err
	}
	for _, p := range dead {
		report.Mounts = append(report.Mounts, mounts.ViewInfo{Dir: p.Dir, Kind: "fuse", State: p.State})
	}
	if dir := a.DefaultMount(); !slices.ContainsFunc(report.Mounts, func(v mounts.ViewInfo) bool { return v.Dir == dir }) {
		if v, found := mounts.Foreign(a.Process(), dir); found {
			report.Mounts = append(report.Mounts, v)
		}
	}
	report.Providers, err = cli.Ask(ctx, a, usertree.OpProviders, fs.None{})
	return report, err
}

// health is the state of one mount of ctxfs.
func health(dir string) mounts.Health {
	points, err := mounts.Points()
	if err == nil {
		for _, p := range points {
			if p.Dir == dir {
				return p.Check()
			}
		}
	}
	return mounts.Dead
}

func printStatus(a *cli.App, r *StatusReport) {
	if r.Running {
		a.Sayf("ctxfs %s, process %d, since %s", r.Version, r.Pid, wording.Time(r.Since))
	} else {
		a.Sayf("ctxfs is not running; start it: ctxfs mount")
	}
	for _, m := range r.Mounts {
		line := fmt.Sprintf("  %-6s  %s", m.Kind, a.Tilde(m.Dir))
		if m.Of != "" {
			line += ": mounted by " + m.Of
		}
		if m.State != mounts.Healthy {
			line += fmt.Sprintf("  %s; fix: ctxfs mount %s", m.State, a.Tilde(m.Dir))
		}
		a.Sayf("%s", line)
	}
	if r.Gateways > 0 {
		a.Sayf("  %s (ctxfs serve)", wording.Count(r.Gateways, "gateways"))
	}
	for _, p := range r.Providers {
		a.Sayf("")
		a.Sayf("%s: %s, %s", p.Name, p.State, p.Summary)
		for _, item := range p.Items {
			if item.State != "" {
				a.Sayf("  %-24s %-20s %s", item.Name, item.State, countText(item))
			}
		}
		for _, problem := range p.Problems {
			a.Sayf("  ! %s", problem.What)
			if problem.Mend != "" {
				a.Sayf("    %s", problem.Mend)
			}
		}
	}
}

func countText(i fs.Item) string {
	if i.Count < 0 {
		return ""
	}
	return wording.Count(i.Count, i.Unit)
}
