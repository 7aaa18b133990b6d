// Package linematch finds the first line of a growing text that matches a regular
// expression, reading each byte once.
package linematch

import (
	"bytes"
	"io"
	"regexp"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/mask"
)

// maxShown is how many bytes of a line are shown.
const maxShown = 300

// Shown returns a foreign line as it is shown: clean, shortened, without secrets.
func Shown(line string) string { return clean.Cut(clean.Line(mask.Text(line)), maxShown) }

// maxLine is how many bytes of a line are matched at once.
const maxLine = 64 << 10

// Match is a line that matches.
type Match struct {
	Text   string
	Number int64 // of the line, from 1
}

// Finder looks for the first line that matches. The zero value with a Pattern is at the
// beginning of a text.
type Finder struct {
	Pattern *regexp.Regexp
	off     int64 // of the first line that was not matched whole
	number  int64 // of that line, from 0
}

// Reset begins again.
func (l *Finder) Reset() { l.off, l.number = 0, 0 }

// Read returns how much of the text was matched, in bytes: a text that is shorter is
// another one.
func (l *Finder) Read() int64 { return l.off }

// Next matches what is new, up to size, and returns the first line that matches, or nil. A
// last line without its end is matched as far as it is there, and again when it has grown;
// a line of more than 64 KiB is matched in pieces. It ends with an error of goesOn.
func (l *Finder) Next(r io.ReaderAt, size int64, goesOn func() error) (*Match, error) {
	buf := make([]byte, maxLine)
	for l.off < size {
		if err := goesOn(); err != nil {
			return nil, err
		}
		n, err := r.ReadAt(buf[:min(int64(len(buf)), size-l.off)], l.off)
		if n == 0 {
			if err == io.EOF {
				err = nil // it has become shorter
			}
			return nil, err
		}
		text := buf[:n]
		for len(text) > 0 {
			end := bytes.IndexByte(text, '\n')
			one, whole := text, end >= 0
			if whole {
				one = text[:end]
			} else if len(text) < n && l.off+int64(len(text)) < size {
				break // the rest of it is read next
			}
			if l.Pattern.Match(bytes.TrimSuffix(one, []byte("\r"))) {
				return &Match{string(one), l.number + 1}, nil
			}
			switch {
			case whole:
				l.off, l.number, text = l.off+int64(end)+1, l.number+1, text[end+1:]
			case len(one) == maxLine:
				l.off, text = l.off+int64(len(one)), nil
			default:
				return nil, nil // looked at again when it has grown
			}
		}
	}
	return nil, nil
}
