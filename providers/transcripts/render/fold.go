package render

import (
	"cmp"
	"strconv"
	"strings"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/names"
	"ctxfs/providers/transcripts/event"
)

// What is shown of a folded text.
const (
	headLines, headBytes = 20, 2560
	tailLines, tailBytes = 10, 1280
	longLine             = 2 << 10
)

// appendFolded appends a text, or its first and last lines if it is longer than
// limit. It reports whether anything is left out.
func appendFolded(dst []byte, text string, limit int) (_ []byte, cut bool) {
	long := len(text) > limit
	text = strings.TrimRight(text, "\n")
	if !long {
		return appendLines(dst, text)
	}
	head := headEnd(text)
	tail := tailStart(text, head)
	dst, _ = appendLines(dst, text[:head])
	if gap := text[head:tail]; gap != "" {
		dst = append(dst, "... "...)
		dst = strconv.AppendInt(dst, int64(countLines(gap)), 10)
		dst = append(dst, " lines left out ...\n"...)
	}
	dst, _ = appendLines(dst, text[tail:])
	return dst, true
}

// headEnd returns the end of the first lines of a text.
func headEnd(text string) int {
	end := 0
	for range headLines {
		i := strings.IndexByte(text[end:], '\n')
		if i < 0 {
			i = len(text) - end - 1
		}
		if end > 0 && end+i > headBytes {
			break
		}
		end += i + 1
		if end == len(text) {
			break
		}
	}
	return end
}

// tailStart returns the beginning of the last lines of a text, not before least.
func tailStart(text string, least int) int {
	start := len(text)
	for range tailLines {
		if start <= least {
			return least
		}
		i := least + 1 + strings.LastIndexByte(text[least:start-1], '\n')
		if start < len(text) && len(text)-i > tailBytes {
			break
		}
		start = i
	}
	return start
}

// appendLines appends lines, each with its end, and cuts the long ones. A line that
// begins like a heading or a mark gets a space before it.
func appendLines(dst []byte, text string) (_ []byte, cut bool) {
	for text != "" {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		if strings.HasPrefix(line, "### ") || strings.HasPrefix(line, "=====") {
			dst = append(dst, ' ')
		}
		if len(line) > longLine {
			cut = true
			shown := clean.Prefix(line, longLine)
			dst = append(dst, shown...)
			dst = append(dst, "… ["...)
			dst = append(dst, wording.Size(int64(len(line)-len(shown)))...)
			dst = append(dst, " of this line left out]"...)
		} else {
			dst = append(dst, line...)
		}
		dst = append(dst, '\n')
	}
	return dst, cut
}

// appendPointer appends the line that says where the whole text is. The size of a
// spilled one is not known here.
func appendPointer(dst []byte, f *Folded) []byte {
	dst = append(dst, "[whole: results/"...)
	dst = append(dst, f.Name...)
	if f.Spill == "" {
		dst = append(dst, ", "...)
		dst = append(dst, wording.Size(f.Size)...)
		dst = append(dst, ", "...)
		dst = strconv.AppendInt(dst, int64(f.Lines), 10)
		dst = append(dst, " line"...)
		if f.Lines != 1 {
			dst = append(dst, 's')
		}
	}
	return append(dst, "]\n"...)
}

// fileName returns the name of a folded text in results/: 9cXkT2fQ.Bash.txt for a
// result, 9cXkT2fQ.Bash.input.txt for a call's arguments, 00012.user.txt for
// others.
func (t *Transcript) fileName(e *event.Event) string {
	var id, what string
	switch {
	case e.Call != nil:
		id, what = shortCall(e.Call.ID), names.File(cmp.Or(e.Call.Name, "tool"))+".input"
	case e.Result != nil:
		id, what = shortCall(e.Result.CallID), names.File(cmp.Or(e.Result.Name, "tool"))
	default:
		what = names.File(string(e.Kind))
	}
	if id == "" {
		id = string(appendSeq(nil, e.Seq))
	}
	name := id + "." + what + ".txt"
	for n := 2; t.Taken != nil && t.Taken(name); n++ {
		name = id + "~" + strconv.Itoa(n) + "." + what + ".txt"
	}
	return name
}

// shortCall returns the end of a call's id, in characters of file names; ids of one
// agent begin alike.
func shortCall(id string) string {
	const length = 8
	if !isName(id) {
		id = names.File(id)
	}
	if len(id) > length {
		id = id[len(id)-length:]
	}
	// A character may have been cut, and a dash must not lead.
	return strings.TrimLeft(strings.ToValidUTF8(id, ""), "-_~")
}

func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-') {
			return false
		}
	}
	return true
}
