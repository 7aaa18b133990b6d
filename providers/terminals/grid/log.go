package grid

import (
	"bytes"
	"time"
)

// FullScreenLine is the line of the log for a program that takes the whole
// screen.
const FullScreenLine = "[full-screen program]"

// The delays before a row above the cursor is final: settlesSoon as long as the
// running command has only moved down, else settlesLate.
const (
	settlesSoon = 2 * time.Millisecond
	settlesLate = 750 * time.Millisecond
)

// log is the text that has become final, and the state that decides what does.
type log struct {
	out, spare        []byte
	marks, spareMarks []Mark
	taken             int64 // bytes that were taken before out
	lines             int64 // line feeds since the beginning
	open              bool  // the last line has no line feed yet

	moved     bool // the running command has moved the cursor up over text
	prompt    bool // the shell shows its prompt
	alternate bool // the alternate screen is logged: a shell prompts on it
	scratch   []byte
}

func (l *log) take() ([]byte, []Mark) {
	text, marks := l.out, l.marks
	l.taken += int64(len(text))
	l.out, l.marks = l.spare[:0], l.spareMarks[:0]
	if l.spare = text; cap(text) > 1<<20 {
		l.spare = nil // release the memory of a burst
	}
	if l.spareMarks = marks; cap(marks) > 1<<10 {
		l.spareMarks = nil
	}
	return text, marks
}

// offset returns the number of bytes that have become final.
func (l *log) offset() int64 { return l.taken + int64(len(l.out)) }

// newLine ends the last line.
func (l *log) newLine() {
	l.out = append(l.out, '\n')
	l.lines++
	l.open = false
}

// end ends the last line if it is open.
func (l *log) end() {
	if l.open {
		l.newLine()
	}
}

// logs reports whether the screen that is shown is logged.
func (g *Grid) logs() bool { return !g.Alternate() || g.log.alternate }

// scrolledOff logs the first row before it leaves the screen; more reports
// whether the next one is the same line.
func (g *Grid) scrolledOff(more bool) {
	l, r := &g.log, g.on.row(0)
	switch {
	case r.logged || !g.logs():
	case r.known:
		g.logLine(0, 0, more, false)
	default:
		if l.open && !r.wrapped {
			l.newLine()
		}
		if l.out = r.text(l.out); more {
			l.open = true
		} else {
			l.newLine()
		}
	}
}

// lineEnd returns the last row of the line that row y belongs to.
func (g *Grid) lineEnd(y int) int {
	for y+1 < g.rows && g.on.row(y+1).wrapped {
		y++
	}
	return y
}

// settle moves the clock, logs the rows that have settled, and returns when the
// next one will have, or 0. Nothing settles at the time of a write: more may
// follow, and the result would depend on how writes are split.
func (g *Grid) settle(now time.Duration) (next time.Duration) {
	passed := now > g.clock
	g.clock = max(g.clock, now)
	if !g.logs() {
		return 0
	}
	delay := settlesSoon
	if g.log.moved || g.log.prompt {
		delay = settlesLate
	}
	for first := 0; first < g.on.y; {
		last := g.lineEnd(first)
		if last >= g.on.y {
			break // not complete
		}
		due, waiting := time.Duration(0), false
		for y := first; y <= last; y++ {
			if r := g.on.row(y); !r.logged {
				due, waiting = max(due, r.at+delay), true
			}
		}
		if waiting {
			if due > g.clock || !passed {
				return max(due, g.clock+1)
			}
			g.logLine(first, last, false, false)
		}
		first = last + 1
	}
	return 0
}

// down is called before the cursor moves down from its row: the rows that it
// leaves are complete now.
func (g *Grid) down(to int) {
	for y := g.on.y; y < to; y++ {
		g.on.row(y).at = g.clock
	}
}

// flush logs the lines above the cursor's line and, if cut is set, that line as far
// as it is written.
func (g *Grid) flush(cut bool) {
	if !g.logs() {
		return
	}
	for first := 0; first < g.rows; {
		last := g.lineEnd(first)
		if last >= g.on.y {
			if cut && !g.blank(first, last) {
				g.logLine(first, last, false, true)
			}
			return
		}
		g.logLine(first, last, false, false)
		first = last + 1
	}
}

// flushAll logs all rows down to the last one with text, and at least those
// above the cursor.
func (g *Grid) flushAll() {
	if !g.logs() {
		return
	}
	end := g.rows - 1
	for end >= g.on.y && g.on.row(end).blank() {
		end--
	}
	for first := 0; first <= end; {
		last := g.lineEnd(first)
		g.logLine(first, last, false, last >= g.on.y)
		first = last + 1
	}
}

// blank reports whether nothing is visible in the rows of a line.
func (g *Grid) blank(first, last int) bool {
	for y := first; y <= last; y++ {
		if !g.on.row(y).blank() {
			return false
		}
	}
	return true
}

// logLine logs what is new of the line of the rows from first to last; more
// reports that it continues after them, cut that it is incomplete.
func (g *Grid) logLine(first, last int, more, cut bool) {
	l := &g.log
	from, skip := g.fresh(first, last)
	if from <= last && !(g.on.row(from).known && skip == 0 && g.blank(from, last)) {
		if l.open && (from > first || skip > 0 || !g.on.row(first).wrapped) {
			l.newLine()
		}
		for y := from; y <= last; y++ {
			l.scratch = g.on.row(y).text(l.scratch[:0])
			l.out = append(l.out, l.scratch[skip:]...)
			skip = 0
		}
		if more {
			l.open = true
		} else {
			l.newLine()
		}
	}
	for y := first; y <= last; y++ {
		r := g.on.row(y)
		r.was = r.text(r.was[:0])
		r.logged, r.known, r.cut = true, true, cut && y == last
	}
}

// fresh returns the part of a line that the log does not have: from a row on,
// without its first bytes. What the log has may only be left out if the line was
// cut after it; otherwise a line that changed is logged as a whole.
func (g *Grid) fresh(first, last int) (from, skip int) {
	from = first
	for y := first; y <= last; y++ {
		r := g.on.row(y)
		same := r.logged
		if !same && r.known {
			g.log.scratch = r.text(g.log.scratch[:0])
			same = bytes.Equal(g.log.scratch, r.was)
			if !same && r.cut && bytes.HasPrefix(g.log.scratch, r.was) {
				return y, len(r.was)
			}
		}
		switch {
		case !same:
			return from, 0
		case r.cut:
			from = y + 1
		}
	}
	return last + 1, 0
}

// up is called before the cursor moves, and records whether it moves up over
// text.
func (g *Grid) up(to int) {
	for y := to; y <= g.on.y && to < g.on.y && !g.log.moved && g.logs(); y++ {
		g.log.moved = g.on.row(y).used > 0
	}
}

// erased logs the screen before it is erased as a whole. Rows above the cursor
// that stay empty then are not lines of their own.
func (g *Grid) erased() {
	if !g.logs() {
		return
	}
	g.flushAll()
	for y := range g.rows {
		r := g.on.row(y)
		r.clear(g.clock)
		r.logged = y < g.on.y
	}
	g.log.moved = false
}

// fullScreen logs the screen before a full-screen program takes it.
func (g *Grid) fullScreen() {
	if !g.logs() {
		return
	}
	g.flushAll()
	g.log.end()
	g.mark(Mark{Kind: FullScreen})
	g.log.out = append(g.log.out, FullScreenLine...)
	g.log.newLine()
	g.log.alternate = false
}

// adopt begins to log the alternate screen, from its present content: the shell
// prompts, so the program that took the screen has ended without giving it
// back.
func (g *Grid) adopt() {
	g.log.alternate = true
	for y := range g.rows {
		r := g.on.row(y)
		r.was = r.text(r.was[:0])
		r.logged, r.known, r.cut = true, true, y == g.on.y
	}
}
