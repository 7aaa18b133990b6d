package edit

import (
	"bytes"
	"slices"
	"strings"
)

const (
	beginMark = "ctxfs: begin "
	endMark   = "ctxfs: end"
)

// marker returns a line that is a comment.
func (e Edit) marker(text string) string {
	if e.Comment == "<!--" {
		return "<!-- " + text + " -->"
	}
	return e.Comment + " " + text
}

// newline returns the end of lines that the text has.
func newline(text []byte) string {
	if at := bytes.IndexByte(text, '\n'); at > 0 && text[at-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// lines returns a text of ours with the ends of lines of another one.
func lines(ours string, of []byte) string { return strings.ReplaceAll(ours, "\n", newline(of)) }

// findBlock returns where the block is in the text, from its first marker to the end of
// its last one, without the end of that line.
func (e Edit) findBlock(text []byte) (begin, end int, err error) {
	begin = -1
	at := 0
	open := func() error {
		return conflict(text, begin, "%q has no line %q after it; remove the old lines by hand", e.marker(beginMark+e.Name), e.marker(endMark))
	}
	for line := range bytes.Lines(text) {
		switch trimmed := string(bytes.TrimSpace(line)); {
		case trimmed == e.marker(beginMark+e.Name):
			if begin >= 0 {
				return 0, 0, open()
			}
			begin = at + bytes.Index(line, []byte(trimmed))
		case begin >= 0 && trimmed == e.marker(endMark):
			return begin, at + len(bytes.TrimRight(line, "\r\n")), nil
		case begin >= 0 && strings.HasPrefix(trimmed, e.Comment+" "+beginMark):
			return 0, 0, open()
		}
		at += len(line)
	}
	if begin >= 0 {
		return 0, 0, open()
	}
	return -1, -1, nil
}

func (e Edit) putBlock(text []byte) ([]byte, Edit, error) {
	begin, end, err := e.findBlock(text)
	if err != nil {
		return nil, e, err
	}
	ours := lines(e.marker(beginMark+e.Name)+"\n"+e.Text+"\n"+e.marker(endMark), text)
	if begin >= 0 {
		return splice(text, begin, end, ours), e, nil
	}
	nl := newline(text)
	switch ended := bytes.HasSuffix(text, []byte("\n")); {
	case len(text) == 0:
		e.Created, e.After = true, nl
	case !ended:
		e.Before = nl + nl
	case bytes.HasSuffix(text, []byte("\n\n")), bytes.HasSuffix(text, []byte("\n\r\n")):
		e.After = nl
	default:
		e.Before, e.After = nl, nl
	}
	return splice(text, len(text), len(text), e.Before+ours+e.After), e, nil
}

func (e Edit) takeBlock(text []byte) ([]byte, error) {
	begin, end, err := e.findBlock(text)
	if err != nil || begin < 0 {
		return text, err
	}
	separator := begin - len(bytes.TrimSuffix(text[:begin], []byte(e.Before)))
	begin -= separator
	if rest := text[end:]; bytes.HasPrefix(rest, []byte(e.After)) {
		end += len(e.After)
	} else if e.After != "" && bytes.HasPrefix(rest, []byte("\n")) {
		end++
	}
	if rest := text[end:]; e.After == "" && len(rest) > 0 { // lines that others have appended since
		begin += separator // which now separates them
		end += len(rest) - len(bytes.TrimLeft(rest, "\r\n"))
	}
	if text = splice(text, begin, end, ""); e.Created && len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	return text, nil
}

// splice returns the text with a part of it replaced.
func splice(text []byte, begin, end int, by string) []byte {
	return slices.Replace(bytes.Clone(text), begin, end, []byte(by)...)
}

// Line is one line at the beginning of a text that contains mark, which identifies it; others
// with the mark are replaced.
func Line(text, mark string) Edit { return Edit{Kind: line, Text: text, Mark: mark} }

func (e Edit) putLine(text []byte) ([]byte, Edit, error) {
	e.Created = len(text) == 0
	return append([]byte(e.Text+newline(text)), e.takeLine(text)...), e, nil
}

func (e Edit) takeLine(text []byte) []byte {
	rest := make([]byte, 0, len(text))
	for l := range bytes.Lines(text) {
		if !bytes.Contains(l, []byte(e.Mark)) {
			rest = append(rest, l...)
		}
	}
	return rest
}
