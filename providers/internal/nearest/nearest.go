// Package nearest finds the word that somebody probably meant.
package nearest

import "strings"

// Of is the known word nearest to word, or "" where none is near: at most a
// third of its letters, and never fewer than two, may be wrong, missing, too
// many or swapped with their neighbour. Case does not count.
func Of(word string, known []string) string {
	best, least := "", max(2, len([]rune(word))/3)+1
	for _, k := range known {
		if d := Distance([]rune(strings.ToLower(word)), []rune(strings.ToLower(k))); d < least {
			best, least = k, d
		}
	}
	return best
}

// Distance is how many letters have to be changed, added, left out or swapped
// with their neighbour to make one word of the other (optimal string alignment).
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
