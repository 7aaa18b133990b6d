package render

import (
	"strings"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/transcripts/event"
)

// failed takes note of a call's error.
func (f *failures) failed(st *step, e *event.Event) {
	if len(f.List) == maxFailures {
		f.List = append(f.List[:0], f.List[1:]...)
		f.Left++
	}
	f.List = append(f.List, failure{Seq: e.Seq, Tool: st.Tool, What: st.What, Error: errorLine(e.Result.Text)})
}

// worked takes note of a call without an error after others of its tool had
// failed. Output that tells of a failure is none of success: what follows a
// command in a pipe hides its exit code.
func (f *failures) worked(st *step, output string) {
	if tellsFailure(output) {
		return
	}
	for i := range f.List {
		one := &f.List[i]
		if one.Fixed == 0 && one.Seq < st.Seq && one.Tool == st.Tool && related(one, st) {
			one.Fixed = st.Seq
			if st.What != one.What {
				one.How = st.What
			}
		}
	}
}

// related tells whether a call may be another try of one that failed: it has
// the same file or begins with the same program.
func related(f *failure, st *step) bool {
	if f.What == "" || f.What == st.What {
		return true
	}
	return programOf(f.What) == programOf(st.What)
}

// tellsFailure tells whether the output of a call without an error tells of one.
func tellsFailure(output string) bool {
	for _, word := range []string{"FAIL", "panic:", "Traceback (most recent", "error:", "Error:", "ERROR"} {
		if strings.Contains(output, word) {
			return true
		}
	}
	return false
}

// errorLine is what an error says: of its lines those that tell most.
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
		if tellsError(line) {
			telling = line
			break
		}
		if telling == "" {
			telling = line
		}
	}
	if telling != "" {
		first += " / " + telling
	}
	return clean.Cut(clean.Line(first), limit)
}

// tellsError tells whether a line of output looks like the cause of a failure.
func tellsError(line string) bool {
	for _, word := range []string{"error", "Error", "ERROR", "FAIL", "fatal", "panic:", "undefined", "not found", "No such", "cannot", "denied"} {
		if strings.Contains(line, word) {
			return true
		}
	}
	return false
}
