package record

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"ctxfs/providers/internal/clean"
)

// A header has HeaderLen bytes and HeaderLines lines, whatever is in it.
const (
	HeaderLen   = 224
	HeaderLines = 6
)

// stampForm is the format of times in headers.
const stampForm = "2006-01-02T15:04:05Z"

// rule begins and ends a header without a fixed length.
const rule = "---"

// header returns the current header. The lines of dashes around it fill the rest of
// its room: blanks would be hard to see, and a model would have to read hundreds of
// them.
func (m *Meta) header() []byte {
	label, command, last := "last_command: ", m.LastCommand, "last_exit_code: "
	if m.LastExit != nil {
		last += strconv.Itoa(*m.LastExit)
	}
	if m.CommandStarted != nil {
		label, command, last = "command: ", m.Command, "started_at: "+m.CommandStarted.Format(stampForm)
	}
	const form = "pid: %d\ncwd: %s\n%s%s\n%s\n"
	room := HeaderLen - 2*len(rule+"\n") - len(fmt.Sprintf(form, m.Pid, "", label, "", last))
	// All of both is in meta.json.
	cwd, command := clean.Line(m.Cwd), clean.Line(command)
	cwd = end(cwd, max(room/2, room-len(command)))
	text := fmt.Sprintf(form, m.Pid, cwd, label, clean.Cut(command, room-len(cwd)), last)
	dashes := HeaderLen - len(text) - len("\n\n")
	return fmt.Appendf(nil, "%s\n%s%s\n", strings.Repeat("-", dashes/2), text, strings.Repeat("-", dashes-dashes/2))
}

// end returns the last bytes of a path, at most limit: they say more than its
// beginning.
func end(path string, limit int) string {
	const ellipsis = "…"
	if len(path) <= limit {
		return path
	}
	path = path[len(path)-limit+len(ellipsis):]
	for len(path) > 0 && !utf8.RuneStart(path[0]) {
		path = path[1:]
	}
	return ellipsis + path
}

// maxShown is how many bytes of a command are shown above its output.
const maxShown = 4 << 10

// Header returns the header of a command's output where that is shown in a file of
// its own: the command on one line, and how and when it ended.
func (r *Record) Header() []byte {
	text := fmt.Appendf(nil, "%s\ncommand: %s\ncwd: %s\n", rule, clean.Cut(clean.Line(r.Command), maxShown), clean.Line(r.Cwd))
	exit := "not known"
	if r.Exit != nil {
		exit = strconv.Itoa(*r.Exit)
	}
	text = fmt.Appendf(text, "exit_code: %s\n", exit)
	if r.Signal != nil {
		text = fmt.Appendf(text, "signal: %s\n", clean.Line(*r.Signal))
	}
	return fmt.Appendf(text, "started_at: %s\nended_at: %s\n%s\n", r.Start.UTC().Format(stampForm), r.End.UTC().Format(stampForm), rule)
}
