package render

import (
	"cmp"
	"strings"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/excerpt"
	"ctxfs/providers/transcripts/event"
)

// addFailure records a call's error.
func (f *failures) addFailure(st *step, e *event.Event) {
	if len(f.List) == maxFailures {
		f.List = append(f.List[:0], f.List[1:]...)
		f.Left++
	}
	f.List = append(f.List, failure{Seq: e.Seq, Tool: st.Tool, What: st.What, Error: errorLine(e.Result.Text)})
}

// addSuccess records a call without an error after others of its tool had failed.
// Output that reports a failure is not a success: what follows a command in a pipe
// hides its exit code.
func (f *failures) addSuccess(st *step, output string) {
	if reportsFailure(output) {
		return
	}
	for i := range f.List {
		one := &f.List[i]
		if one.Fixed == 0 && one.Seq < st.Seq && one.Tool == st.Tool && isRetry(one, st) {
			one.Fixed = st.Seq
			if st.What != one.What {
				one.How = st.What
			}
		}
	}
}

// isRetry reports whether a call may be another try of one that failed: it has the
// same file or begins with the same program.
func isRetry(f *failure, st *step) bool {
	return f.What == "" || f.What == st.What || programOf(f.What) == programOf(st.What)
}

// reportsFailure reports whether a line of the output of a call without an error begins
// with words that say that something failed; tests that pass may have them further on.
func reportsFailure(output string) bool {
	for line := range strings.Lines(output) {
		for _, word := range []string{"FAIL", "--- FAIL", "panic:", "Traceback (most recent", "error:", "error[", "Error:", "ERROR", "npm ERR!", "npm error", "make: ***", "not ok "} {
			if strings.HasPrefix(line, word) {
				return true
			}
		}
	}
	return false
}

// errorLine returns the lines of an error that say most.
func errorLine(text string) string {
	const limit = 220
	text = clean.Text(clean.Prefix(text, 16<<10))
	if strings.HasPrefix(text, "The user doesn't want to proceed with this tool use.") {
		_, why, _ := strings.Cut(text, "the user said:")
		return clean.Cut(clean.Line("the user refused it. "+why), limit)
	}
	text = strings.TrimPrefix(text, "<tool_use_error>")
	text = strings.TrimSuffix(strings.TrimSpace(text), "</tool_use_error>")
	var first, telling string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if first == "" {
			first = line
			continue
		}
		if excerpt.ReportsError(line) {
			telling = line
			break
		}
		telling = cmp.Or(telling, line)
	}
	if telling != "" {
		first += " / " + telling
	}
	return clean.Cut(clean.Line(first), limit)
}
