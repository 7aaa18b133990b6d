package grid

// change returns the cursor's row, which is about to change.
func (g *Grid) change() *row {
	r := g.on.row(g.on.y)
	r.touch(g.clock)
	return r
}

// eraseRow empties row y as if it was never written.
func (g *Grid) eraseRow(y int) {
	r := g.on.row(y)
	r.wrapped = false
	if r.used > 0 {
		r.empty()
		r.touch(g.clock)
	}
}

// erase erases in the screen (J) or in the cursor's row (K). A pending wrap
// stays.
func (g *Grid) erase(what byte) {
	g.restrict(g.cols)
	s := g.on
	how := g.parser.params[0]
	if what == 'J' && (how == 2 || how == 0 && s.x == 0 && s.y == 0) {
		g.erased()
		if !g.logs() {
			for y := range g.rows {
				g.eraseRow(y)
			}
		}
		return
	}
	r := s.row(s.y)
	switch how {
	case 0:
		if s.x < r.used {
			g.change().erase(s.x, g.cols)
		}
		if s.x == 0 {
			r.wrapped = false
		}
	case 1:
		g.change().erase(0, s.x+1)
		if what == 'J' {
			r.wrapped = false
		}
	case 2:
		g.eraseRow(s.y)
	}
	if what == 'K' {
		return
	}
	switch how {
	case 0:
		for y := s.y + 1; y < g.rows; y++ {
			g.eraseRow(y)
		}
	case 1:
		if s.x+1 >= g.cols && s.y+1 < g.rows {
			s.row(s.y + 1).wrapped = false
		}
		for y := range s.y {
			g.eraseRow(y)
		}
	}
}

// inRegion reports whether the cursor is in the scrolling region.
func (g *Grid) inRegion() bool { return g.on.y >= g.on.top && g.on.y <= g.on.bottom }

// insertLines inserts n rows at the cursor's.
func (g *Grid) insertLines(n int) {
	g.restrict(g.cols - 1)
	s := g.on
	if !g.inRegion() {
		return
	}
	for n = min(n, s.bottom-s.y+1); n > 0; n-- {
		g.scrollDown(s.y)
	}
	s.x = 0
}

// deleteLines deletes n rows at the cursor's. They are not logged.
func (g *Grid) deleteLines(n int) {
	g.restrict(g.cols - 1)
	s := g.on
	if !g.inRegion() {
		return
	}
	for n = min(n, s.bottom-s.y+1); n > 0; n-- {
		s.rotate(s.y, s.bottom).clear(g.clock)
	}
	s.x = 0
	g.disturb()
}

// scrollDown removes the region's last row and inserts a new one at top.
func (g *Grid) scrollDown(top int) {
	g.on.rotateDown(top, g.on.bottom).clear(g.clock)
	g.disturb()
}

// disturb records that rows that may have been above the cursor have changed.
func (g *Grid) disturb() {
	if g.logs() {
		g.log.moved = true
	}
}

// moveColumns inserts or removes cells at x in all rows of the region.
func (g *Grid) moveColumns(x int, edit func(r *row, x int)) {
	if !g.inRegion() {
		return
	}
	for y := g.on.top; y <= g.on.bottom; y++ {
		r := g.on.row(y)
		edit(r, x%g.cols)
		r.touch(g.clock)
		r.wrapped = false
	}
	g.disturb()
}

// setRegion sets the scrolling region.
func (g *Grid) setRegion() {
	p := &g.parser
	top, bottom := max(p.params[0], 1), g.rows
	if p.count > 1 && p.params[1] > 0 && p.params[1] < g.rows {
		bottom = p.params[1]
	}
	if bottom > top {
		g.on.top, g.on.bottom = top-1, bottom-1
		g.moveTo(0, 0)
	}
}

// align fills the screen with the letter E (DECALN).
func (g *Grid) align() {
	g.moveTo(0, 0)
	for y := range g.rows {
		g.eraseRow(y)
		r := g.on.row(y)
		for x := range g.cols {
			r.ascii(x, []byte{'E'}, g.cols)
		}
		r.touch(g.clock)
	}
}
