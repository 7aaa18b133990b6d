package grid

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"ctxfs/providers/internal/clean"
)

// Kind is the kind of event that a mark reports.
type Kind int

// The first five kinds were authenticated by the nonce, the others were not.
const (
	PromptStart Kind = iota + 1 // the shell begins to print its prompt (133;A)
	InputStart                  // the user's input begins (B)
	OutputStart                 // a command begins, and with it its output (C)
	CommandEnd                  // it has ended (D)
	CommandLine                 // the text of the next command (633;E)
	Folder                      // some program reported the current folder (OSC 7)
	Title                       // some program set the title
	FullScreen                  // a full-screen program took the screen: FullScreenLine follows
)

// Mark is an event with its place in the log. All text in it is clean.
type Mark struct {
	Kind Kind
	// Offset is the number of bytes of the log before the mark, and Lines that of
	// the line feeds in them, both since the grid was created. PromptStart,
	// OutputStart, CommandEnd and FullScreen lie at the beginning of a line: the
	// output of a command is exactly what lies between its OutputStart and the
	// CommandEnd. The others lie at the end of the log when they arrived.
	Offset, Lines int64
	// At is when the bytes of the mark were written to the grid.
	At time.Time
	// Exit is the exit code of a CommandEnd, or -1.
	Exit int
	// Command is the command's text in an OutputStart or CommandLine.
	Command string
	// Folder is the current folder, if reported.
	Folder string
	// Host is the machine that a Folder is on, if reported.
	Host string
	// Title is the text of a Title.
	Title string
	// Parameters are the other parameters of the mark ("history=5"), without
	// the nonce.
	Parameters map[string]string
	// Truncated reports whether the mark was longer than 8 KiB, and is cut.
	Truncated bool
}

// mark adds a mark at the end of the log. Of consecutive titles and folders
// only the last of each is kept, so that a flood of them takes no memory.
func (g *Grid) mark(m Mark) {
	l := &g.log
	m.Offset, m.Lines, m.At = l.offset(), l.lines, g.epoch.Add(g.clock)
	for i := len(l.marks) - 1; i >= 0; i-- {
		switch old := &l.marks[i]; {
		case old.Kind == m.Kind && (m.Kind == Folder || m.Kind == Title):
			l.marks = append(append(l.marks[:i], l.marks[i+1:]...), m)
			return
		case old.Kind != Folder && old.Kind != Title:
			i = 0
		}
	}
	l.marks = append(l.marks, m)
}

// command processes an operating system command (OSC).
func (g *Grid) command(payload []byte, truncated bool) {
	code, arguments, _ := bytes.Cut(payload, []byte(";"))
	switch string(code) {
	case "0", "2":
		g.mark(Mark{Kind: Title, Title: oneLine(string(arguments)), Truncated: truncated})
	case "7":
		if host, folder, ok := location(string(arguments)); ok && !truncated {
			g.mark(Mark{Kind: Folder, Host: host, Folder: folder})
		}
	case "1337":
		if folder, ok := bytes.CutPrefix(arguments, []byte("CurrentDir=")); ok && !truncated {
			g.mark(Mark{Kind: Folder, Folder: oneLine(string(folder))})
		}
	case "133", "633":
		if m, ok := g.integration(string(arguments)); ok {
			m.Truncated = truncated
			g.integrated(m)
		}
	}
}

// integration parses a mark of the shell integration, and reports whether it is
// authentic.
func (g *Grid) integration(text string) (m Mark, ok bool) {
	kind, rest, _ := strings.Cut(text, ";")
	fields := strings.Split(rest, ";")
	switch kind {
	case "A":
		m.Kind = PromptStart
	case "B":
		m.Kind = InputStart
	case "C":
		m.Kind = OutputStart
	case "D":
		m.Kind, m.Exit = CommandEnd, -1
		if exit, err := strconv.Atoi(fields[0]); err == nil {
			m.Exit = exit
		}
	case "E":
		m.Kind = CommandLine
		m.Command = clean.Text(unescape(fields[0]))
		return m, len(fields) > 1 && g.authentic(fields[1])
	default:
		return m, false
	}
	for _, field := range fields {
		key, value, _ := strings.Cut(field, "=")
		switch key {
		case "ctx":
			ok = g.authentic(value)
		case "cmdline_url":
			m.Command = clean.Text(percent(value))
		case "cwd":
			m.Folder = oneLine(percent(value))
		default:
			if value == "" {
				continue
			}
			if m.Parameters == nil {
				m.Parameters = make(map[string]string)
			}
			m.Parameters[oneLine(key)] = oneLine(percent(value))
		}
	}
	return m, ok
}

// authentic reports whether a nonce is ours.
func (g *Grid) authentic(nonce string) bool { return g.nonce != "" && nonce == g.nonce }

// integrated processes an authentic mark: what comes before it becomes final. A
// mark that repeats at the same place was printed by two integrations.
func (g *Grid) integrated(m Mark) {
	l := &g.log
	if !g.logs() {
		g.adopt()
	}
	switch m.Kind {
	case PromptStart:
		g.trimLineEndMark()
		if s := g.on; s.x == 0 {
			s.row(s.y).wrapped = false
		}
		g.flush(false)
		l.end()
		l.prompt = true
	case OutputStart:
		g.flush(true)
		l.end()
		l.prompt, l.moved = false, false
	case CommandEnd:
		g.trimLineEndMark()
		g.flush(true)
		l.end()
	}
	if n := len(l.marks); n > 0 {
		if last := &l.marks[n-1]; last.Kind == m.Kind && last.Offset == l.offset() && last.Exit == m.Exit && last.Command == m.Command {
			return
		}
	}
	g.mark(m)
}

// trimLineEndMark removes what a shell, not the command, prints after output
// without a final line feed: zsh a '%' ('#' for root) and then blanks into the next
// row, fish a '⏎'.
func (g *Grid) trimLineEndMark() {
	s := g.on
	if s.x != 0 || s.y == 0 || !s.row(s.y).blank() {
		return
	}
	r, next := s.row(s.y-1), s.row(s.y)
	wrapped := next.wrapped
	next.wrapped = false
	if r.length() < g.cols {
		return
	}
	text := trimBlanks(r.text(nil))
	before, found := bytes.CutSuffix(text, []byte("⏎"))
	if !found && wrapped && len(text) > 0 && (text[len(text)-1] == '%' || text[len(text)-1] == '#') {
		// The blanks go as far as the mark's column in the next row.
		before = text[:len(text)-1]
		found = next.length() == max(columns(before), 1)
	}
	if found {
		r.erase(columns(before), g.cols)
		r.touch(g.clock)
	}
}

// columns returns the number of cells that a text takes.
func columns(text []byte) int {
	n := 0
	for _, c := range string(text) {
		n += width(c)
	}
	return n
}

// location parses the URL of a folder.
func location(text string) (host, folder string, ok bool) {
	if rest, kitty := strings.CutPrefix(text, "kitty-shell-cwd://"); kitty {
		host, folder, ok = strings.Cut(rest, "/")
	} else if rest, file := strings.CutPrefix(text, "file://"); file {
		host, folder, ok = strings.Cut(rest, "/")
		folder = percent(folder)
	}
	return oneLine(host), "/" + oneLine(folder), ok
}

// percent undoes percent-encoding; invalid encodings stay as they are.
func percent(text string) string { return decodeHex(text, "%") }

// unescape undoes VS Code's escapes: \\ and \xHH.
func unescape(text string) string {
	parts := strings.Split(text, `\\`)
	for i, part := range parts {
		parts[i] = decodeHex(part, `\x`)
	}
	return strings.Join(parts, `\`)
}

// decodeHex replaces the encoding of a byte: the escape and two digits.
func decodeHex(text, escape string) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, escape)
		out.WriteString(before)
		if !found {
			return out.String()
		}
		if code, err := strconv.ParseUint(rest[:min(2, len(rest))], 16, 8); err == nil && len(rest) >= 2 {
			out.WriteByte(byte(code))
			rest = rest[2:]
		} else {
			out.WriteString(escape)
		}
		text = rest
	}
}

// oneLine returns clean text without line feeds and tabs.
func oneLine(text string) string {
	text = clean.Text(text)
	if strings.ContainsAny(text, "\n\t") {
		text = strings.NewReplacer("\n", "", "\t", "").Replace(text)
	}
	return text
}
