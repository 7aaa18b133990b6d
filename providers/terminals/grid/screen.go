package grid

import "unicode/utf8"

// screen is the rows of a terminal with a cursor. A terminal has two.
type screen struct {
	ring        []*row // row y is ring[(first+y) % len]: scrolling moves first
	first       int
	x, y        int // the cursor; x is the number of columns when the next character wraps
	top, bottom int // the first and the last row of the scrolling region
	saved       saved
}

// saved is what a program saves and restores.
type saved struct {
	x, y int
	set  charsets
}

func (s *screen) row(y int) *row {
	if y += s.first; y >= len(s.ring) {
		y -= len(s.ring)
	}
	return s.ring[y]
}

func (s *screen) setRow(y int, r *row) {
	if y += s.first; y >= len(s.ring) {
		y -= len(s.ring)
	}
	s.ring[y] = r
}

// newScreen returns a screen of rows that were never written.
func newScreen(rows int) screen {
	s := screen{ring: make([]*row, rows), bottom: rows - 1}
	made := make([]row, rows)
	for y := range made {
		s.ring[y] = &made[y]
	}
	return s
}

// rotate moves the rows from top to bottom up by one; the first becomes the last
// and is returned.
func (s *screen) rotate(top, bottom int) *row {
	moved := s.row(top)
	if top == 0 && bottom == len(s.ring)-1 {
		if s.first++; s.first == len(s.ring) {
			s.first = 0
		}
		return moved
	}
	for y := top; y < bottom; y++ {
		s.setRow(y, s.row(y+1))
	}
	s.setRow(bottom, moved)
	return moved
}

// rotateDown moves the rows from top to bottom down by one; the last becomes the
// first and is returned.
func (s *screen) rotateDown(top, bottom int) *row {
	moved := s.row(bottom)
	for y := bottom; y > top; y-- {
		s.setRow(y, s.row(y-1))
	}
	s.setRow(top, moved)
	return moved
}

// scroll removes the first row of the region, into the log if it is the
// screen's first, and gives the region a new last one.
func (g *Grid) scroll(wrapped bool) {
	s := g.on
	if s.top == 0 {
		more := wrapped
		if s.bottom > 0 {
			more = s.row(1).wrapped
		}
		g.scrolledOff(more)
	}
	r := s.rotate(s.top, s.bottom)
	r.clear(g.clock)
	r.wrapped = wrapped
}

// lineFeed moves the cursor down, and scrolls at the end of the region.
func (g *Grid) lineFeed() {
	s := g.on
	s.row(s.y).at = g.clock // complete now
	switch {
	case s.y == s.bottom:
		g.scroll(false)
	case s.y < g.rows-1:
		s.y++
		r := s.row(s.y)
		r.wrapped = false
		if r.used == 0 {
			r.logged, r.known = false, false // an empty line has its place, too
		}
	}
	if s.x >= g.cols {
		s.x = g.cols - 1
	}
}

// wrap continues at the beginning of the next row.
func (g *Grid) wrap() {
	s := g.on
	s.x = 0
	switch {
	case s.y == s.bottom:
		g.scroll(true)
		return
	case s.y < g.rows-1:
		s.y++
	}
	s.row(s.y).wrapped = true
}

// write writes printable ASCII at the cursor.
func (g *Grid) write(p []byte) {
	s := g.on
	for len(p) > 0 {
		if s.x >= g.cols {
			if g.mode.noWrap {
				s.x = g.cols - 1
				p = p[len(p)-1:] // each would replace the one before
			} else {
				g.wrap()
			}
		}
		n := min(len(p), g.cols-s.x)
		r := s.row(s.y)
		r.ascii(s.x, p[:n], g.cols)
		r.touch(g.clock)
		s.x += n
		p = p[n:]
	}
}

// mixed writes the beginning of p at the cursor, up to a control or to a
// character that needs print, and returns its length.
func (g *Grid) mixed(p []byte) (n int) {
	if g.translated() {
		return 0
	}
	s := g.on
	for n < len(p) {
		if s.x >= g.cols {
			c, _ := decode(p[n:])
			if g.mode.noWrap || c < ' ' || c >= 0x7f && c < 0xa0 || !takesCells(width(c)) {
				return n
			}
			g.wrap()
		}
		r := s.row(s.y)
		r.enrich(g.cols)
		cells := r.cells[:g.cols]
		x := s.x
		halved := x > 0 && cells[x] == isTail
		for n < len(p) && x < len(cells) {
			c, size := rune(p[n]), 1
			if c < ' ' || c == 0x7f {
				break
			}
			w := 1
			if c >= utf8.RuneSelf && c < 0xc2 {
				c = utf8.RuneError // begins no character
			} else if c >= 0xc2 {
				if c, size = decode(p[n:]); c < 0xa0 {
					break
				}
				if w = width(c); !takesCells(w) || x+w > len(cells) {
					break
				}
			}
			if cells[x] = cell(c); w == 2 {
				cells[x] |= isWide
				cells[x+1] = isTail
			}
			g.last = c
			x += w
			n += size
		}
		if x == s.x {
			return n
		}
		if halved {
			cells[s.x-1], r.gaps = 0, true
		}
		if x < len(cells) && cells[x] == isTail {
			cells[x], r.gaps = 0, true
		}
		r.extend(s.x, x)
		r.touch(g.clock)
		if s.x = x; x < g.cols {
			return n
		}
	}
	return n
}

// print writes one character at the cursor.
func (g *Grid) print(c rune) {
	s := g.on
	w := 1
	if c >= 0xa0 {
		if w = width(c); w == hidden {
			return
		}
	} else {
		c = g.set.character(c)
	}
	if w == 0 {
		r := s.row(s.y)
		if r.join(s.x, c, g.cols) {
			r.touch(g.clock)
			return
		}
		w = 1
	}
	g.last = c
	if s.x+w > g.cols {
		if g.mode.noWrap {
			s.x = g.cols - 1
			if w == 2 {
				return
			}
		} else {
			if s.x < g.cols {
				s.row(s.y).erase(s.x, g.cols)
			}
			g.wrap()
		}
	}
	r := s.row(s.y)
	if g.mode.insert {
		r.insert(s.x, w, g.cols)
	}
	if c < 0x7f {
		r.ascii(s.x, []byte{byte(c)}, g.cols)
	} else {
		r.put(s.x, c, w, g.cols)
	}
	r.touch(g.clock)
	s.x += w
}
