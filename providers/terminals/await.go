package terminals

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"ctxfs/fs/await"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/linematch"
	"ctxfs/providers/terminals/holder"
	"ctxfs/providers/terminals/record"
)

var _ await.Awaiter = (*Provider)(nil)

const (
	// quiet is for how long nothing was printed when a terminal is idle, by default.
	quiet = 2 * time.Second
	// blind is how often it is looked whether a holder still runs, where nothing tells.
	blind = time.Second
)

// Awaits implements await.Awaiter.
func (p *Provider) Awaits() []await.Awaitable {
	a := await.Awaitable{Kind: "terminal", Name: "ID", Until: []string{"--for REGEX", "--exit", "--idle 2s"}}
	for _, t := range p.shown.Load().terminals {
		if t.Running() {
			a.Names = append(a.Names, t.ID)
		}
	}
	return []await.Awaitable{a}
}

// Await implements await.Awaiter. All that there is to know is in the files of the terminal.
func (p *Provider) Await(_ context.Context, c await.Condition) (await.Pending, error) {
	if c.Name == "" {
		return nil, &await.AwaitError{State: await.NoSense, What: "terminal: which one? give its id or name", Mend: "list them: ctxfs ps"}
	}
	w := &terminalWait{p: p, until: c.Until, quiet: c.Quiet}
	switch c.Until {
	case "--exit":
	case "--idle":
		if w.quiet <= 0 {
			w.quiet = quiet
		}
	case "--for":
		pattern, err := regexp.Compile(c.Pattern)
		if err != nil {
			return nil, &await.AwaitError{State: await.NoSense, What: "--for: " + err.Error()}
		}
		w.lines = linematch.Finder{Pattern: pattern}
	default:
		return nil, &await.AwaitError{State: await.NoSense, What: "what of terminal " + c.Name + "?", Mend: "give one of --for REGEX, --exit, --idle 2s"}
	}
	recording := holder.Recording{Dir: p.opts.State}
	t, err := recording.Known(c.Name)
	if missing := (*holder.Missing)(nil); errors.As(err, &missing) {
		e := &await.AwaitError{State: await.Unnamed, What: err.Error(), Mend: "list them: ctxfs ps -a"}
		if missing.Near != "" {
			e.Mend = "did you mean: terminal " + missing.Near
		}
		return nil, e
	}
	if err != nil {
		return nil, err
	}
	w.dir, w.id, w.started = t.Dir, t.ID, t.Started
	return w, nil
}

type terminalWait struct {
	p       *Provider
	until   string
	quiet   time.Duration
	dir, id string
	started time.Time // when it was opened: another one may get its ID

	lines   linematch.Finder
	command int  // the command whose output lines has read, by its number; 0 for the log since the wait began
	anyText bool // nothing is known of commands: what is new in the log counts
	from    record.Place
}

// Paths implements await.Pending.
func (w *terminalWait) Paths() []string { return []string{w.dir + "/"} }

// Check implements await.Pending.
func (w *terminalWait) Check(ctx context.Context) (await.Standing, error) {
	t, err := record.Load(w.dir)
	if errors.Is(err, os.ErrNotExist) || err == nil && !t.Started.Equal(w.started) {
		return w.standing(await.Never, "was deleted"), nil
	}
	if err != nil {
		return await.Standing{What: err.Error(), Again: time.Now().Add(blind)}, nil
	}
	s := await.Standing{}
	switch w.until {
	case "--exit":
		s = w.exit(t)
	case "--idle":
		s = w.idle(t)
	default:
		s, err = w.match(ctx, t)
	}
	if s.State == await.NotYet && !w.p.opts.Watch { // then nothing tells that a holder was killed
		if at := time.Now().Add(blind); s.Again.IsZero() || at.Before(s.Again) {
			s.Again = at
		}
	}
	return s, err
}

// standing says something of the terminal.
func (w *terminalWait) standing(state await.AwaitState, format string, args ...any) await.Standing {
	file := partName(w.id, 0)
	return await.Standing{
		State: state, What: "terminal " + w.id + " " + fmt.Sprintf(format, args...), Path: file, More: "ctxfs cat terminals/" + file,
	}
}

// exit waits for the end of the command that runs, if one does.
func (w *terminalWait) exit(t *record.Terminal) await.Standing {
	n := len(t.Records)
	switch {
	case t.Running() && t.CommandStarted != nil:
		return w.standing(await.NotYet, "runs %s", shortened(t.Command))
	case n > 0:
		r := &t.Records[n-1]
		s := w.standing(await.Met, "has ended %s, %s", shortened(r.Command), exit(r.Exit, r.Signal))
		s.Path = w.id + "/" + lastName
		s.More = "ctxfs cat terminals/" + s.Path
		return s
	case !t.Running():
		return w.standing(await.Met, "is closed: %s", state(t))
	case t.Source == record.Term:
		return w.standing(await.Met, "runs no command")
	}
	return w.standing(await.NotYet, "is open")
}

// idle waits until nothing is printed for a while, or the terminal is closed.
func (w *terminalWait) idle(t *record.Terminal) await.Standing {
	if !t.Running() {
		return w.standing(await.Met, "is closed: %s", state(t))
	}
	last := t.Started
	for _, p := range t.Parts {
		last = wording.Later(last, p.ModTime)
	}
	if info, err := os.Lstat(filepath.Join(t.Dir, record.ScreenFile)); err == nil {
		last = wording.Later(last, info.ModTime())
	}
	due := last.Add(w.quiet)
	if left := time.Until(due); left > 0 && left <= w.quiet {
		s := w.standing(await.NotYet, "prints")
		s.Again = due
		return s
	}
	return w.standing(await.Met, "has printed nothing since %s", wording.Time(last))
}

// match waits for a line of output: of the command that runs or else of the last one. A
// prompt, a command line as the shell echoes it, and headers are no output. Where the shell
// does not report its commands, what the log gets from now on is output.
func (w *terminalWait) match(ctx context.Context, t *record.Terminal) (await.Standing, error) {
	output, number, err := w.output(t)
	if err == nil {
		if number != w.command {
			w.command = number
			w.lines.Reset()
		}
		m, err := w.lines.Next(output, output.Size(), ctx.Err)
		if err != nil && ctx.Err() != nil {
			return await.Standing{}, err
		}
		if m != nil {
			return w.found(m, t), nil
		}
	}
	if t.Running() && t.Source == record.Run { // a line without its end, such as a question, is on the screen only
		if m := w.onScreen(t); m != nil {
			return w.found(m, t), nil
		}
	}
	if !t.Running() {
		return w.standing(await.Never, "is closed and has not printed that: %s", state(t)), nil
	}
	if t.Command != "" {
		return w.standing(await.NotYet, "runs %s", shortened(t.Command)), nil
	}
	return w.standing(await.NotYet, "runs no command"), nil
}

// output returns the text in which is looked, and the number of the command that printed
// it.
func (w *terminalWait) output(t *record.Terminal) (*record.Output, int, error) {
	if t.CommandAt != nil && t.Running() {
		o, err := t.Current()
		return o, t.Commands, err
	}
	if n := len(t.Records); n > 0 && !w.anyText {
		o, err := t.Output(t.Records[n-1])
		return o, t.Records[n-1].N, err
	}
	if len(t.Parts) == 0 || marks(t) {
		return nil, 0, os.ErrNotExist
	}
	if !w.anyText {
		w.anyText = true
		last := t.Parts[len(t.Parts)-1]
		w.from = record.Place{Part: last.Number, Byte: max(last.Size, t.HeaderLen), Line: 1}
		if t.Source == record.Term && len(t.Argv) > 1 { // all that a command shows is its output
			w.from = record.Place{Part: t.Parts[0].Number, Byte: t.HeaderLen, Line: 1}
		}
	}
	o, err := t.Since(w.from)
	return o, 0, err
}

// marks reports whether the program in a terminal is a shell that reports its commands.
func marks(t *record.Terminal) bool {
	return t.Source == record.Term && len(t.Argv) == 1 && slices.Contains([]string{"bash", "zsh", "fish"}, filepath.Base(t.Argv[0]))
}

// found describes a line that matches.
func (w *terminalWait) found(m *linematch.Match, t *record.Terminal) await.Standing {
	s := w.standing(await.Met, "has printed: %s", linematch.Shown(strings.TrimSpace(m.Text)))
	if !t.Running() || t.CommandAt == nil && len(t.Records) > 0 {
		s.Path = w.id + "/" + lastName
		s.More = "ctxfs cat terminals/" + s.Path
	}
	return s
}

// onScreen returns the line on the screen that matches, or nil.
func (w *terminalWait) onScreen(t *record.Terminal) *linematch.Match {
	text, err := os.ReadFile(filepath.Join(t.Dir, record.ScreenFile))
	if err != nil || len(text) > maxScreen {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimRight(clean.Text(line), "\n"); line != "" && w.lines.Pattern.MatchString(line) {
			return &linematch.Match{Text: line}
		}
	}
	return nil
}
