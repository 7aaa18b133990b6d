package exec

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/exec/command"
	"ctxfs/providers/exec/pattern"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/excerpt"
)

// run runs the command for a path when it is its turn; nil if the provider is closed.
func (f *folder) run(name string, r *rule, values pattern.Values) (*output, []byte) {
	outcome, ok := f.command(f.ctx, pattern.Fill(r.command, values))
	if !ok {
		return nil, nil
	}
	o := &output{Path: name, Ran: f.p.opts.Env.Now(), Made: f.made(r), Failed: f.fault(r.command[0], outcome)}
	if o.Failed == "" && clean.Binary(outcome.Stdout) {
		o.Failed = fmt.Sprintf("%s printed %s that are no text; have it print text, as base64 does", r.command[0], wording.Size(int64(len(outcome.Stdout))))
		outcome.Stdout = nil
	}
	text := outcome.Stdout
	if o.Failed != "" {
		text = outcome.Stderr
		if errors.Is(outcome.Err, command.ErrTooLarge) || len(text) == 0 {
			text = excerpt.Of(outcome.Stdout, command.MaxErrors, "")
		}
	}
	return o, f.clean(text)
}

// clean makes an output fit to be shown.
func (f *folder) clean(text []byte) []byte {
	if !clean.Safe(text) {
		text = []byte(clean.Text(string(text)))
	}
	return f.known.Masker().Mask(text)
}

// command runs a command when it is its turn; ok is false if the context has ended. It is
// the folder's, or ends with that.
func (f *folder) command(ctx context.Context, argv []string) (o command.Outcome, ok bool) {
	select {
	case f.slots <- struct{}{}:
		defer func() { <-f.slots }()
	case <-ctx.Done():
		return o, false
	}
	environ := command.Environ(f.p.opts.Environ(), f.env)
	switch program, err := f.program(argv[0], environ); {
	case f.p.opts.Program == "":
		o = command.Outcome{Exit: -1, Err: errors.New("the path of ctxfs is not known")}
	case err != nil:
		o = command.Outcome{Exit: -1, Err: err}
	case f.p.opts.Hide != nil && f.p.opts.Hide(f.dir):
		o = command.Outcome{Exit: -1, Err: fmt.Errorf("its folder %s is in a mount of ctxfs", f.dir)}
	default:
		o = command.Run(ctx, command.Spec{
			Argv: append([]string{program}, argv[1:]...), Dir: f.dir, Env: environ,
			Timeout: f.timeout, MaxSize: f.maxSize, Program: f.p.opts.Program,
		})
	}
	return o, ctx.Err() == nil
}

// program returns the path of a program: one with a slash is relative to the folder in
// which commands run, any other one is looked up in PATH.
func (f *folder) program(name string, environ []string) (string, error) {
	if info, err := os.Stat(f.dir); err != nil || !info.IsDir() {
		return "", fmt.Errorf("the folder %s, in which it runs, does not exist", f.dir)
	}
	name = wording.ExpandTilde(name, f.p.opts.Home)
	if strings.Contains(name, "/") {
		if !filepath.IsAbs(name) {
			name = filepath.Join(f.dir, name)
		}
		return osexec.LookPath(name)
	}
	for _, entry := range environ {
		list, ok := strings.CutPrefix(entry, "PATH=")
		for _, dir := range filepath.SplitList(list) {
			if !ok || !filepath.IsAbs(dir) {
				continue
			}
			if found, err := osexec.LookPath(filepath.Join(dir, name)); err == nil {
				return found, nil
			}
		}
	}
	return "", fmt.Errorf("no program in PATH is called %s", name)
}

// fault says on one line how a command has failed; "" if it has not.
func (f *folder) fault(program string, o command.Outcome) string {
	cause := clean.Cut(clean.Line(string(f.clean(o.Stderr))), 200)
	if of := excerpt.Cause(string(f.clean(o.Stderr))); of != "" {
		cause = clean.Cut(clean.Line(of), 200)
	}
	switch {
	case errors.Is(o.Err, command.ErrTimeout):
		return fmt.Sprintf("%s had not ended after %s, and was ended; give it more: timeout in [exec.%s]", program, duration(f.timeout), f.name)
	case errors.Is(o.Err, command.ErrTooLarge):
		return fmt.Sprintf("%s printed more than %s, and was ended; allow more: max_size in [exec.%s]", program, wording.Size(f.maxSize), f.name)
	case errors.Is(o.Err, command.ErrLost):
		return fmt.Sprintf("%s was ended, since the process of ctxfs that keeps it was killed", program)
	case o.Err != nil:
		return fmt.Sprintf("%s could not be started: %s", program, clean.Line(fs.Cause(o.Err)))
	case o.Exit != 0 && cause != "":
		return fmt.Sprintf("%s exited with %d: %s", program, o.Exit, cause)
	case o.Exit != 0:
		return fmt.Sprintf("%s exited with %d", program, o.Exit)
	}
	return ""
}

// failure returns the body of the file of a failed command: JSON where JSON is expected.
func (f *folder) failure(o *output, said []byte) []byte {
	good := ""
	if o.Good != nil {
		good = path.Base(o.Path) + goodSuffix
	}
	if ext := path.Ext(o.Path); ext == ".json" || ext == ".jsonl" {
		text, err := json.Marshal(failed{o.Failed, o.Ran, string(said), good})
		if err == nil {
			return append(text, '\n')
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "ctxfs: %s\nat: %s\n", o.Failed, wording.Time(o.Ran))
	if good != "" {
		fmt.Fprintf(&b, "the last good output, of %s, is beside it: %s\n", wording.Time(o.Good.At), good)
	}
	if len(said) > 0 {
		fmt.Fprintf(&b, "it said:\n\n%s\n", strings.TrimRight(string(said), "\n"))
	}
	return []byte(b.String())
}

// failed is the body of a JSON file whose command has failed.
type failed struct {
	Error    string    `json:"error"`
	At       time.Time `json:"at"`
	Said     string    `json:"said,omitempty"`
	LastGood string    `json:"last_good,omitempty"`
}
