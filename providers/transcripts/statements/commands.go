package statements

import (
	"fmt"
	"slices"
	"strings"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/regexps"
	"ctxfs/providers/transcripts/render"
)

const (
	// soon is within how many commands after one that failed another counts as what
	// was done instead.
	soon = 3
	// mostLine is the length of the longest command that is shown.
	mostLine = 120
)

// call is a command that an agent ran.
type call struct{ line, anchor string }

// failure is a command that could not be run as it was written, and how many commands
// may still take its place.
type failure struct {
	call
	why  string
	left int
}

var (
	shell   = regexps.Lazy(`(?i)bash|shell|exec|terminal|run_?command|^run$`)
	command = regexps.Lazy(`(?m)^"?(?:command|cmd)"?: ?(.+)$`)
	// unusable matches what says that a command cannot be run as it was written. That
	// the work itself failed is no lesson: it was done again, and better.
	unusable = regexps.Lazy(`(?m)^.*(?:command not found|: not found$|No module named |[Uu]nknown (?:flag|option|command|shorthand|argument)|[Uu]nrecognized (?:option|argument)|[Ii]nvalid option|illegal option|[Nn]o such option|[Mm]issing script).*$`)
)

func (r *reader) called(b render.Block) {
	if b.Call == "" || !shell().MatchString(b.Name) {
		return
	}
	if m := command().FindStringSubmatch(b.Body); m != nil && len(m[1]) <= mostLine {
		r.calls[b.Call] = call{clean.Line(m[1]), b.Anchor}
	}
}

// ended takes the result of a command.
func (r *reader) ended(b render.Block) {
	c, ok := r.calls[b.Call]
	if !ok {
		return
	}
	delete(r.calls, b.Call)
	why := ""
	if m := unusable().FindString(b.Body); m != "" && b.Error {
		why = clean.Cut(clean.Line(m), mostLine)
	}
	if !b.Error {
		for i, f := range r.failed {
			if instead(f.line, c.line) {
				text := fmt.Sprintf("`%s` fails (%s), `%s` works", f.line, f.why, c.line)
				if _, ok := statable(text); ok {
					r.take(fs.Statement{Kind: fs.Lesson, Text: text, ByAgent: true, Anchor: b.Anchor, Time: b.Time})
				}
				r.failed = slices.Delete(r.failed, i, i+1)
				break
			}
		}
	}
	for i := range r.failed {
		r.failed[i].left--
	}
	r.failed = slices.DeleteFunc(r.failed, func(f failure) bool { return f.left <= 0 })
	if why != "" {
		r.failed = append(r.failed, failure{c, why, soon})
	}
}

// instead reports whether a command does what another was to do: at least half of the
// words are the same, and no more than a few are others.
func instead(failed, worked string) bool {
	a, b := strings.Fields(failed), strings.Fields(worked)
	if failed == worked || len(a) < 2 || len(b) < 2 {
		return false
	}
	same := 0
	for _, word := range a {
		if slices.Contains(b, word) {
			same++
		}
	}
	return same*2 >= len(a) && len(b)-same <= 3
}
