package grid

// hidden is the width of characters that are left out: invisible ones, and those
// that reorder others.
const hidden = -1

// A span is a range of characters that are not one cell wide.
type span struct {
	first, last rune
	width       int8
}

// width tells how many cells a character takes: 1, 2, 0 if it combines with the
// one before it, or hidden. Controls are not asked for.
func width(r rune) int {
	switch {
	case r < 0xad:
		return 1
	case r >= 0x3400 && r <= 0x9fff || r >= 0xac00 && r <= 0xd7a3: // most of Chinese, all of Korean
		if r < 0x4dc0 || r > 0x4dff {
			return 2
		}
	case r >= 0x2500 && r <= 0x25fc: // lines and blocks
		return 1
	}
	first, last := 0, len(widths)
	for first < last {
		i := (first + last) / 2
		switch s := &widths[i]; {
		case r < s.first:
			last = i
		case r > s.last:
			first = i + 1
		default:
			return int(s.width)
		}
	}
	return 1
}
