package grid

// execute executes a control character.
func (g *Grid) execute(c byte) {
	s := g.on
	switch c {
	case '\n', '\v', '\f':
		if g.mode.newLine {
			s.x = 0
		}
		g.lineFeed()
	case '\r':
		s.x = 0
	case '\b':
		g.backspace()
	case '\t':
		if s.x < g.cols {
			s.x = g.nextStop(s.x)
		}
	case 0x0e, 0x0f:
		g.set.chosen = 0x0f - c
	}
	g.last = 0
}

// escapeSequence executes ESC with a final byte.
func (g *Grid) escapeSequence(final byte) {
	s := g.on
	switch g.parser.middle {
	case 0:
	case '(', ')', '*', '+':
		g.set.lines[g.parser.middle-'('] = final == '0'
		return
	case '-', '.':
		g.set.lines[g.parser.middle-'-'+1] = final == '0'
		return
	case '%':
		g.set.chosen, g.set.lines[0] = 0, false
		return
	case '#':
		if final == '8' {
			g.align()
		}
		return
	default:
		return
	}
	switch final {
	case '7':
		g.save()
	case '8':
		g.restore()
	case 'D', 'E':
		if final == 'E' {
			s.x = 0
		}
		g.index()
	case 'H':
		if s.x < g.cols {
			g.tabs[s.x] = true
		}
	case 'M':
		g.reverseIndex()
	case 'c':
		g.flush(false)
		g.reset()
		g.log.moved, g.log.alternate = false, false
	case 'n', '}':
		g.set.chosen = 2
	case 'o', '|':
		g.set.chosen = 3
	case '~':
		g.set.chosen = 1
	}
}

// controlSequence executes a control sequence (CSI) with a final byte.
func (g *Grid) controlSequence(final byte) {
	p := &g.parser
	switch {
	case p.prefix == '?' && p.middle == 0:
		g.privateSequence(final)
		return
	case p.prefix != 0:
		return
	case p.middle != 0:
		g.middleSequence(final)
		return
	}
	s, n := g.on, max(p.params[0], 1)
	switch final {
	case '@':
		g.restrict(g.cols - 1)
		g.change().insert(s.x, n, g.cols)
	case 'A', 'F':
		g.moveUp(n)
		if final == 'F' {
			s.x = 0
		}
	case 'B', 'E':
		g.moveDown(n)
		if final == 'E' {
			s.x = 0
		}
	case 'C', 'a':
		g.move(n, 0)
	case 'D':
		g.move(-n, 0)
	case 'G', '`':
		g.place(n-1, s.y)
	case 'H', 'f':
		x := 0
		if p.count > 1 {
			x = max(p.params[1], 1) - 1
		}
		g.moveTo(x, n-1)
	case 'I':
		for ; n > 0 && s.x < g.cols-1; n-- {
			s.x = g.nextStop(s.x)
		}
	case 'J', 'K':
		g.erase(final)
	case 'L':
		g.insertLines(n)
	case 'M':
		g.deleteLines(n)
	case 'P':
		g.restrict(g.cols - 1)
		g.change().remove(s.x, n)
	case 'S':
		for n = min(n, s.bottom-s.top+1); n > 0; n-- {
			g.scroll(false)
		}
	case 'T':
		for n = min(n, s.bottom-s.top+1); n > 0; n-- {
			g.scrollDown(s.top)
		}
	case 'X':
		g.restrict(g.cols - 1)
		g.change().erase(s.x, min(s.x+n, g.cols))
	case 'Z':
		for ; n > 0 && s.x > 0 && s.x < g.cols; n-- {
			s.x = g.previousStop(s.x)
		}
	case 'b':
		if g.last != 0 {
			g.repeat(min(n, g.cols*g.rows))
		}
	case 'd':
		g.moveTo(s.x, n-1)
	case 'e':
		g.move(0, n)
	case 'g':
		switch {
		case p.params[0] == 3:
			clear(g.tabs)
		case p.params[0] == 0 && s.x < g.cols:
			g.tabs[s.x] = false
		}
	case 'h', 'l':
		for _, mode := range p.params[:min(p.count, maxParameters)] {
			g.setMode(mode, final == 'h')
		}
	case 'r':
		g.setRegion()
	case 's':
		g.save()
	case 'u':
		g.restore()
	}
}

// privateSequence executes one of DEC's control sequences.
func (g *Grid) privateSequence(final byte) {
	p := &g.parser
	switch final {
	case 'h', 'l':
		for _, mode := range p.params[:min(p.count, maxParameters)] {
			g.setPrivateMode(mode, final == 'h')
		}
	case 'J', 'K':
		g.erase(final) // text is never protected here
	}
}

// middleSequence executes a control sequence with an intermediate byte.
func (g *Grid) middleSequence(final byte) {
	p := &g.parser
	n := max(p.params[0], 1)
	switch {
	case p.middle == '!' && final == 'p':
		g.resetSoftly()
	case p.middle == ' ' && final == '@':
		g.moveColumns(0, func(r *row, x int) { r.remove(x, n) })
	case p.middle == ' ' && final == 'A':
		g.moveColumns(0, func(r *row, x int) { r.insert(x, n, g.cols) })
	case p.middle == '\'' && final == '}':
		g.moveColumns(g.on.x, func(r *row, x int) { r.insert(x, n, g.cols) })
	case p.middle == '\'' && final == '~':
		g.moveColumns(g.on.x, func(r *row, x int) { r.remove(x, n) })
	}
}

// repeat prints the character before the cursor, with its combining characters,
// n more times.
func (g *Grid) repeat(n int) {
	c, r := g.last, g.on.row(g.on.y)
	var combined []rune
	if before := r.glyph(g.on.x - width(c)); before.cell&isCluster != 0 {
		combined = []rune(string(before.text[:before.n]))[1:]
	}
	for ; n > 0; n-- {
		g.print(c)
		for _, m := range combined {
			g.print(m)
		}
	}
}
