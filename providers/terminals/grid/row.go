package grid

import (
	"bytes"
	"slices"
	"time"
	"unicode/utf8"
)

// row is one row of a screen. As long as it has only ASCII its cells are bytes,
// so that plain text is copied in and out; otherwise they are cells.
type row struct {
	plain    []byte // a byte a cell, 0 is a cell never written; nil before the first
	cells    []cell
	clusters []cluster
	rich     bool // cells is used, not plain
	gaps     bool // a cell before used may never have been written
	used     int  // the cells from here on were never written
	wrapped  bool // the terminal wrapped the row above into this one

	at     time.Duration // when it was last changed
	logged bool          // the log has it unchanged
	known  bool          // the log has had it in some form, which is was
	was    []byte
	cut    bool // was is the end of what the log had of an incomplete line
}

// clear empties the row as if it was never written nor logged.
func (r *row) clear(at time.Duration) {
	r.empty()
	r.wrapped, r.logged, r.known, r.cut = false, false, false, false
	r.at = at
}

// empty removes all content.
func (r *row) empty() {
	if r.rich {
		clear(r.cells[:r.used])
		r.clusters = r.clusters[:0]
		r.rich = false
	} else {
		clear(r.plain[:r.used])
	}
	r.used, r.gaps = 0, false
}

// touch records that the row changes.
func (r *row) touch(at time.Duration) { r.logged, r.at = false, at }

// extend marks the cells from x to end as used.
func (r *row) extend(x, end int) {
	if x > r.used {
		r.gaps = true
	}
	r.used = max(r.used, end)
}

// ascii writes printable ASCII at x, which fits into the cols columns.
func (r *row) ascii(x int, p []byte, cols int) {
	if r.rich {
		r.split(x, x+len(p))
		for i, c := range p {
			r.cells[x+i] = cell(c)
		}
	} else {
		if r.plain == nil {
			r.plain = make([]byte, cols)
		}
		copy(r.plain[x:], p)
	}
	r.extend(x, x+len(p))
}

// put writes a character of one or two cells at x.
func (r *row) put(x int, c rune, width, cols int) {
	r.enrich(cols)
	r.split(x, x+width)
	r.cells[x] = cell(c)
	if width == 2 {
		r.cells[x] |= isWide
		r.cells[x+1] = isTail
	}
	r.extend(x, x+width)
}

// join adds a combining character to the one before x, and reports whether
// there is one.
func (r *row) join(x int, c rune, cols int) bool {
	if x == 0 || x > r.used {
		return false
	}
	r.enrich(cols)
	x--
	if r.cells[x] == isTail {
		x--
	}
	base := r.cells[x]
	switch {
	case base == 0:
		return false
	case base&isCluster == 0:
		if len(r.clusters) >= 2*cols {
			r.compact()
		}
		var made cluster
		made.add(rune(base & content))
		r.clusters = append(r.clusters, made)
		r.cells[x] = base&^content | isCluster | cell(len(r.clusters)-1)
	}
	r.clusters[r.cells[x]&content].add(c)
	return true
}

// compact removes the clusters that no cell uses any more.
func (r *row) compact() {
	var kept []cluster
	for x, c := range r.cells[:r.used] {
		if c&isCluster != 0 {
			kept = append(kept, r.clusters[c&content])
			r.cells[x] = c&^content | cell(len(kept)-1)
		}
	}
	r.clusters = append(r.clusters[:0], kept...)
}

// enrich turns bytes into cells.
func (r *row) enrich(cols int) {
	if r.rich {
		return
	}
	if len(r.cells) < cols {
		r.cells = make([]cell, cols)
	}
	for x, c := range r.plain[:r.used] {
		r.cells[x] = cell(c)
	}
	clear(r.plain[:r.used])
	r.rich = true
}

// split empties the remaining halves of wide characters when the cells from x
// to end are written.
func (r *row) split(x, end int) {
	if x > 0 && x < len(r.cells) && r.cells[x] == isTail {
		r.cells[x-1] = 0
		r.gaps = true
	}
	if end < len(r.cells) && r.cells[end] == isTail {
		r.cells[end] = 0
		r.gaps = true
	}
}

// erase empties the cells from x to end as if they were never written.
func (r *row) erase(x, end int) {
	if end = min(end, r.used); x >= end {
		return
	}
	if r.rich {
		r.split(x, end)
		clear(r.cells[x:end])
	} else {
		clear(r.plain[x:end])
	}
	if end == r.used {
		r.used = x
	} else {
		r.gaps = true
	}
}

// insert moves the cells from x on to the right by n.
func (r *row) insert(x, n, cols int) {
	if x >= r.used {
		return
	}
	n = min(n, cols-x)
	if r.rich {
		r.split(x, x)
		copy(r.cells[x+n:], r.cells[x:])
		clear(r.cells[x : x+n])
		if r.cells[cols-1]&isWide != 0 {
			r.cells[cols-1] = 0
		}
	} else {
		copy(r.plain[x+n:], r.plain[x:])
		clear(r.plain[x : x+n])
	}
	r.used, r.gaps = min(r.used+n, cols), true
}

// remove moves the cells after x+n to the left by n.
func (r *row) remove(x, n int) {
	if x >= r.used {
		return
	}
	n = min(n, r.used-x)
	if r.rich {
		r.split(x, x+n)
		copy(r.cells[x:], r.cells[x+n:r.used])
		clear(r.cells[r.used-n : r.used])
	} else {
		copy(r.plain[x:], r.plain[x+n:r.used])
		clear(r.plain[r.used-n : r.used])
	}
	r.used -= n
	r.gaps = true
}

// text appends the row's text to dst: blanks for cells that were never written,
// if a later one was.
func (r *row) text(dst []byte) []byte {
	end := r.used
	if !r.rich {
		if !r.gaps {
			return append(dst, r.plain[:end]...)
		}
		for end > 0 && r.plain[end-1] == 0 {
			end--
		}
		from := len(dst)
		dst = append(dst, r.plain[:end]...)
		for i := from; ; i++ {
			n := bytes.IndexByte(dst[i:], 0)
			if n < 0 {
				return dst
			}
			i += n
			dst[i] = ' '
		}
	}
	for end > 0 && r.cells[end-1] == 0 {
		end--
	}
	dst = slices.Grow(dst, utf8.UTFMax*end)
	n := len(dst)
	dst = dst[:n+utf8.UTFMax*end]
	for x, c := range r.cells[:end] {
		switch {
		case c-1 < utf8.RuneSelf-1:
			dst[n] = byte(c)
			n++
		case c == 0:
			dst[n] = ' '
			n++
		case c == isTail:
		case c&isCluster != 0:
			made := &r.clusters[c&content]
			dst = append(dst[:n], made.text[:made.n]...)
			n = len(dst)
			left := utf8.UTFMax * (end - x)
			dst = slices.Grow(dst, left)[:n+left]
		case c&content >= 0x800 && c&content < 0x10000: // most others
			wide := dst[n : n+3]
			wide[0], wide[1], wide[2] = 0xe0|byte(c>>12&0xf), 0x80|byte(c>>6&0x3f), 0x80|byte(c&0x3f)
			n += 3
		default:
			n += utf8.EncodeRune(dst[n:], rune(c&content))
		}
	}
	return dst[:n]
}

// length returns the number of cells up to the last that was written.
func (r *row) length() int {
	end := r.used
	if r.gaps {
		for end > 0 && (r.rich && r.cells[end-1] == 0 || !r.rich && r.plain[end-1] == 0) {
			end--
		}
	}
	return end
}

// blank reports whether nothing is visible in the row.
func (r *row) blank() bool {
	if r.rich {
		for _, c := range r.cells[:r.used] {
			if c != 0 && c != ' ' {
				return false
			}
		}
		return true
	}
	for _, c := range r.plain[:r.used] {
		if c != 0 && c != ' ' {
			return false
		}
	}
	return true
}

// cell is one place of a row that has more than ASCII: a character, or the
// index of a cluster, with flags. Zero is a cell that was never written.
type cell uint32

const (
	isCluster cell = 1 << (21 + iota) // the low bits are an index into the row's clusters
	isWide                            // the character takes this cell and the next
	isTail                            // the second cell of a wide character

	content cell = 1<<21 - 1
)

// cluster is a character with its combining characters, in UTF-8. What does not fit
// is left out: no script comes near that limit, but a stream of combining
// characters may go on forever.
type cluster struct {
	text [31]byte
	n    uint8
}

func (c *cluster) add(r rune) {
	if utf8.RuneLen(r) <= len(c.text)-int(c.n) {
		c.n += uint8(utf8.EncodeRune(c.text[c.n:], r))
	}
}

// hidden is the width of characters that are left out: invisible ones, and
// those that reorder others.
const hidden = 3

// width returns how many cells a character takes: 1, 2, 0 if it combines with
// the one before it, or hidden. It is not called with control characters.
func width(r rune) int {
	if r >= 0x20000 {
		return widthBeyond(r)
	}
	// Pages of 128 characters, four in a byte.
	page := widthPages + int(widths[r>>7])<<5
	return int(widths[page+int(r&127)>>2]) >> (r & 3 * 2) & 3
}

// widthBeyond returns the width of characters beyond those in the table.
func widthBeyond(r rune) int {
	switch {
	case r < 0x40000: // rare Chinese
		return 2
	case r >= 0xe0000 && r <= 0xe0fff: // tags
		return hidden
	}
	return 1
}

// takesCells reports whether a width is one or two cells.
func takesCells(width int) bool { return width == 1 || width == 2 }
