package record

import (
	"fmt"
	"strconv"

	"ctxfs/providers/internal/clean"
)

// A header has HeaderLen bytes and HeaderLines lines, whatever is in it.
const (
	HeaderLen   = 1024
	HeaderLines = 8
)

// How much of a text a header shows. All of it is in meta.json.
const (
	headerCwd     = 480
	headerCommand = 200
)

// stampForm is how a header writes a time.
const stampForm = "2006-01-02T15:04:05Z"

// header is the header as things are now.
func (m *Meta) header() []byte {
	exit := ""
	if m.LastExit != nil {
		exit = strconv.Itoa(*m.LastExit)
	}
	text := fmt.Appendf(nil, "---\npid: %d\ncwd: %s\nlast_command: %s\nlast_exit_code: %s\n", m.Pid,
		end(clean.Line(m.Cwd), headerCwd), clean.Cut(clean.Line(m.LastCommand), headerCommand), exit)
	if m.CommandStarted != nil {
		text = fmt.Appendf(text, "command: %s\nstarted_at: %s",
			clean.Cut(clean.Line(m.Command), headerCommand), m.CommandStarted.Format(stampForm))
	} else {
		text = append(text, '\n')
	}
	const closing = "\n---\n"
	for len(text) < HeaderLen-len(closing) {
		text = append(text, ' ')
	}
	return append(text, closing...)
}

// end is the end of a path, as that tells more.
func end(path string, limit int) string {
	const ellipsis = "…"
	if len(path) <= limit {
		return path
	}
	return ellipsis + clean.Text(path[len(path)-limit+len(ellipsis):])
}
