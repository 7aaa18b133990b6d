// Package excerpt shortens a text that is too long to return: to its beginning, a
// line that says how much is left out, its end, and a last line that says where the
// whole is.
//
//	first lines …
//	... 1134 lines (33.1 KB) left out ...
//	… last lines
//	Large output has been written to: /path/of/the/whole.txt (36.7 KB, 1207 lines)
//
// The text is cut at ends of lines where lines are short, else between
// characters: valid UTF-8 stays valid. Lines are counted as wc -l counts them,
// plus a last one without an end.
package excerpt

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"ctxfs/fs/wording"
)

// Of returns an excerpt with at most limit bytes of text that ends with notice,
// or the text itself if it is no longer than limit. See [Writer.Excerpt].
func Of(text []byte, limit int, notice string) []byte {
	w := NewWriter(limit)
	_, _ = w.Write(text) // cannot fail
	return w.Excerpt(notice)
}

// Notice returns the last line of an excerpt of a text of size bytes and a
// number of lines that was written to path.
func Notice(path string, size int64, lines int) string {
	return fmt.Sprintf("Large output has been written to: %s (%s, %s)", path, wording.Size(size), wording.Count(lines, "lines"))
}

// Writer makes an excerpt of what is written to it. It uses at most three times
// the limit of memory, however long that is. Writing never fails. It is not
// safe for concurrent use.
type Writer struct {
	limit int
	head  []byte // the first bytes, up to limit
	tail  []byte // ends with the last bytes, at least limit of them; shares nothing with head
	tally Tally
}

// NewWriter returns a Writer for excerpts with at most limit bytes of the text.
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

// Tally returns the size of everything that was written.
func (w *Writer) Tally() Tally { return w.tally }

// Long reports whether more was written than the limit allows.
func (w *Writer) Long() bool { return w.tally.Bytes > int64(w.limit) }

// Excerpt returns what was written, if it is no longer than the limit. For a longer
// text it returns the beginning, a line that says how much is left out, the end,
// and the notice as the last line; without the notice if that is empty. The limit
// applies to the beginning and the end together, not to the two other lines.
func (w *Writer) Excerpt(notice string) []byte {
	if !w.Long() {
		return bytes.Clone(w.head)
	}
	head := cutHead(w.head, w.limit-w.limit/2)
	tail := cutTail(w.tail[len(w.tail)-w.limit:], w.limit/2)
	lines := w.tally.ends - bytes.Count(head, newline) - bytes.Count(tail, newline)
	line := gap(lines, w.tally.Bytes-int64(len(head)+len(tail)))
	out := make([]byte, 0, len(head)+len(line)+len(tail)+len(notice)+4) // four line ends
	out = ended(append(out, head...))
	out = ended(append(out, line...))
	out = ended(append(out, tail...))
	return ended(append(out, notice...))
}

var newline = []byte{'\n'}

// gap returns the line that stands for what is left out.
func gap(lines int, size int64) string {
	if lines == 0 {
		return fmt.Sprintf("... %s left out ...", wording.Size(size))
	}
	return fmt.Sprintf("... %s (%s) left out ...", wording.Count(lines, "lines"), wording.Size(size))
}

// ended returns text with an end of its last line.
func ended(text []byte) []byte {
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	return text
}

// cutHead returns the beginning of text, of at most limit bytes: whole lines,
// if there are any, where the line that would be cut ends in text or they take
// at least half of the limit.
func cutHead(text []byte, limit int) []byte {
	end := bytes.LastIndexByte(text[:limit], '\n') + 1
	if end > limit/2 || end > 0 && bytes.IndexByte(text[limit:], '\n') >= 0 {
		return text[:end]
	}
	return wholeCharacters(text[:limit])
}

// cutTail returns the end of text, of at most limit bytes: whole lines, if
// there are any, where the line that would be cut begins in text or they take
// at least half of the limit.
func cutTail(text []byte, limit int) []byte {
	from := len(text) - limit
	if begin := from + bytes.IndexByte(text[max(from-1, 0):], '\n'); begin >= from && begin < len(text) && // a line that begins exactly there is whole
		(begin-from < limit/2 || bytes.IndexByte(text[:from], '\n') >= 0) {
		return text[begin:]
	}
	for range utf8.UTFMax - 1 {
		if from == len(text) || utf8.RuneStart(text[from]) {
			break
		}
		from++
	}
	return text[from:]
}

// wholeCharacters returns text without an incomplete character at its end.
func wholeCharacters(text []byte) []byte {
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

// Tally counts bytes and lines of a text that arrives in pieces. The zero value is
// the tally of an empty text.
type Tally struct {
	Bytes int64
	ends  int // line ends
	open  bool
}

// Add counts one more piece.
func (t *Tally) Add(p []byte) {
	if len(p) == 0 {
		return
	}
	t.Bytes += int64(len(p))
	t.ends += bytes.Count(p, newline)
	t.open = p[len(p)-1] != '\n'
}

// Lines returns the number of lines: what wc -l counts, plus a last one without
// an end.
func (t Tally) Lines() int {
	if t.open {
		return t.ends + 1
	}
	return t.ends
}
