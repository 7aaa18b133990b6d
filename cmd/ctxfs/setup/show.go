package setup

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"ctxfs/cmd/ctxfs/console"
	"ctxfs/fs/wording"
	"ctxfs/providers/setup"
)

// keyboard is a person who can be asked.
type keyboard struct {
	in  *bufio.Reader
	out io.Writer
}

// person returns the user to ask, or nil if the command asks no questions.
func (r *run) person() *keyboard {
	if r.yes || r.dryRun || r.asJSON || !r.app.AtTerminal() {
		return nil
	}
	return &keyboard{bufio.NewReader(r.app.In), r.app.Out}
}

// answer asks a question and returns the first letter of the answer; "" is that of the end
// of the input, too.
func (k *keyboard) answer(question string) string {
	fmt.Fprint(k.out, question)
	line, err := k.in.ReadString('\n')
	if err != nil {
		fmt.Fprintln(k.out)
	}
	line = strings.ToLower(strings.TrimSpace(line))
	return line[:min(1, len(line))]
}

func (k *keyboard) agrees(question string) bool { return k.answer(question) == "y" }

// ask asks what of a plan is to be done, and returns the targets; none if nothing is.
func (r *run) ask(k *keyboard, p setup.Plan) (ids []string) {
	var targets []string
	for _, f := range p.Files {
		for _, id := range f.Targets {
			if f.Err == nil && f.Does != "" && !slices.Contains(targets, id) {
				targets = append(targets, id)
			}
		}
	}
	question := "\nwrite " + wording.Count(writes(p), "files") + "?"
	choices := " y: yes, n: no, a: ask for each agent [y/N/a] "
	if len(targets) == 1 {
		choices = " [y/N] "
	}
	switch answer := k.answer(question + choices); {
	case answer == "y":
		return targets
	case answer == "a" && len(targets) > 1:
		for _, id := range targets {
			if k.agrees(r.title(id) + "? [y/N] ") {
				ids = append(ids, id)
			}
		}
	}
	if len(ids) == 0 {
		r.app.Sayf("nothing was written")
	}
	return ids
}

// title returns how people write the name of a target.
func (r *run) title(id string) string {
	for _, t := range r.home.Targets {
		if t.ID == id {
			return t.Title
		}
	}
	if kind, of, ok := strings.Cut(id, ":"); ok { // a shell, or what another command has changed
		return kind + " (" + r.title(of) + ")"
	}
	return id
}

func (r *run) titles(ids []string) string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = r.title(id)
	}
	return strings.Join(names, ", ")
}

// showFound lists what is installed.
func (r *run) showFound() {
	var missing []string
	for _, f := range r.found {
		switch {
		case f.ID == "service":
		case f.Where == "":
			missing = append(missing, f.Title)
		default:
			state := ""
			if f.Set {
				state = ", set up before"
			}
			r.app.Sayf("%s (%s%s)", f.Title, r.app.Tilde(f.Where), state)
		}
	}
	if len(missing) > 0 {
		r.app.Sayf("not installed: %s", strings.Join(missing, ", "))
	}
	r.app.Sayf("only by name: shell (record terminals), service (mount at login)")
}

// showPlan prints the difference of each file.
func (r *run) showPlan(p setup.Plan) {
	for _, f := range p.Files {
		if f.Err != nil || f.Does == "" {
			continue
		}
		r.app.Sayf("\n%s %s for %s%s", f.Does, r.app.Tilde(f.Path), r.titles(f.Targets), r.linked(f))
		for _, why := range f.Why {
			r.app.Sayf("  %s", why)
		}
		fmt.Fprint(r.app.Out, r.coloured(f.Diff))
	}
	if r.dryRun || r.person() == nil { // the report says these
		return
	}
	r.showRest(p)
}

// showRest prints what cannot be done, and what remains to be done by hand.
func (r *run) showRest(p setup.Plan) {
	for _, f := range p.Files {
		if f.Err != nil {
			r.app.Notef("%s%s stays as it is: %v", r.app.Tilde(f.Path), r.linked(f), f.Err)
		}
	}
	for _, n := range p.Notes {
		r.app.Notef("%s: %s", r.title(n.Target), n.Text)
	}
}

func (r *run) linked(f setup.File) string {
	if f.Link == "" {
		return ""
	}
	return " (a link to " + r.app.Tilde(f.Link) + ")"
}

// coloured colours a difference on a terminal, unless NO_COLOR is set (no-color.org). Bytes
// that a terminal would obey are shown, not sent.
func (r *run) coloured(diff string) string {
	plain, _ := r.app.LookupEnv("NO_COLOR")
	colours := console.IsTerminal(r.app.Out) && plain == ""
	var out strings.Builder
	for line := range strings.Lines(diff) {
		line = strings.TrimRight(line, "\r\n")
		if console.IsTerminal(r.app.Out) {
			line = strings.Map(func(c rune) rune {
				if c < ' ' && c != '\t' || c == 0x7f || c >= 0x80 && c < 0xa0 {
					return '�'
				}
				return c
			}, line)
		}
		colour := ""
		switch {
		case strings.HasPrefix(line, "---"), strings.HasPrefix(line, "+++"):
			colour = "1"
		case strings.HasPrefix(line, "+"):
			colour = "32"
		case strings.HasPrefix(line, "-"):
			colour = "31"
		case strings.HasPrefix(line, "@@"):
			colour = "36"
		}
		if colours && colour != "" {
			line = "\x1b[" + colour + "m" + line + "\x1b[0m"
		}
		out.WriteString(line + "\n")
	}
	return out.String()
}

// report says what was written, and what to do next.
func (r *run) report(ctx context.Context, p setup.Plan, written []string) {
	done := map[string]string{"make": "made", "change": "changed", "remove": "removed"}
	var targets []string
	for _, f := range p.Files {
		if slices.Contains(written, f.Path) {
			r.app.Sayf("%s %s for %s%s", done[f.Does], r.app.Tilde(f.Path), r.titles(f.Targets), r.linked(f))
			for _, id := range f.Targets {
				if name, _, _ := strings.Cut(id, ":"); !slices.Contains(targets, name) {
					targets = append(targets, name)
				}
			}
		}
	}
	r.showRest(p)
	switch {
	case r.dryRun:
		if writes(p) == 0 {
			r.app.Sayf("nothing would be changed")
		}
		return
	case len(written) == 0 && r.undo:
		r.app.Sayf("there is nothing to undo")
		return
	case len(written) == 0:
		if p.Failed() == nil {
			r.app.Sayf("nothing to change")
		}
		return
	case r.undo:
		return
	}
	if info, err := r.app.ServerInfo(ctx); err != nil || info.Pid == 0 {
		r.app.Sayf("next: ctxfs mount")
	}
	if slices.ContainsFunc(targets, func(id string) bool { return id != "shell" && id != "service" }) {
		r.app.Sayf("sessions of agents that start from now on know of ctxfs")
	}
	if slices.Contains(targets, "shell") {
		r.app.Sayf("new terminals are recorded; list them: ctxfs ps")
	}
	undo := "ctxfs setup --undo "
	if r.project {
		undo += "--project " // not the user's own setup
	}
	r.app.Sayf("undo: %s%s", undo, strings.Join(targets, " "))
}

// fileReport is a file in the JSON of a run.
type fileReport struct {
	setup.File
	Written bool   `json:"written"`
	Error   string `json:"error,omitempty"`
}

func (r *run) printJSON(p setup.Plan, written []string) error {
	report := struct {
		Found []setup.Found `json:"found"`
		Files []fileReport  `json:"files"`
		Notes []setup.Note  `json:"notes"`
	}{r.found, []fileReport{}, p.Notes}
	for _, f := range p.Files {
		one := fileReport{File: f, Written: slices.Contains(written, f.Path)}
		if f.Err != nil {
			one.Error = f.Err.Error()
		}
		report.Files = append(report.Files, one)
	}
	return r.app.PrintJSON(report)
}
