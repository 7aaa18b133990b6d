package grid

// hidden is the width of characters that are left out: invisible ones, and those
// that reorder others.
const hidden = 3

// width tells how many cells a character takes: 1, 2, 0 if it combines with the
// one before it, or hidden. Controls are not asked for.
func width(r rune) int {
	if r >= 0x20000 {
		return widthBeyond(r)
	}
	// Pages of 128 characters, of which four share a byte.
	page := int(widthIndex[r>>7]) << 5
	return int(widthPages[page+int(r&127)>>2]) >> (r & 3 * 2) & 3
}

// widthBeyond is the width of characters beyond those that the table has.
func widthBeyond(r rune) int {
	switch {
	case r < 0x40000: // rare Chinese
		return 2
	case r >= 0xe0000 && r <= 0xe0fff: // tags
		return hidden
	}
	return 1
}

// takesCells tells whether a width is one of its own.
func takesCells(width int) bool { return width == 1 || width == 2 }
