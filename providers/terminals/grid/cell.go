package grid

import "unicode/utf8"

// A cell is one place of a row that holds more than ASCII: a character, or the
// index of a cluster, with flags. Zero is a cell that was never written.
type cell uint32

const (
	isCluster cell = 1 << (21 + iota) // the low bits are an index into the row's clusters
	isWide                            // the character takes this cell and the next
	isTail                            // the second cell of a wide character

	content cell = 1<<21 - 1
)

// A cluster is a character with those that combine with it, in UTF-8. What
// does not fit is left out: no script's writing comes near that, but a stream of
// combining characters may go on for ever.
type cluster struct {
	text [31]byte
	n    uint8
}

func (c *cluster) add(r rune) {
	if utf8.RuneLen(r) <= len(c.text)-int(c.n) {
		c.n += uint8(utf8.EncodeRune(c.text[c.n:], r))
	}
}
