// Package excerpt is what a caller is shown of a text that is too long to hand
// over: its beginning, a line that says how much is left out, its end, and as
// the last line where the whole is.
//
//	first lines …
//	... 1134 lines (33.1 KB) left out ...
//	… last lines
//	Large output has been written to: /path/of/the/whole.txt (36.7 KB, 1207 lines)
//
// The text is cut at ends of lines where lines are short, else between
// characters: what was valid UTF-8 stays valid. Lines are counted as wc -l
// counts them, and a last one without an end is one more.
package excerpt

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// Of gives an excerpt of at most limit bytes that ends with notice, or the text
// itself where it is no longer than limit. See [Writer.Excerpt].
func Of(text []byte, limit int, notice string) []byte {
	w := NewWriter(limit)
	_, _ = w.Write(text) // cannot fail
	return w.Excerpt(notice)
}

// Notice is the last line of an excerpt of a text of so many bytes and lines
// that was written to path.
func Notice(path string, size int64, lines int) string {
	return fmt.Sprintf("Large output has been written to: %s (%s, %s)", path, Size(size), counted(lines))
}

// Writer makes an excerpt of what is written to it, in memory for at most three
// times the limit however long that is. Writing never fails. It is not safe for
// concurrent use.
type Writer struct {
	limit int
	head  []byte // the first bytes, up to limit
	tail  []byte // ends with the last bytes, at least limit of them; shares nothing with head
	tally Tally
}

// NewWriter returns a Writer for excerpts of at most limit bytes.
func NewWriter(limit int) *Writer { return &Writer{limit: max(limit, 0)} }

// Write implements io.Writer.
func (w *Writer) Write(p []byte) (int, error) {
	w.tally.Add(p)
	w.head = append(w.head, p[:min(len(p), w.limit-len(w.head))]...)
	last := p[max(0, len(p)-w.limit):]
	if len(w.tail)+len(last) > 2*w.limit {
		w.tail = append(w.tail[:0], w.tail[len(w.tail)-(w.limit-len(last)):]...)
	}
	w.tail = append(w.tail, last...)
	return len(p), nil
}

// Tally is the size of all that was written.
func (w *Writer) Tally() Tally { return w.tally }

// Long tells whether more was written than the limit allows.
func (w *Writer) Long() bool { return w.tally.Bytes > int64(w.limit) }

// Excerpt gives what was written, if it is no longer than the limit. Of a
// longer text it gives the beginning, a line that tells of what is left out,
// the end, and the notice as the last line; without the notice where that is
// empty. It is never longer than the limit: where that does not allow it all,
// it is the notice alone, and where not even that, the beginning alone.
func (w *Writer) Excerpt(notice string) []byte {
	if !w.Long() {
		return bytes.Clone(w.head)
	}
	if notice != "" {
		notice += "\n"
	}
	room := w.limit - len(notice)
	if room < 0 {
		return bytes.Clone(whole(w.head))
	}
	// The gap is told with no larger numbers than those of the whole, but "999
	// bytes" is longer than "2.5 kB"; and three line ends may have to be added.
	lines := w.tally.Lines()
	room -= max(len(gap(lines, w.tally.Bytes)), len(gap(lines, min(w.tally.Bytes, 999)))) + 3
	if room < 2 {
		return []byte(notice)
	}
	head := cutHead(w.head, room-room/2)
	tail := cutTail(w.tail, room/2)
	lines = w.tally.ends - bytes.Count(head, newline) - bytes.Count(tail, newline)
	out := make([]byte, 0, w.limit)
	out = ended(append(out, head...))
	out = append(out, gap(lines, w.tally.Bytes-int64(len(head)+len(tail)))...)
	out = append(out, '\n')
	out = ended(append(out, tail...))
	return append(out, notice...)
}

var newline = []byte{'\n'}

// gap is the line that stands for what is left out.
func gap(lines int, size int64) string {
	if lines == 0 {
		return fmt.Sprintf("... %s left out ...", Size(size))
	}
	return fmt.Sprintf("... %s (%s) left out ...", counted(lines), Size(size))
}

// ended is text whose last line has an end.
func ended(text []byte) []byte {
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	return text
}

// cutHead is the beginning of text, of at most limit bytes: whole lines where
// they take at least half of that.
func cutHead(text []byte, limit int) []byte {
	if end := bytes.LastIndexByte(text[:limit], '\n') + 1; end > limit/2 {
		return text[:end]
	}
	return whole(text[:limit])
}

// cutTail is the end of text, of at most limit bytes: whole lines where they
// take at least half of that.
func cutTail(text []byte, limit int) []byte {
	from := len(text) - limit
	// A line that begins exactly there is whole.
	if i := bytes.IndexByte(text[from-1:], '\n'); i >= 0 && i < limit/2 {
		return text[from+i:]
	}
	for range utf8.UTFMax - 1 {
		if from == len(text) || utf8.RuneStart(text[from]) {
			break
		}
		from++
	}
	return text[from:]
}

// whole is text without a character that is cut off at its end.
func whole(text []byte) []byte {
	for i := len(text) - 1; i >= 0 && i > len(text)-utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRune(text[i:]) {
				return text[:i]
			}
			break
		}
	}
	return text
}
