package grid

// restrict keeps the cursor on the screen, and within the region if rows are
// counted from its first.
func (g *Grid) restrict(maxX int) {
	s := g.on
	s.x = min(max(s.x, 0), maxX)
	if g.mode.origin {
		s.y = min(max(s.y, s.top), s.bottom)
	} else {
		s.y = min(max(s.y, 0), g.rows-1)
	}
}

// place sets the position of the cursor.
func (g *Grid) place(x, y int) {
	before := g.on.y
	g.on.x, g.on.y = x, y
	g.restrict(g.cols - 1)
	after := g.on.y
	g.on.y = before
	g.down(after)
	g.up(after)
	g.on.y = after
}

// moveTo sets the cursor to a column and a row as programs count them.
func (g *Grid) moveTo(x, y int) {
	if g.mode.origin {
		y += g.on.top
	}
	g.place(x, y)
}

func (g *Grid) move(dx, dy int) {
	g.restrict(g.cols - 1)
	g.place(g.on.x+dx, g.on.y+dy)
}

// moveUp moves the cursor up, within the region.
func (g *Grid) moveUp(n int) {
	if above := g.on.y - g.on.top; above >= 0 {
		n = min(n, above)
	}
	g.move(0, -n)
}

// moveDown moves the cursor down, within the region.
func (g *Grid) moveDown(n int) {
	if below := g.on.bottom - g.on.y; below >= 0 {
		n = min(n, below)
	}
	g.move(0, n)
}

// backspace moves the cursor back by a column, with reverse wrap also to the
// row above.
func (g *Grid) backspace() {
	s := g.on
	if !g.mode.reverseWrap {
		g.restrict(g.cols - 1)
		s.x = max(s.x-1, 0)
		return
	}
	g.restrict(g.cols)
	r := s.row(s.y)
	switch {
	case s.x > 0:
		s.x--
	case s.y > s.top && s.y <= s.bottom && r.wrapped:
		r.wrapped = false
		g.up(s.y - 1)
		s.y--
		s.x = g.cols - 1
		if r = s.row(s.y); r.rich && r.used == g.cols && r.cells[s.x] == isTail {
			s.x--
		}
	}
	g.restrict(g.cols - 1)
}

// nextStop returns the tab stop after a column.
func (g *Grid) nextStop(x int) int {
	for x++; x < g.cols && !g.tabs[x]; x++ {
	}
	return min(x, g.cols-1)
}

// previousStop returns the tab stop before a column.
func (g *Grid) previousStop(x int) int {
	for x--; x > 0 && !g.tabs[x]; x-- {
	}
	return max(x, 0)
}

// index moves the cursor down, and scrolls at the end of the region.
func (g *Grid) index() {
	g.restrict(g.cols - 1)
	s := g.on
	s.row(s.y).at = g.clock
	switch {
	case s.y == s.bottom:
		g.scroll(false)
	case s.y < g.rows-1:
		s.y++
	}
	g.restrict(g.cols - 1)
}

// reverseIndex moves the cursor up, and scrolls at the beginning of the region.
func (g *Grid) reverseIndex() {
	g.restrict(g.cols - 1)
	s := g.on
	if s.y == s.top {
		g.scrollDown(s.top)
		return
	}
	g.place(s.x, s.y-1)
}
