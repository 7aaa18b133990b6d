package plans

import (
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

func TestSlug(t *testing.T) {
	for title, want := range map[string]string{
		"Q: why is `entire explain` showing… nothing?": "Q_why_is_entire_explain_showing_nothing",
		"don't -- stop":             "dont_stop",
		"re-do snake__case":         "re-do_snake_case",
		"größe 検索":                  "größe_検索",
		"…":                         "",
		"":                          "",
		strings.Repeat("word ", 20): strings.TrimSuffix(strings.Repeat("word_", 12), "_"),
		strings.Repeat("ä", 40):     strings.Repeat("ä", 30),
	} {
		fstest.Equal(t, slug(title), want, title)
	}
}

// TestProjectsOfOneName: of projects that are called the same the index tells which is
// which.
func TestProjectsOfOneName(t *testing.T) {
	w := newWorld(t, nil)
	w.session("codex", "s1", "gone/a/cli", list(at(1), "pending write the first"))
	w.start(false)
	fstest.ContainsNot(t, w.Cat("INDEX.md"), "~2")
	w.session("codex", "s2", "gone/b/cli", list(at(2), "pending write the second"))
	w.Look()
	fstest.Contains(t, w.Cat("INDEX.md"), "A name that ends in ~2", "## cli: ~/gone/a/cli\n", "## cli~2: ~/gone/b/cli\n")
}
