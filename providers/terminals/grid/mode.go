package grid

// modes are the modes that programs set and that affect text.
type modes struct {
	insert      bool // characters move those after them (IRM)
	newLine     bool // a line feed is also a carriage return (LNM)
	origin      bool // rows are counted from the region's first (DECOM)
	noWrap      bool // the last column is overwritten (not DECAWM)
	reverseWrap bool // backspace goes back to the row above
}

// charsets are the four character sets that can be chosen and the one that is.
// A set is ASCII or DEC's line drawing set.
type charsets struct {
	lines  [4]bool
	chosen uint8
}

// decLines are the characters of DEC's line drawing set, from '`' on.
var decLines = [...]rune{
	'◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼', '⎺',
	'⎻', '─', '⎼', '⎽', '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
}

// drawing reports whether the chosen set is that of line drawing.
func (s *charsets) drawing() bool { return s.lines[s.chosen] }

// character returns what the chosen set has in the place of an ASCII character.
func (s *charsets) character(c rune) rune {
	if s.drawing() && c >= '`' && int(c-'`') < len(decLines) {
		return decLines[c-'`']
	}
	return c
}

// setMode sets or resets a mode of ECMA-48.
func (g *Grid) setMode(mode int, on bool) {
	switch mode {
	case 4:
		g.mode.insert = on
	case 20:
		g.mode.newLine = on
	}
}

// setPrivateMode sets or resets one of DEC's and xterm's modes. Those not here do
// not affect text: colours, mice, bracketed paste, synchronized output (a frame is
// far shorter than what a row takes to settle).
func (g *Grid) setPrivateMode(mode int, on bool) {
	switch mode {
	case 2:
		if on {
			g.set.lines = [4]bool{}
		}
	case 6:
		g.mode.origin = on
		g.moveTo(0, 0)
	case 7:
		g.mode.noWrap = !on
	case 45:
		g.mode.reverseWrap = on
	case 47, 1047:
		g.switchScreen(on)
	case 1048:
		if on {
			g.save()
		} else {
			g.restore()
		}
	case 1049:
		if on {
			g.save()
			g.switchScreen(true)
		} else {
			g.switchScreen(false)
			g.restore()
		}
	}
}

// switchScreen shows the alternate screen, empty, or the primary one.
func (g *Grid) switchScreen(alternate bool) {
	if alternate {
		g.fullScreen()
	}
	if alternate == g.Alternate() {
		return
	}
	from := g.on
	if g.log.alternate {
		g.flushAll()
		g.log.end()
		g.log.alternate = false
	}
	if alternate {
		g.emptyAlternate()
		g.on = &g.alternate
	} else {
		g.on = &g.primary
	}
	g.on.x, g.on.y = from.x, from.y
}

// emptyAlternate empties the alternate screen as if it had never been written.
func (g *Grid) emptyAlternate() {
	s := &g.alternate
	if s.ring == nil {
		*s = newScreen(g.rows)
		return
	}
	for _, r := range s.ring {
		r.clear(g.clock)
	}
	*s = screen{ring: s.ring, bottom: g.rows - 1}
}

// save saves the cursor and the character sets.
func (g *Grid) save() { g.on.saved = saved{min(g.on.x, g.cols-1), g.on.y, g.set} }

// restore restores what was saved.
func (g *Grid) restore() {
	s := g.on
	g.set = s.saved.set
	g.place(s.saved.x, s.saved.y)
}

// reset returns the terminal to its initial state.
func (g *Grid) reset() {
	g.primary, g.alternate = newScreen(g.rows), screen{}
	g.on = &g.primary
	g.mode, g.set, g.last = modes{}, charsets{}, 0
	g.tabs = stops(nil, g.cols)
}

// resetSoftly resets what programs set and leaves the screen (DECSTR).
func (g *Grid) resetSoftly() {
	g.mode, g.set = modes{newLine: g.mode.newLine}, charsets{}
	g.on.top, g.on.bottom = 0, g.rows-1
	g.on.saved = saved{}
}

// stops returns the tab stops of a number of columns: the existing ones, and
// every eighth of the new columns.
func stops(old []bool, cols int) []bool {
	made := make([]bool, cols)
	for x := copy(made, old); x < cols; x++ {
		made[x] = x%8 == 0
	}
	return made
}
