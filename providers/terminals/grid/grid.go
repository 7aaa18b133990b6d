package grid

import (
	"time"
	"unicode/utf8"
)

// Options say what a grid is made for.
type Options struct {
	// Cols and Rows are the size of the terminal. Where one is zero it counts
	// as 80 by 24.
	Cols, Rows int
	// Nonce authenticates the marks of the shell's integration. Without one
	// no mark is believed.
	Nonce string
	// Now tells the time at which bytes are written; nil is time.Now.
	Now func() time.Time
}

// A Grid is a terminal's screen of text and the log that comes from it. It
// starts no goroutine and does no input or output. Its memory is bounded by the
// size of the screen (at most 4096 by 2048 cells, larger terminals are taken as
// that) and by what has become final since the last Take.
//
// A Grid is not safe for concurrent use.
type Grid struct {
	cols, rows int
	nonce      string
	now        func() time.Time
	epoch      time.Time
	clock      time.Duration // since epoch: the time of the last write or look

	primary, alternate screen
	on                 *screen // the one that is shown
	tabs               []bool
	mode               modes
	set                charsets
	last               rune // the character before, for REP; 0 after anything else

	parser parser
	tail   [utf8.UTFMax]byte // the beginning of a character cut by a write
	tailed int

	log log
}

// New makes a grid with an empty screen.
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

// bound is the size that a grid has for a terminal of a size.
func bound(cols, rows int) (int, int) {
	return min(max(cols, 2), 4096), min(max(rows, 1), 2048)
}

// Write takes bytes that the terminal is sent, cut anywhere.
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

// Settle makes final what has settled at a time, and tells when it wants to be
// asked again: zero if only a write can change that. Calling it early, late or
// never changes no text, only when it can be taken. Cost: a look at each row.
func (g *Grid) Settle(now time.Time) (next time.Time) {
	if due := g.settle(now.Sub(g.epoch)); due > 0 {
		return g.epoch.Add(due)
	}
	return time.Time{}
}

// Take returns the text that has become final since the last Take, and the
// marks that lie in it, in their order. Both are the caller's until the next
// Take.
func (g *Grid) Take() (text []byte, marks []Mark) {
	return g.log.take()
}

// Close makes everything final: the text ends with a line feed after this. The
// grid must not be written to again.
func (g *Grid) Close() {
	if g.tailed > 0 {
		g.tailed = 0
		g.character(utf8.RuneError)
	}
	g.flushAll()
	g.log.end()
}

// Screen is what the screen shows now, one string a row, without the blanks
// that end a row.
func (g *Grid) Screen() []string {
	rows := make([]string, g.rows)
	var text []byte
	for y := range rows {
		text = trimBlanks(g.on.row(y).text(text[:0]))
		rows[y] = string(text)
	}
	return rows
}

// Cursor is the place of the cursor, counted from 0.
func (g *Grid) Cursor() (col, row int) {
	return min(g.on.x, g.cols-1), g.on.y
}

// Alternate tells whether a full-screen program has the screen.
func (g *Grid) Alternate() bool { return g.on == &g.alternate }

// trimBlanks cuts the blanks off the end of a text.
func trimBlanks(text []byte) []byte {
	for len(text) > 0 && text[len(text)-1] == ' ' {
		text = text[:len(text)-1]
	}
	return text
}
