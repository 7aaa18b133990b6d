package fulltext

import (
	"bytes"
	"strconv"
	"time"
)

// piece is a part of a transcript that is found as one.
type piece struct {
	start, end int  // in the text
	inner      bool // it continues the block of the piece before it
}

const (
	// pieceSize is the length from which a piece is cut, in bytes.
	pieceSize = 6 << 10
	// headingMark is what the first line of a block begins with, and no other.
	headingMark = "### ["
)

// cutPieces cuts a text that begins where a block does.
func cutPieces(text []byte, yield func(piece)) {
	for start := 0; start < len(text); {
		end := len(text)
		if i := bytes.Index(text[start+1:], []byte("\n"+headingMark)); i >= 0 {
			end = start + 1 + i + 1
		}
		inner := false
		for start < end {
			to := endOfPiece(text, start, end)
			yield(piece{start, to, inner})
			start, inner = to, true
		}
	}
}

// endOfPiece returns where a piece ends that begins at start, of a block that ends at
// end.
func endOfPiece(text []byte, start, end int) int {
	to := min(end, start+pieceSize)
	if to < end {
		if i := bytes.LastIndexByte(text[start:to], '\n'); i > pieceSize/2 {
			to = start + i + 1
		}
	}
	if end-to < pieceSize/8 {
		to = end
	}
	return to
}

// heading is the first line of a block.
type heading struct {
	number int
	time   time.Time // or zero
	kind   string
	// name is the name of the tool, or the origin of a user's text.
	name string
}

// cutHeading reads the heading of a block, if it begins with one.
func cutHeading(text []byte) (h heading, body []byte, ok bool) {
	if !bytes.HasPrefix(text, []byte(headingMark)) {
		return h, text, false
	}
	line, body, _ := bytes.Cut(text, []byte("\n"))
	anchor, rest, ok := bytes.Cut(line[len(headingMark):], []byte("] "))
	if !ok {
		return h, text, false
	}
	number := anchor[bytes.LastIndexByte(anchor, '/')+1:]
	n, err := strconv.Atoi(string(number))
	if err != nil || n < 0 {
		return h, text, false
	}
	h.number = n
	fields := bytes.Fields(rest)
	if len(fields) > 0 {
		h.time, _ = time.Parse(time.RFC3339, string(fields[0]))
	}
	if len(fields) > 1 {
		h.kind = string(fields[1])
	}
	if len(fields) > 2 && bytes.IndexByte(fields[2], '=') < 0 {
		h.name = string(fields[2])
	}
	return h, body, true
}

// searchable returns the part of a piece that can be found: all of it except the
// anchor, the time and the ids in a heading.
func searchable(t Text, at int64, text []byte) (name, body []byte) {
	h, body, ok := cutHeading(text)
	if !ok {
		return t.titleAt(at), text
	}
	return []byte(h.name), body
}

// titleAt returns the title for the piece that begins the text, and nil for any
// other.
func (t Text) titleAt(at int64) []byte {
	if at > 0 {
		return nil
	}
	return []byte(t.Title)
}
