package find

import (
	"slices"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

func TestPassages(t *testing.T) {
	for _, test := range []struct{ query, want string }{
		{"read /root/notes.txt.", "read|file|txt"},
		{"what is in ~/music?", "what is in|directory path"},
		{"convert a.docx and Node.js", "convert and Node.js|file|docx"},
		{"mail x@y.org now", "mail now|email"},
		{"see https://www.github.com/a/b.", "see|url github"},
		{"and/or 1/2", "and/or 1/2"},
		{"the card 'Sky Striker' please", "the card please|'Sky Striker'"},
		{`"create issue"`, `"create issue"`},
		{"on 2026-01-02", "on|date"},
		{"what is " + strings.Repeat("iVBO", 50), "what is"},
	} {
		var got []string
		for _, p := range passages(test.query) {
			got = append(got, strings.Join(strings.Fields(p.text), " "))
		}
		fstest.Equal(t, strings.Join(got, "|"), test.want, test.query, got)
	}
}

// TestSynonymsAreKnownBothWays also keeps the list free of what does nothing.
func TestSynonymsAreKnownBothWays(t *testing.T) {
	table := synonyms()
	for a, others := range table {
		for _, b := range others {
			if !slices.Contains(table[b], a) {
				t.Errorf("%s stands for %s, and not the other way round", a, b)
			}
		}
	}
	for line := range strings.Lines(synonymGroups) {
		if words := strings.Fields(line); len(words) == 1 || strings.ToLower(line) != line {
			t.Errorf("a group of %q", words)
		}
	}
}
