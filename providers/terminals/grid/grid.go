package grid

import (
	"time"
	"unicode/utf8"
)

// Options are the settings of a [Grid].
type Options struct {
	// Cols and Rows are the size of the terminal; 80 by 24 if one of them is
	// zero.
	Cols, Rows int
	// Nonce authenticates the marks of the shell integration. Without a nonce, all
	// marks are ignored.
	Nonce string
	// Now returns the time at which bytes are written; nil means time.Now.
	Now func() time.Time
}

// Grid is a terminal's screen of text and the log that comes from it. It starts
// no goroutine and does no input or output. Its memory is bounded by the size
// of the screen (at most 4096 by 2048 cells; larger terminals are cut to that)
// and by what has become final since the last Take.
//
// A Grid is not safe for concurrent use.
type Grid struct {
	cols, rows int
	nonce      string
	now        func() time.Time
	epoch      time.Time
	clock      time.Duration // since epoch: the time of the last Write or Settle

	primary, alternate screen
	on                 *screen // the one that is shown
	tabs               []bool
	mode               modes
	set                charsets
	last               rune // the previous character, for REP; 0 after anything else

	parser parser
	tail   [utf8.UTFMax]byte // the beginning of a character split by a write
	tailed int

	log log
}

// New returns a grid with an empty screen.
func New(o Options) *Grid {
	g := &Grid{nonce: o.Nonce, now: o.Now}
	if g.now == nil {
		g.now = time.Now
	}
	if o.Cols <= 0 || o.Rows <= 0 {
		o.Cols, o.Rows = 80, 24
	}
	g.epoch = g.now()
	g.cols, g.rows = bound(o.Cols, o.Rows)
	g.reset()
	return g
}

// bound returns the size of a grid for a terminal of a size.
func bound(cols, rows int) (int, int) { return min(max(cols, 2), 4096), min(max(rows, 1), 2048) }

// Write processes bytes that the terminal is sent, split anywhere.
func (g *Grid) Write(p []byte) {
	g.settle(g.now().Sub(g.epoch))
	if g.tailed > 0 {
		p = g.finishTail(p)
	}
	g.parse(p)
}

// finishTail completes the character whose beginning ended the last write, and
// returns what follows it.
func (g *Grid) finishTail(p []byte) []byte {
	for len(p) > 0 {
		g.tail[g.tailed] = p[0]
		if g.tailed++; utf8.FullRune(g.tail[:g.tailed]) {
			break
		}
		p = p[1:]
	}
	whole := g.tail[:g.tailed]
	if !utf8.FullRune(whole) {
		return nil
	}
	g.tailed = 0
	r, n := utf8.DecodeRune(whole)
	g.character(r)
	if n < len(whole) { // the last byte broke the character, and begins another
		return p
	}
	return p[1:]
}

// Settle makes final what has settled at a time, and returns when it should be
// called again: zero if only a write can change that. Calling it early, late or
// never changes no text, only when it can be taken. It looks at each row.
func (g *Grid) Settle(now time.Time) (next time.Time) {
	if due := g.settle(now.Sub(g.epoch)); due > 0 {
		return g.epoch.Add(due)
	}
	return time.Time{}
}

// Take returns the text that has become final since the last Take, and the
// marks in it, in their order. Both are the caller's until the next Take.
func (g *Grid) Take() (text []byte, marks []Mark) { return g.log.take() }

// Close makes everything final: the text then ends with a line feed. The grid
// must not be written to again.
func (g *Grid) Close() {
	if g.tailed > 0 {
		g.tailed = 0
		g.character(utf8.RuneError)
	}
	g.flushAll()
	g.log.end()
}

// Screen returns what the screen shows now, one string a row, without trailing
// blanks.
func (g *Grid) Screen() []string {
	rows := make([]string, g.rows)
	var text []byte
	for y := range rows {
		text = trimBlanks(g.on.row(y).text(text[:0]))
		rows[y] = string(text)
	}
	return rows
}

// Cursor returns the position of the cursor, counted from 0.
func (g *Grid) Cursor() (col, row int) { return min(g.on.x, g.cols-1), g.on.y }

// Alternate reports whether a full-screen program has the screen.
func (g *Grid) Alternate() bool { return g.on == &g.alternate }

// trimBlanks removes trailing blanks.
func trimBlanks(text []byte) []byte {
	for len(text) > 0 && text[len(text)-1] == ' ' {
		text = text[:len(text)-1]
	}
	return text
}
