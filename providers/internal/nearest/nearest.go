// Package nearest finds the word that was probably meant.
package nearest

import (
	"math"
	"strings"
)

// Of returns the known word nearest to word, or "": one letter may be wrong,
// missing, extra or swapped with its neighbour, of five letters or more two, of
// nine or more a third. A word may also abbreviate a known one, with up to half of
// its letters left out but not the first ("mnt" for "mount"). Case does not count.
func Of(word string, known []string) string {
	typed := []rune(strings.ToLower(word))
	allowed := max(1, len(typed)/3)
	if len(typed) >= 5 {
		allowed = max(2, allowed)
	}
	best, least := "", math.MaxInt
	for _, k := range known {
		whole := []rune(strings.ToLower(k))
		d := 2 * Distance(typed, whole)
		switch {
		case d <= 2*allowed:
		case shortFor(typed, whole):
			d = 2*allowed + len(whole) - len(typed) // after near spellings, the shortest first
		default:
			continue
		}
		if len(typed) > 0 && len(whole) > 0 && typed[0] == whole[0] {
			d-- // typing errors are rare at the beginning
		}
		if d < least {
			best, least = k, d
		}
	}
	return best
}

// shortFor reports whether a word is another one with letters left out, though
// not the first, and at most half.
func shortFor(word, whole []rune) bool {
	if len(word) < 3 || len(word) >= len(whole) || 2*len(word) < len(whole) || word[0] != whole[0] {
		return false
	}
	for _, r := range whole {
		if len(word) > 0 && r == word[0] {
			word = word[1:]
		}
	}
	return len(word) == 0
}

// Distance returns how many letters have to be changed, added, removed or
// swapped with their neighbour to turn one word into the other (optimal string
// alignment).
func Distance(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
