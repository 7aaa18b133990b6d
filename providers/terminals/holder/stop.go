package holder

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ctxfs/providers/internal/procs"
	"ctxfs/providers/terminals/record"
)

// Stopped is what Stop has done.
type Stopped struct {
	Terminal *record.Terminal // as it is now
	// Already reports whether nothing ran any more.
	Already bool
	// Ended counts the processes that have ended, Killed those of them that did not
	// within the grace.
	Ended, Killed int
}

// ErrElsewhere reports that a terminal is only recorded by us, and is not ours to end.
var ErrElsewhere = errors.New("the terminal belongs to another program")

// Stop ends a terminal that Known has returned: a shell as closing its window does, a
// command and all that it has started by SIGTERM, also what has left it for a session of
// its own. Whatever still runs after the grace is killed. What an ended command has left
// running is ended, too. It returns when nothing runs any more, and its recording is
// complete; the error says what cannot be ended.
func (r *Recording) Stop(ctx context.Context, t *record.Terminal, grace time.Duration) (s Stopped, err error) {
	s.Terminal = t
	if t.Source == record.Tmux && t.Running() {
		return s, ErrElsewhere
	}
	ending := procs.NewEnding(grace)
	ending.Spare = func(p procs.Process, late time.Duration) bool { return p.PID == t.Holder && late <= procs.EndTime/2 }
	for s.Already = true; ; s.Already = false {
		if now, err := record.LoadState(t.Dir); err == nil && now.Started.Equal(t.Started) {
			t = now
			s.Terminal = t
		}
		tree := treeOf(t)
		if len(tree) == 0 && !t.Running() {
			s.Ended, s.Killed = len(ending.Told), len(ending.Killed)
			return s, nil
		}
		late, err := ending.Round(tree, func() []procs.Process { return treeOf(t) })
		if late > procs.EndTime || late >= 0 && err != nil {
			return s, errors.Join(fmt.Errorf("still running: %s", pids(tree)), err)
		}
		select {
		case <-ctx.Done():
			return s, context.Cause(ctx)
		case <-time.After(ending.Pause()):
		}
	}
}

// treeOf returns the processes of a terminal that run. Its holder is one of them where
// that is what closes the terminal.
func treeOf(t *record.Terminal) []procs.Process {
	root := 0
	switch {
	case !t.Running():
	case t.Source == record.Term:
		root = t.Holder
	default:
		root = t.Pid
	}
	return procs.Now().Tree(root, MarkOf(t))
}

// MarkOf returns the entry in the environment of everything that a command has started,
// or "".
func MarkOf(t *record.Terminal) string {
	if t.Tree == "" {
		return ""
	}
	return TreeVariable + "=" + t.Tree
}

func pids(tree []procs.Process) (all string) {
	for _, p := range tree {
		all += fmt.Sprintf(" %d", p.PID)
	}
	return "process" + all
}
