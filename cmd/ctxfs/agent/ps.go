package agent

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/fs/wording"
	"ctxfs/providers/executor/job"
	"ctxfs/providers/executor/request"
	"ctxfs/providers/executor/runner"
)

func newPS(a *cli.App) *cobra.Command {
	var all bool
	cmd := cli.WithJSON(&cobra.Command{
		Use:   "ps",
		Short: "list runs of agents",
		Args:  cli.Args(0),
	}, func(_ *cobra.Command, _ []string, asJSON bool) error {
		runner.EndLost(store(a))
		jobs, err := allJobs(a)
		if err != nil {
			return err
		}
		shown := make([]entry, 0, len(jobs))
		for _, j := range jobs {
			if all || !j.Ended() {
				shown = append(shown, newEntry(j))
			}
		}
		switch {
		case asJSON:
			return a.PrintJSON(shown)
		case len(shown) == 0 && all:
			a.Sayf("no agent was started yet; start one: ctxfs agent run --agent NAME -- PROMPT")
		case len(shown) == 0:
			a.Sayf("no agent runs now; start one: ctxfs agent run --agent NAME -- PROMPT")
		default:
			printJobs(a, shown)
		}
		return nil
	})
	cmd.Flags().BoolVarP(&all, "all", "a", false, "also those that have ended")
	return cmd
}

// entry is a run for scripts.
type entry struct {
	ID      string        `json:"id"`
	State   job.State     `json:"state"`
	Ended   request.Ended `json:"ended,omitempty"` // how
	Agent   string        `json:"agent"`
	Prompt  string        `json:"prompt"` // the beginning of it
	Dir     string        `json:"dir"`
	Created time.Time     `json:"created"`
	Started time.Time     `json:"started,omitzero"`
	EndedAt time.Time     `json:"ended_at,omitzero"`
	// ReadOnly is how it is kept from writing, as in the result.
	ReadOnly string `json:"read_only,omitempty"`
	Terminal string `json:"terminal,omitempty"`
	Session  string `json:"session,omitempty"`
	Branch   string `json:"branch,omitempty"`
	Within   string `json:"within,omitempty"` // the run in which it was started
	Folder   string `json:"folder"`           // with its files
}

func newEntry(j *job.Job) entry {
	e := entry{
		ID: j.ID, State: j.Status.State, Agent: j.Status.Agent, Prompt: promptLine(j), Dir: j.Status.Dir,
		Created: j.Status.Created, Started: j.Status.Started, EndedAt: j.Status.Ended, ReadOnly: j.Status.ReadOnly,
		Terminal: j.Status.Terminal, Session: j.Status.Session, Branch: j.Status.Branch, Within: j.Status.Within, Folder: j.Dir,
	}
	if j.Ended() {
		e.Ended = j.Result.Ended
	}
	return e
}

// printJobs prints a table for people.
func printJobs(a *cli.App, all []entry) {
	table := a.Table()
	defer table.Flush()
	fmt.Fprintln(table, "ID\tSTATE\tAGENT\tSTARTED\tDIR\tPROMPT")
	for _, e := range all {
		state, started := string(e.State), ""
		if e.Ended != "" {
			state = string(e.Ended)
		}
		if !e.Started.IsZero() {
			started = wording.Time(e.Started)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", e.ID, state, e.Agent, started, a.Tilde(e.Dir), e.Prompt)
	}
}
