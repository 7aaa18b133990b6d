package mask

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// linesOf returns the lines of a file of testdata without its remarks.
func linesOf(t testing.TB, name string) (lines []string) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	fstest.Must(t, err)
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && !strings.HasPrefix(line, "# ") {
			lines = append(lines, strings.ReplaceAll(line, "·", ""))
		}
	}
	return lines
}

var (
	marked  = regexp.MustCompile(`⟦(.*?)⟧`)
	markers = regexp.MustCompile(`\[REDACTED:[a-z0-9-]+\]`)
)

// plain returns a line of contexts.txt without its marks, and the line with its
// secrets hidden, whatever the rules are called.
func plain(line string) (text, want string) {
	return marked.ReplaceAllString(line, "$1"), marked.ReplaceAllString(line, "[]")
}

func anyRule(text string) string { return markers.ReplaceAllString(text, "[]") }

// TestContexts: every secret of contexts.txt is masked, and nothing else of its
// line; masking again changes nothing.
func TestContexts(t *testing.T) {
	all := linesOf(t, "contexts.txt")
	found := 0
	for _, line := range all {
		text, want := plain(line)
		got := Text(text)
		if anyRule(got) != want {
			t.Errorf("%s\n got %s", line, got)
			continue
		}
		found++
		fstest.Equal(t, Text(got), got, "at first", line)
		for _, around := range [][2]string{{"one\n", "\ntwo\n"}, {"x\n\n", "\r\n"}} {
			if got := Text(around[0] + text + around[1]); anyRule(got) != around[0]+want+around[1] {
				t.Errorf("%q\n got %q", around[0]+text+around[1], got)
			}
		}
	}
	t.Logf("%d of %d lines of contexts.txt", found, len(all))
}

// TestOrdinaryLines: no line of ordinary.txt changes.
func TestOrdinaryLines(t *testing.T) {
	all := linesOf(t, "ordinary.txt")
	kept := 0
	for _, line := range all {
		if got := Text(line); got != line {
			t.Errorf("%s\n got %s", line, got)
			continue
		}
		kept++
	}
	if text := strings.Join(all, "\n"); kept == len(all) && Text(text) != text {
		t.Error("together they change")
	}
	t.Logf("%d of %d lines of ordinary.txt", kept, len(all))
}
