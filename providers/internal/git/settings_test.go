package git

import (
	"slices"
	"testing"
)

func FuzzSettings(f *testing.F) {
	f.Add([]byte("core.bare\nfalse\x00branch.a \"b\\.c.merge\nrefs/heads/x\x00remote.o.fetch\n+refs/*:refs/*\x00core.eol\x00"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s := Parse(text)
		for _, e := range s.Harmless() {
			if section, _, _ := splitKey(e.Key); !slices.Contains([]string{"core", "extensions", "branch", "remote"}, section) {
				t.Errorf("%q is kept", e.Key)
			}
		}
		_ = s.Harmless().String()
	})
}
