// Package textdiff shows how a text differs from another one, in the unified format of
// diff.
package textdiff

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// context is how many equal lines are shown around those that differ.
const context = udiff.DefaultContextLines

// Unified returns the difference between two texts; "" if they are equal. The labels are
// those of the texts.
func Unified(fromLabel, toLabel, from, to string) string {
	return unified(fromLabel, toLabel, from, to, 0, 0)
}

// Piece returns the difference between a piece of a text as it was, from a line counted
// from 1, 0 if that is not known, and the place in the text where it would be now. It
// returns "" if the piece is still there.
func Piece(fromLabel, toLabel, piece string, line int, to string) string {
	if piece == "" || strings.HasPrefix(to, piece) || strings.Contains(to, "\n"+piece) {
		return ""
	}
	was, is := lines(piece), lines(to)
	first, end := window(was, is, max(line, 1)-1)
	return unified(fromLabel, toLabel, piece, strings.Join(is[first:end], ""), max(line, 1)-1, first)
}

// window returns the lines of a text in which a piece of it would be now: around the
// lines of the piece that are in both texts once, or else where it was.
func window(piece, text []string, at int) (first, end int) {
	where := make(map[string]int, len(text)) // -1 for lines that are there several times
	for i, line := range text {
		if _, twice := where[line]; twice {
			i = -1
		}
		where[line] = i
	}
	first, end = -1, -1
	last := -1
	for i, line := range piece {
		n, ok := where[line]
		if !ok || n < 0 || n <= last || strings.TrimSpace(line) == "" || last >= 0 && n-last > len(piece) {
			continue
		}
		if last < 0 {
			first = max(n-i, 0)
		}
		last, end = n, n+len(piece)-i
	}
	if last < 0 {
		first, end = at, at+len(piece)
	}
	return min(first, len(text)), min(end, len(text))
}

// unified is Unified for texts before which there are so many lines.
func unified(fromLabel, toLabel, from, to string, fromAfter, toAfter int) string {
	if from == to {
		return ""
	}
	d, err := udiff.ToUnifiedDiff(fromLabel, toLabel, from, udiff.Lines(from, to), context)
	if err != nil {
		return "" // impossible: the edits are those of the texts
	}
	for _, h := range d.Hunks {
		h.FromLine += fromAfter
		h.ToLine += toAfter
	}
	return d.String()
}

// lines returns the lines of a text with their ends.
func lines(text string) (all []string) {
	for line := range strings.Lines(text) {
		all = append(all, line)
	}
	return all
}
