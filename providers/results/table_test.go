package results

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

// TestIndexIsMadeAhead: reading the index opens no result, and does not wait
// for the counting of lines.
func TestIndexIsMadeAhead(t *testing.T) {
	dir := stateDir(t)
	fstest.Must(t, os.MkdirAll(dir, 0o700))
	name := "2026-11-21T04-01-02Z.files.read.abcde.txt"
	fstest.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(strings.Repeat("a line\n", 1000)), 0o600))
	f := start(t, dir)
	isMade := func() {
		t.Helper()
		n, err := f.tree.Resolve(t.Context(), indexName)
		fstest.Must(t, err)
		if _, ok := n.(*fs.Text); !ok {
			t.Errorf("the index is a %T", n)
		}
	}
	isMade()
	if got := f.rows(); len(got) != 1 || got[0][6] != name || got[0][5] != "" && got[0][5] != "1000" {
		t.Errorf("rows %q", got)
	}
	f.counted()
	if got := f.rows(); got[0][5] != "1000" {
		t.Errorf("rows %q", got)
	}
	isMade()
	at := f.attr(indexName).ModTime

	// A restart shows it at the same time.
	fstest.Must(t, f.Close())
	again := start(t, dir)
	again.counted()
	if got := again.attr(indexName).ModTime; !got.Equal(at) {
		t.Errorf("the time was %v and is %v", at, got)
	}

	// Later results are counted too.
	fstest.Must(t, os.WriteFile(filepath.Join(dir, strings.Replace(name, "abcde", "xbcde", 1)), nil, 0o600))
	fstest.Settles(t, again, "the other is there", func() bool { return len(again.rows()) == 2 })
	again.counted()
	if got := again.rows(); got[0][5] != "0" && got[1][5] != "0" {
		t.Errorf("rows %q", got)
	}
}
