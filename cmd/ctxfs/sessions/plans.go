package sessions

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/console"
	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/fs/wording"
	"ctxfs/providers/plans"
)

const (
	plansFolder = "plans"
	// mostTasks and mostPlans are how many lines are printed for people.
	mostTasks = 100
	mostPlans = 20
)

func newPlans(a *cli.App) *cobra.Command {
	var in string
	cmd := cli.WithJSON(&cobra.Command{
		Use:   "plans",
		Short: "print what agents have planned and not done",
		Args:  cli.Args(0),
	}, func(cmd *cobra.Command, _ []string, asJSON bool) error {
		var query plans.Query
		if in != "" {
			at, err := a.Standpoint(in)
			if err != nil {
				return err
			}
			query.Dir = at.Dir
		}
		asker := a.Fallback()
		defer asker.Close()
		found, err := askPlans(cmd.Context(), a, asker, query)
		if err != nil {
			return err
		}
		return a.Report(asJSON, found, func() { printPlans(a, found) }, false)
	})
	cmd.Flags().StringVar(&in, "in", "", "only the project of this folder")
	a.CompleteFlag(cmd, "in", cli.CompleteDirs)
	return cmd
}

// mostWait is how long the command waits for sessions that are being read.
const mostWait = 10 * time.Second

// askPlans asks until all sessions are read, for a while, and tells a person so.
func askPlans(ctx context.Context, a *cli.App, asker fs.Asker, query plans.Query) (plans.Answer, error) {
	told := !console.IsTerminal(a.Err)
	for end := time.Now().Add(mostWait); ; {
		found, err := plans.OpPlans.Ask(ctx, asker, query)
		if err != nil || !found.Reading || time.Now().After(end) {
			return found, err
		}
		if !told {
			told = true
			a.Notef("waiting for sessions that are being read, at most %d seconds", int(mostWait.Seconds()))
		}
	}
}

// printPlans prints the open tasks of each project, then lists and plans.
func printPlans(a *cli.App, found plans.Answer) {
	project := ""
	for i, t := range found.Open[:min(len(found.Open), mostTasks)] {
		if t.Project != project || i == 0 {
			project = t.Project
			a.Sayf("%s:", cmp.Or(a.Tilde(project), "of no known project"))
		}
		mark := "[ ]"
		if t.State == string(facts.TaskBegun) {
			mark = "[-]"
		}
		line := "  " + mark + " " + t.Text + " — " + t.Agent
		if !t.Time.IsZero() {
			line += ", " + wording.Minute(t.Time)
		}
		if !t.Trusted {
			line += " (not trusted)"
		}
		a.Sayf("%s", line)
	}
	if n := len(found.Open) - mostTasks; n > 0 {
		a.Sayf("  and %d more: ctxfs plans --json", n)
	}
	if len(found.Plans) > 0 {
		a.Sayf("lists and plans:")
	}
	for _, p := range found.Plans[:min(len(found.Plans), mostPlans)] {
		what := string(p.State)
		if p.Kind == facts.Proposal {
			what = "plan " + what
		} else {
			what = "tasks " + what
		}
		line := "  " + plansFolder + "/" + p.Path + " — " + what
		if !p.Trusted {
			line += " (not trusted)"
		} else if title := strings.TrimSpace(p.Title); title != "" {
			line += ": " + title
		}
		a.Sayf("%s", line)
	}
	if n := len(found.Plans) - mostPlans; n > 0 {
		a.Sayf("  and %d more: ctxfs cat plans/INDEX.md", n)
	}
	for _, note := range found.Notes {
		a.Notef("%s", note)
	}
	if found.Reading {
		a.Notef("sessions are still being read, there may be more; see the progress: ctxfs status")
	}
	if found.Reading && len(found.Open) == 0 {
		return
	}
	if len(found.Plans) == 0 {
		a.Sayf("no plans")
	} else if len(found.Open) == 0 {
		a.Sayf("no open tasks")
	}
}
