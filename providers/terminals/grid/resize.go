package grid

// Resize sets the size of the terminal, between two writes. Wrapped lines of the
// primary screen are rewrapped; rows that no longer fit leave at the top, into the
// log. A full-screen program's rows are cut, since it redraws them. It takes some
// 50 ns a cell.
func (g *Grid) Resize(cols, rows int) {
	cols, rows = bound(cols, rows)
	if cols == g.cols && rows == g.rows {
		return
	}
	g.settle(g.now().Sub(g.epoch))
	shown := g.on
	g.on = &g.primary
	g.resize(g.rewrapped(cols), cols, rows)
	if g.on = shown; g.Alternate() {
		var cut []*row
		for y := range g.rows {
			cut = append(cut, g.on.row(y).recut(cols))
		}
		g.resize(cut, cols, rows)
	} else {
		g.alternate = screen{}
	}
	g.cols, g.rows = cols, rows
	g.tabs = stops(g.tabs, cols)
}

// resize makes lines, which may be any number, the rows of the screen that is
// shown.
func (g *Grid) resize(lines []*row, cols, rows int) {
	s := g.on
	for len(lines) > rows && s.y < len(lines)-1 && lines[len(lines)-1].blank() {
		lines = lines[:len(lines)-1]
	}
	for s.ring, s.first = lines, 0; len(s.ring) > rows && s.y > 0; s.y-- {
		g.scrolledOff(s.ring[1].wrapped)
		s.ring = s.ring[1:]
		s.saved.y = max(s.saved.y-1, 0)
	}
	s.ring = s.ring[:min(len(s.ring), rows)]
	for len(s.ring) < rows {
		s.ring = append(s.ring, &row{at: g.clock})
	}
	s.top, s.bottom = 0, rows-1
	s.x = min(s.x, cols)
	s.saved.x, s.saved.y = min(s.saved.x, cols-1), min(s.saved.y, rows-1)
}

// rewrapped returns the rows of the screen with its lines wrapped at cols, and
// moves the cursor with the character it is on.
func (g *Grid) rewrapped(cols int) []*row {
	s := g.on
	var lines []*row
	cursor := *s
	for first := 0; first < g.rows; {
		last := g.lineEnd(first)
		here := s.y >= first && s.y <= last
		at := len(lines)
		if r := s.row(first); first == last && r.length() <= cols {
			lines = append(lines, r.recut(cols))
			if here {
				cursor.y = at
			}
		} else {
			made, x, y := g.rewrap(first, last, cols)
			lines = append(lines, made...)
			if here {
				cursor.x, cursor.y = x, at+y
			}
		}
		first = last + 1
	}
	s.x, s.y = cursor.x, cursor.y
	return lines
}

// glyph is what a cell shows.
type glyph struct {
	cell
	cluster
}

// rewrap wraps the line of the rows from first to last at cols, and returns
// where the cursor is then, if it is in this line.
func (g *Grid) rewrap(first, last, cols int) (made []*row, x, y int) {
	s := g.on
	next := &row{wrapped: s.row(first).wrapped, logged: true}
	cut := s.row(last).cut
	for i := first; i <= last; i++ {
		r := s.row(i)
		next.at = max(next.at, r.at)
		next.logged = next.logged && r.logged
		next.known = next.known || r.known
	}
	state := *next
	place := func(c glyph, wide int) {
		if next.used+wide > cols {
			made = append(made, next)
			next = &row{wrapped: true, logged: state.logged, known: state.known, at: state.at}
		}
		next.show(c, wide, cols)
	}
	for i := first; i <= last; i++ {
		r := s.row(i)
		end := r.length()
		if i < last && end < g.cols && !(end == g.cols-1 && s.row(i+1).glyph(0).cell&isWide != 0) {
			end = g.cols // except for the cell that a wide character did not fit into
		}
		for c := 0; c < end; c++ {
			switch shown := r.glyph(c); {
			case shown.cell == 0: // written from now on, as it may end a row
				place(glyph{cell: ' '}, 1)
			case shown.cell&isTail != 0:
			case shown.cell&isWide != 0:
				place(shown, 2)
			default:
				place(shown, 1)
			}
			if i == s.y && c == s.x {
				x, y = next.used-1, len(made)
				if r.glyph(c).cell&isWide != 0 {
					x--
				}
			}
		}
		if i == s.y && s.x >= end {
			x, y = min(next.used+s.x-end, cols), len(made)
		}
	}
	made = append(made, next)
	for _, r := range made {
		if r.logged {
			r.was = r.text(nil)
		}
	}
	next.cut = cut && next.logged
	return made, x, y
}

// glyph returns what the cell at x shows.
func (r *row) glyph(x int) glyph {
	switch {
	case x < 0 || x >= r.used:
		return glyph{}
	case !r.rich:
		return glyph{cell: cell(r.plain[x])}
	case r.cells[x]&isCluster != 0:
		return glyph{r.cells[x], r.clusters[r.cells[x]&content]}
	}
	return glyph{cell: r.cells[x]}
}

// show appends what a cell shows to the row.
func (r *row) show(c glyph, wide, cols int) {
	if c.cell&isCluster != 0 {
		r.clusters = append(r.clusters, c.cluster)
		c.cell = c.cell&^content | cell(len(r.clusters)-1)
	}
	r.enrich(cols)
	r.cells[r.used] = c.cell
	if wide == 2 {
		r.cells[r.used+1] = isTail
	}
	r.used += wide
}

// recut gives the row a number of columns, and cuts what does not fit.
func (r *row) recut(cols int) *row {
	if r.used > cols {
		if r.rich {
			r.split(cols, cols)
		}
		r.erase(cols, r.used)
		r.logged = false
	}
	if r.plain != nil {
		plain := make([]byte, cols)
		copy(plain, r.plain)
		r.plain = plain
	}
	if r.cells != nil {
		cells := make([]cell, cols)
		copy(cells, r.cells)
		r.cells = cells
	}
	return r
}
