package terminal

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/fs/wording"
	"ctxfs/providers/terminals/record"
)

func newPS(a *cli.App) *cobra.Command {
	var all bool
	cmd := cli.WithJSON(&cobra.Command{
		Use:   "ps",
		Short: "list the terminals that are recorded",
		Args:  cli.Args(0),
	}, func(_ *cobra.Command, _ []string, asJSON bool) error {
		recording := a.Recording()
		list, err := recording.List()
		if err != nil {
			return err
		}
		shown := make([]Entry, 0, len(list))
		for _, t := range list {
			if all || t.Running() {
				shown = append(shown, newEntry(t))
			}
		}
		switch {
		case asJSON:
			return a.PrintJSON(shown)
		case len(shown) == 0 && all:
			a.Sayf("no terminal was recorded yet; open one: ctxfs term")
		case len(shown) == 0:
			a.Sayf("no terminal is recorded now; open one: ctxfs term")
		default:
			printTerminals(a, shown)
		}
		return nil
	})
	cmd.Flags().BoolVarP(&all, "all", "a", false, "also those that have ended")
	return cmd
}

// Entry is a terminal for scripts.
type Entry struct {
	ID             string     `json:"id"`
	Source         string     `json:"source"`
	State          string     `json:"state"`
	Pid            int        `json:"pid"`
	Argv           []string   `json:"argv"`
	Cwd            string     `json:"cwd"`
	Started        time.Time  `json:"started"`
	Ended          *time.Time `json:"ended"`
	Exit           *int       `json:"exit"`
	Signal         string     `json:"signal,omitempty"`
	Killed         bool       `json:"killed,omitempty"`
	Command        string     `json:"command,omitempty"`
	CommandStarted *time.Time `json:"command_started,omitempty"`
	LastCommand    string     `json:"last_command,omitempty"`
	LastExit       *int       `json:"last_exit"`
	File           string     `json:"file"` // the newest part of the log
	Fault          string     `json:"fault,omitempty"`
}

func newEntry(t *record.Terminal) Entry {
	e := Entry{
		ID: t.ID, Source: t.Source, State: t.State, Pid: t.Pid, Argv: t.Argv, Cwd: t.Cwd,
		Started: t.Started, Ended: t.Ended, Exit: t.Exit, Signal: t.Signal, Killed: t.Killed,
		Command: t.Command, CommandStarted: t.CommandStarted, LastCommand: t.LastCommand, LastExit: t.LastExit,
		File: t.Path(t.LastPart()),
	}
	if t.Fault != nil {
		e.Fault = t.Fault.What
	}
	return e
}

// printTerminals prints a table for people.
func printTerminals(a *cli.App, all []Entry) {
	table := a.Table()
	defer table.Flush()
	fmt.Fprintln(table, "ID\tSTATE\tPID\tSTARTED\tCWD\tCOMMAND")
	for _, e := range all {
		state := e.State
		if e.Killed {
			state = "killed"
		}
		if e.Fault != "" {
			state += ", not recorded: " + e.Fault
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\t%s\n", e.ID, state, e.Pid, wording.Time(e.Started), a.Tilde(e.Cwd), e.doing())
	}
}

// doing returns the command that runs in a terminal, or the last one in
// parentheses.
func (e *Entry) doing() string {
	line := func(s string) string {
		first, _, more := strings.Cut(s, "\n")
		if runes := []rune(first); len(runes) > 60 {
			first, more = string(runes[:60]), true
		}
		if more {
			first += " ..."
		}
		return first
	}
	switch {
	case e.Command != "":
		return line(e.Command)
	case e.LastCommand != "" && e.LastExit != nil:
		return fmt.Sprintf("(%s: %d)", line(e.LastCommand), *e.LastExit)
	case e.LastCommand != "":
		return "(" + line(e.LastCommand) + ")"
	}
	return "(" + line(strings.Join(e.Argv, " ")) + ")"
}
