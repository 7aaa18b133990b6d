package textdiff

import (
	"fmt"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

func numbered(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

func TestUnified(t *testing.T) {
	t.Parallel()
	fstest.Equal(t, Unified("a", "b", "x\n", "x\n"), "")
	if got, want := Unified("a", "b", "x\ny\n", "x\nz\n"), "--- a\n+++ b\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n"; got != want {
		t.Errorf("%q", got)
	}
}

func TestPiece(t *testing.T) {
	t.Parallel()
	const head = "--- a\n+++ b\n"
	for _, c := range []struct {
		name, piece string
		line        int
		to, want    string
	}{
		{"still there", numbered(40, 50), 40, numbered(1, 900), ""},
		{"further down by now", numbered(40, 50), 40, numbered(0, 0) + numbered(1, 900), ""},
		{"not the end of a longer line", "ine 2\n", 2, numbered(1, 3), head + "@@ -2 +2 @@\n-ine 2\n+line 2\n"},
		{"a line of many", numbered(400, 406), 400, strings.Replace(numbered(1, 3000), "line 403\n", "other\n", 1),
			head + "@@ -400,7 +400,7 @@\n line 400\n line 401\n line 402\n-line 403\n+other\n line 404\n line 405\n line 406\n"},
		{"and the lines before it moved", numbered(400, 402), 400, "new\nnew\n" + strings.Replace(numbered(1, 3000), "line 401\n", "other\n", 1),
			head + "@@ -400,3 +402,3 @@\n line 400\n-line 401\n+other\n line 402\n"},
		{"of an unknown line", numbered(7, 8), 0, strings.Replace(numbered(1, 9), "line 8\n", "", 1), head + "@@ -1,2 +7,2 @@\n line 7\n-line 8\n+line 9\n"},
		{"nothing is left of it", "x\ny\n", 2, numbered(1, 3), head + "@@ -2,2 +2,2 @@\n-x\n-y\n+line 2\n+line 3\n"},
		{"the file is empty", "x\n", 5, "", head + "@@ -5 +0,0 @@\n-x\n"},
	} {
		fstest.Equal(t, Piece("a", "b", c.piece, c.line, c.to), c.want, c.name)
	}
}
