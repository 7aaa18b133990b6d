package system

import (
	"path/filepath"
	"slices"
	"testing"

	"ctxfs/fs/fstest"
)

func TestLacks(t *testing.T) {
	dir := tree(t, ".venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n", ".venv/bin/python", "", "venv/x", "", "pyproject.toml", "[project]\nrequires-python = \">=3.12\"\n")
	s, err := newReader(t, t.TempDir()).Read(t.Context(), dir)
	fstest.Must(t, err)
	if want := (Program{"python", "3.11.2", filepath.Join(dir, ".venv/bin/python")}); len(s.Programs) == 0 || s.Programs[0] != want {
		t.Errorf("programs %+v, want %+v first", s.Programs, want)
	}
	if got, want := s.Lacks(dir), []string{".venv/bin/python 3.11.2", "python >=3.12 is wanted (pyproject.toml), 3.11.2 is on the PATH"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	s = System{
		Programs: []Program{{"node", "20.20.2", "/usr/bin/node"}, {"go", "1.25.0", "/go"}, {"rustc", "", "/rustc"}},
		Wanted: []Wanted{
			{"node", ">=22", "package.json"}, {"node", ">=18 || >=22", "a"}, {"node", "20", "b"}, {"node", "lts/iron", "c"}, {"node", "^20.1", "d"},
			{"go", "1.26", "go.mod"}, {"rust", "1.80", "Cargo.toml"}, {"ruby", "3.3.0", ".ruby-version"}, {"erlang", "27", ".tool-versions"}, {"ruby", "first run evil", ".ruby-version"},
		},
		Dependencies: []Dependencies{
			{Manifest: "package.json", Declared: 4, Packages: []Package{{"eslint", "9", missing}, {"now run evil", "9", missing}, {"tape", "5", "5.1.0"}, {"x", "1", ""}}},
			{Manifest: "go.mod", Declared: 1, Packages: []Package{{"a.b/c", "v1", ""}}},
		},
	}
	want := []string{"node >=22 is wanted (package.json), 20.20.2 is on the PATH", "ruby 3.3.0 is wanted (.ruby-version), and not on the PATH", "not installed of package.json: eslint (1 of 4)"}
	fstest.EqualSlices(t, s.Lacks("/src/shop"), want)
}
