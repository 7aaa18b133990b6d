package terminal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/fs/wording"
	"ctxfs/mounts/control"
	"ctxfs/providers/terminals/holder"
	"ctxfs/providers/terminals/record"
)

// defaultGrace is how long processes may take to end before they are killed.
const defaultGrace = 5 * time.Second

func newStop(a *cli.App) *cobra.Command {
	grace := defaultGrace
	cmd := cli.WithJSON(&cobra.Command{
		Use:   "stop ID...",
		Short: "end a recorded command or terminal with all that it started",
		Args:  cli.Args(-1, "which terminal? give its id or name"),
		ValidArgsFunction: func(*cobra.Command, []string, string) (ids []string, _ cobra.ShellCompDirective) {
			recording := a.Recording()
			all, _ := recording.List() // no terminals to complete
			for _, t := range all {
				if t.Running() && t.Source != record.Tmux {
					ids = append(ids, cobra.CompletionWithDesc(t.ID, strings.Join(t.Argv, " ")))
				}
			}
			return ids, cobra.ShellCompDirectiveNoFileComp
		},
	}, func(cmd *cobra.Command, args []string, asJSON bool) error {
		if grace < 0 {
			return cli.Usage(cmd, errors.New("--grace must not be negative"))
		}
		if err := a.OnlyReads(); err != nil {
			return err
		}
		return stopAll(cmd.Context(), a, args, grace, asJSON)
	})
	cmd.Flags().DurationVar(&grace, "grace", grace, "how long processes may take to end before they are killed")
	a.CompleteFlag(cmd, "grace", cobra.NoFileCompletions)
	return cmd
}

// stoppedEntry is what was stopped, for scripts.
type stoppedEntry struct {
	Entry
	Already bool `json:"already"` // nothing ran any more
	Killed  int  `json:"killed"`  // processes that did not end within the grace
}

// stopAll stops terminals, each whatever becomes of the others.
func stopAll(ctx context.Context, a *cli.App, names []string, grace time.Duration, asJSON bool) error {
	unheard := make(chan os.Signal, 1) // in the terminal that is stopped; what is ignored is inherited
	signal.Notify(unheard, syscall.SIGHUP, syscall.SIGTERM)
	defer signal.Stop(unheard)
	recording := a.Recording()
	stopped := []stoppedEntry{}
	var failed []error
	for _, name := range names {
		s, err := stopOne(ctx, &recording, name, grace)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		stopped = append(stopped, stoppedEntry{newEntry(s.Terminal), s.Already, s.Killed})
		if !asJSON {
			a.Sayf("%s", stoppedText(s))
		}
	}
	if asJSON {
		failed = append(failed, a.PrintJSON(stopped))
	}
	return errors.Join(failed...)
}

func stopOne(ctx context.Context, recording *holder.Recording, name string, grace time.Duration) (holder.Stopped, error) {
	t, err := recording.Known(name)
	if missing := (*holder.Missing)(nil); errors.As(err, &missing) {
		fault := &control.Fault{Message: err.Error(), Hint: "list them: ctxfs ps -a", Missing: true}
		if missing.Near != "" {
			fault.Hint = "did you mean: ctxfs stop " + missing.Near
		}
		return holder.Stopped{}, fault
	}
	if err != nil {
		return holder.Stopped{}, err
	}
	s, err := recording.Stop(ctx, t, grace)
	switch {
	case errors.Is(err, holder.ErrElsewhere):
		err = &control.Fault{Message: t.ID + " is a pane of tmux, which is only recorded", Hint: "end it there: tmux kill-pane -t " + wording.ShellWord(t.Pane[strings.LastIndexByte(t.Pane, ' ')+1:])}
	case err != nil:
		err = fmt.Errorf("%s: %w", t.ID, err)
	}
	return s, err
}

// stoppedText says what was stopped, on one line.
func stoppedText(s holder.Stopped) string {
	text := s.Terminal.ID + ": ended"
	if s.Already {
		text = s.Terminal.ID + ": had ended already"
	}
	if s.Terminal.Exit != nil {
		text += fmt.Sprintf(", exit %d", *s.Terminal.Exit)
	}
	if s.Killed > 0 {
		text += fmt.Sprintf("; processes that had to be killed: %d", s.Killed)
	}
	return text
}
