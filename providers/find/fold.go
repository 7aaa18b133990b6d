package find

import (
	"slices"

	"ctxfs/providers/facts"
)

// fold returns the best of some matches, which are in order. Only a few are of one
// server, session or file as long as there are others; the last of those tells how
// many more would have been listed.
func fold(matches []facts.Match, limit int) []facts.Match {
	count := make(map[string]int)
	var listed, rest []facts.Match
	for _, m := range matches {
		part := partOf(m)
		if count[part]++; count[part] > most(m) {
			rest = append(rest, m)
			continue
		}
		if listed = append(listed, m); len(listed) == limit {
			break
		}
	}
	room := limit - len(listed)
	listed = append(listed, rest[:min(room, len(rest))]...)
	slices.SortStableFunc(listed, compareMatches)
	left := make(map[string]int)
	for _, m := range rest[min(room, len(rest)):] {
		left[partOf(m)]++
	}
	for i := range slices.Backward(listed) {
		m := &listed[i]
		if part := partOf(*m); left[part] > 0 {
			m.More, m.In, left[part] = left[part], part, 0
		}
	}
	return listed
}

// partOf returns the path of what a match is a part of.
func partOf(m facts.Match) string {
	if m.Evidence.Part != "" {
		return m.Evidence.Part
	}
	return groupOf(m.Path)
}

// most returns how many matches may be listed of what a match is a part of.
func most(m facts.Match) int {
	if m.Evidence.Part != "" {
		return mostOfText
	}
	return mostOfOne
}
