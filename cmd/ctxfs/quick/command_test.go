package quick

import (
	"os"
	"testing"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

// TestIsCommand: only commands that read, and read no files of their caller, are passed on.
func TestIsCommand(t *testing.T) {
	for _, c := range []struct {
		args []string
		want bool
	}{
		{nil, false},
		{[]string{"find", "create", "issue"}, true},
		{[]string{"status", "--json"}, true},
		{[]string{"here"}, true},
		{[]string{"here", "--page"}, true},
		{[]string{"here", "."}, false},
		{[]string{"call", "a", "b"}, false},
		{[]string{"--help"}, false},
	} {
		fstest.Equal(t, IsCommand(c.args), c.want, "passed on", c.args)
	}
}

// TestIdentities: package quick identifies a folder as package fs does.
func TestIdentities(t *testing.T) {
	dir, err := os.Getwd()
	fstest.Must(t, err)
	at := fs.StandpointAt(dir)
	fstest.Equal(t, len(identities(dir)), len(at.Folders), "folders")
	fstest.EqualSlices(t, Elements(List([]string{"a", "", "b c"})), []string{"a", "", "b c"}, "elements")
}
