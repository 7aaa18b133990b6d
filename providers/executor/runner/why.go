package runner

import (
	"os"
	"strings"

	"ctxfs/providers/executor/request"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/excerpt"
	"ctxfs/providers/internal/mask"
	"ctxfs/providers/internal/regexps"
)

// loggedOut is what agents print when no user is logged in, or the key is refused.
var loggedOut = regexps.Lazy(`(?i)\b(log(ged)?[ -]?in|login|sign(ed)? in|api[ _-]?key|auth(entication|enticate|orization|orized)?|unauthorized|credentials?|401)\b`)

// tellWhy adds to the result of a run that has not succeeded what the agent has shown, and
// what to do about it. Said is why the agent itself says that it failed.
func (r *run) tellWhy(said string) {
	if r.result.Ended != request.Failure && r.result.Ended != request.Timeout {
		return
	}
	last := said
	if last == "" {
		if last = lastShown(r.result.TerminalLog); last != "" {
			r.result.Error += "; it has shown: " + last
		}
	}
	switch {
	case loggedOut().MatchString(last):
		r.result.Fix = "log in: run " + r.program.Name() + " once in a terminal"
	case r.result.Fix == "" && r.result.TerminalLog != "":
		r.result.Fix = request.SeeLog(r.result.TerminalLog)
	}
}

// How much is looked at of the end of a log, and told of it, in bytes and lines.
const (
	shownEnd   = 8 << 10
	shownLines = 20
	shownCause = 300
)

// lastShown returns what of the end of a terminal's log says why its program has failed; ""
// if it has shown nothing.
func lastShown(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	end := make([]byte, min(info.Size(), shownEnd))
	n, _ := f.ReadAt(end, info.Size()-int64(len(end)))
	lines := strings.Split(string(end[:n]), "\n")
	if info.Size() == int64(n) {
		lines = lines[headerLines(lines):]
	}
	text := strings.Join(lines[max(len(lines)-shownLines, 0):], "\n")
	return clean.Cut(clean.Line(mask.Text(excerpt.Cause(text))), shownCause)
}

// headerLines returns how many lines the header of a log has, which is between two lines of
// hyphens.
func headerLines(lines []string) int {
	hyphens := func(line string) bool { return line != "" && strings.Trim(line, "-") == "" }
	if !hyphens(lines[0]) {
		return 0
	}
	for i, line := range lines[1:] {
		if hyphens(line) {
			return i + 2
		}
	}
	return 0
}
