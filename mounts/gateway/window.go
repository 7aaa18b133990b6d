package gateway

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"ctxfs/fs/wording"
)

// window is a writer that keeps some lines of its input, as many as it has room
// for, and counts all of them. Files of any size can be written to it.
type window struct {
	first int // number of the first line, from 1
	lines int // at most; 0 means as many as fit
	skip  int // bytes of the first line to leave out
	room  int // in bytes

	body []byte
	kept int  // lines that end in body
	full bool // nothing more is kept
	cut  int  // bytes of the first line up to where it was cut; 0 if it was not

	ends    int  // line ends seen
	open    bool // bytes came after the last line end
	seen    int  // bytes of the current line so far
	started bool
	image   string // media type, if it is an image
	kind    string // media type, if it is not text
}

var errNotText = errors.New("not text")

// maxImage is the size in bytes of the largest image that is returned.
const maxImage = 4 << 20

// total returns the number of lines, the last one with or without its end.
func (w *window) total() int {
	if w.open {
		return w.ends + 1
	}
	return w.ends
}

// errFull reports that a file is longer than what is kept of it.
var errFull = errors.New("there is enough")

func (w *window) Write(p []byte) (int, error) {
	if !w.started && len(p) > 0 {
		w.started = true
		w.kind, _, _ = strings.Cut(http.DetectContentType(p), ";")
		if strings.HasPrefix(w.kind, "image/") {
			w.image = w.kind
		}
	}
	if w.image != "" {
		if len(w.body)+len(p) > maxImage {
			w.kind += " of more than " + wording.Size(maxImage)
			return 0, errFull
		}
		w.body = append(w.body, p...)
		return len(p), nil
	}
	if bytes.IndexByte(p, 0) >= 0 {
		if strings.HasPrefix(w.kind, "text/") {
			w.kind = "bytes"
		}
		return 0, errNotText
	}
	for rest := p; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n')
		piece := rest
		if end >= 0 {
			piece = rest[:end+1]
		}
		rest = rest[len(piece):]
		w.take(piece, end >= 0)
	}
	return len(p), nil
}

// take adds a piece of a line; ends marks the last.
func (w *window) take(piece []byte, ends bool) {
	line := w.ends + 1
	if !w.full && line >= w.first {
		w.store(piece, line, ends)
	}
	w.seen += len(piece)
	w.open = !ends
	if ends {
		w.ends++
		w.seen = 0
	}
}

func (w *window) store(piece []byte, line int, ends bool) {
	if w.lines > 0 && line >= w.first+w.lines {
		w.full = true
		return
	}
	from := 0
	if line == w.first {
		from = min(max(w.skip-w.seen, 0), len(piece))
	}
	piece = piece[from:]
	if len(w.body)+len(piece) > w.room {
		w.full = true
		if line > w.first { // it belongs to the next part
			w.body = w.body[:bytes.LastIndexByte(w.body, '\n')+1]
			return
		}
		fits := w.room - len(w.body)
		w.body = append(w.body, piece[:fits]...)
		w.cut = w.seen + from + fits - len(w.body)
		w.body = w.body[:wholeCharacters(w.body)]
		w.cut += len(w.body)
		return
	}
	w.body = append(w.body, piece...)
	if ends {
		w.kept++
	}
}

// notice describes which part of a file this is and how to read the next; it
// returns "" for the whole file.
func (w *window) notice(name string) string {
	total, last := w.total(), w.first+w.kept-1
	if w.cut > 0 {
		return fmt.Sprintf("[line %d of %d, up to its byte %d; next: read %s]",
			w.first, total, w.cut, object("path", name, "offset", w.first, "skip", w.cut))
	}
	if len(w.body) > 0 && w.body[len(w.body)-1] != '\n' {
		last++
	}
	if w.first == 1 && last >= total && w.skip == 0 {
		return ""
	}
	which := fmt.Sprintf("lines %d-%d of %d", w.first, last, total)
	if last < total {
		which += "; next: read " + object("path", name, "offset", last+1)
	}
	return "[" + which + "]"
}
