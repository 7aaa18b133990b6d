package ignore

import (
	"testing"

	"ctxfs/fs/fstest"
)

func TestMatchGlob(t *testing.T) {
	for _, c := range []struct {
		glob, path string
		want       bool
	}{
		{"*.go", "a.go", true}, {"*.go", "x/a.go", false}, {"**/*.go", "a.go", true}, {"**/*.go", "x/y/a.go", true},
		{"src/**", "src/a/b", true}, {"*.{ts,tsx}", "a.tsx", true}, {"[ab]?", "bz", true}, {"*", ".env", true},
	} {
		fstest.Equal(t, MatchGlob(c.glob, c.path), c.want, "matches", c.glob, c.path)
	}
	for _, bad := range []string{"[a", "{a,b", "a\\"} {
		if IsGlob(bad) {
			t.Errorf("%q is valid", bad)
		}
	}
}
