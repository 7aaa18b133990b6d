package control

import (
	"os"
	"path/filepath"
	"testing"

	"ctxfs/fs/fstest"
)

func TestVersionsAreOrdered(t *testing.T) {
	ordered := []string{"0.0.9", "0.1.0-alpha", "0.1.0-alpha.1", "0.1.0-alpha.beta", "0.1.0-rc.2", "0.1.0-rc.11", "0.1.0", "v0.2.0", "0.10.0", "1.0.0"}
	for i, a := range ordered {
		for j, b := range ordered {
			want := 0
			if i < j {
				want = -1
			} else if i > j {
				want = 1
			}
			fstest.Equal(t, compareVersions(a, b), want, "compareVersions", a, b)
		}
	}
	for _, odd := range []string{"", "dev", "1.2", "1.2.3.4", "1.-2.3", "1.2.99999999999999999999"} {
		if compareVersions(odd, "1.0.0") != 0 || compareVersions("1.0.0", odd) != 0 {
			t.Errorf("%q is compared with a version", odd)
		}
	}
	fstest.Equal(t, compareVersions("1.0.0+a", "1.0.0+b"), 0, "what follows a plus counts")
}

// TestReplacedProgramIsOlder compares this program with a process of the same
// version whose file it is, or is not.
func TestReplacedProgramIsOlder(t *testing.T) {
	self, err := os.Executable()
	fstest.Must(t, err)
	other := filepath.Join(t.TempDir(), "other")
	fstest.Must(t, os.WriteFile(other, []byte("other"), 0o700))
	link := filepath.Join(t.TempDir(), "link")
	fstest.Must(t, os.Symlink(self, link))
	h := Home{Version: "1.0.0"}
	for name, c := range map[string]struct {
		g    greeting
		want age
	}{
		"the same file":               {greeting{Version: "1.0.0", Program: self, Build: build(self)}, asOld},
		"a faithful copy":             {greeting{Version: "1.0.0", Program: self, Build: "1" + build(self)[1:]}, asOld},
		"touched":                     {greeting{Version: "1.0.0", Program: self, Build: build(self) + "1"}, asOld},
		"replaced":                    {greeting{Version: "1.0.0", Program: self, Build: "1 2 3"}, older},
		"replaced, by a link":         {greeting{Version: "1.0.0", Program: link, Build: "1 2 3"}, older},
		"elsewhere":                   {greeting{Version: "1.0.0", Program: other, Build: build(other)}, asOld},
		"elsewhere, replaced":         {greeting{Version: "1.0.0", Program: other, Build: "1 2 3"}, asOld},
		"a file that is gone":         {greeting{Version: "1.0.0", Program: other + "x", Build: "1 2 3"}, asOld},
		"without a build":             {greeting{Version: "1.0.0"}, asOld},
		"an older version":            {greeting{Version: "0.9.0"}, older},
		"a newer version":             {greeting{Version: "1.0.1"}, newer},
		"a newer version, replaced":   {greeting{Version: "1.0.1", Program: self, Build: "1 2 3"}, newer},
		"a version of no known order": {greeting{Version: "unknown"}, asOld},
	} {
		fstest.Equal(t, h.ageOf(c.g), c.want, name)
	}
}
