package find

import (
	_ "embed"
	"strings"

	"ctxfs/providers/internal/words"
)

// synonymGroups are technical words that mean much the same in the name of a tool,
// one group a line. A word may be in several.
//
//go:embed synonyms.txt
var synonymGroups string

// synonyms are the words of synonymGroups by their stems, in the order of the
// groups.
func synonyms() map[string][]string {
	table := make(map[string][]string)
	for line := range strings.Lines(synonymGroups) {
		group := strings.Fields(line)
		for i := range group {
			group[i] = words.Stem(group[i])
		}
		for _, a := range group {
			for _, b := range group {
				if a != b {
					table[a] = append(table[a], b)
				}
			}
		}
	}
	return table
}
