package caller

import (
	"testing"

	"ctxfs/fs/fstest"
)

// TestUserEnviron: the environment of the user is the last one that was kept, never that of an agent.
func TestUserEnviron(t *testing.T) {
	state := t.TempDir() + "/ctxfs"
	own := []string{"PATH=/bin", "CLAUDECODE=1", "HTTPS_PROXY=http://own"}
	fstest.EqualSlices(t, UserEnviron(state, own), []string{"PATH=/bin", "HTTPS_PROXY=http://own"}, "before anything was kept")
	for _, keep := range [][]string{{"HTTPS_PROXY=http://typed", "TEXT=a\nb="}, {"HTTPS_PROXY=http://agent", "CLAUDECODE=1"}} {
		fstest.Must(t, KeepEnviron(state, keep))
		fstest.EqualSlices(t, UserEnviron(state, own), []string{"HTTPS_PROXY=http://typed", "TEXT=a\nb="}, "after a shell")
	}
}
