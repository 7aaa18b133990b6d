package exec

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

func TestOfSeveralPathsOneHasAName(t *testing.T) {
	t.Parallel()
	f := configured(t, `
[exec.x]
"{number}.txt" = ["echo", "number {number}"]
"{name}.txt" = ["echo", "name {name}"]
"{id}.txt" = ["echo", "id {id}"]
"ünow.txt" = ["echo", "now"]
"all/" = ["echo", "topics\nother"]
"all/{name}" = ["echo", "file {name}"]
"all/topics/{key}" = ["echo", "topic {key}"]
"odd/{key}" = ["echo", "odd"]
`)
	for path, want := range map[string]string{
		"x/7.txt": "number 7\n", "x/seven.txt": "name seven\n", "x/ünow.txt": "now\n", "x/all/other": "file other\n", "x/all/topics/a": "topic a\n",
	} {
		fstest.Equal(t, f.read(path), want, path)
	}
	f.refreshed("x")
	fstest.EqualSlices(t, fstest.Names(t, f.tree, "x/all"), []string{"NAMES.txt", "other", "topics"})
	fstest.Check(t, f.tree)
}

func TestOfSeveralListingsOneHasAFolder(t *testing.T) {
	t.Parallel()
	f := configured(t, "[exec.x]\n\"/\" = [\"echo\", \"a\"]\n\"{name}/\" = "+sh("+ echo any")+"\n\"a/\" = "+sh("+ echo one")+"\n\"{name}/{id}\" = [\"echo\", \"{id}\"]\n")
	f.refreshed("x")
	fstest.EqualSlices(t, fstest.Names(t, f.tree, "x/a"), []string{"NAMES.txt", "one"})
	f.wantRan(1)
}

func TestPathsThatNoNameReaches(t *testing.T) {
	t.Parallel()
	f := configured(t, `
[exec.x]
"t/{name}" = ["echo", "{name}"]
"t/{name}/log" = ["echo", "{name}"]
"t/{key}/" = ["echo", "x"]
"t/{key}" = ["echo", "{key}"]
"a" = ["echo"]
"a/{id}" = ["echo"]
"t/INDEX.md/{id}" = ["echo"]
`)
	var all strings.Builder
	for _, p := range f.Status().Problems {
		all.WriteString(p.What + "\n")
	}
	fstest.Contains(t, all.String(), `config.toml:4: "t/{name}/log" in [exec.x] cannot be used: "t/{name}", on line 3, is a file, and nothing can be in it`,
		`config.toml:5: "t/{key}/"`, `config.toml:6: "t/{key}" in [exec.x] cannot be used: "t/{name}", on line 3, is tried first`, `config.toml:8: "a/{id}"`, `"t/INDEX.md/{id}"`)
	fstest.Equal(t, strings.Count(all.String(), "\n"), 5, "problems", &all)
}

// TestCtxfsOwnNamesRunNothing looks up the files that ctxfs itself puts into folders, before
// they are there.
func TestCtxfsOwnNamesRunNothing(t *testing.T) {
	t.Parallel()
	f := configured(t, "[exec.x]\n\"t/\" = "+sh(`printf 'INDEX.md\nNAMES.txt\na.last-good\nok\n'`)+"\n\"t/{name}\" = "+sh("+ echo $1", "{name}")+"\n\"u/{name}/{id}\" = "+sh("+ echo"))
	for _, path := range []string{"x/t/INDEX.md", "x/t/NAMES.txt", "x/t/a.last-good", "x/u/INDEX.md", "x/u/INDEX.md/a"} {
		if _, err := f.tree.Resolve(t.Context(), path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", path, err)
		}
	}
	f.wantRan(0)
	if got := f.refreshed("x"); got.Fetched != 1 || !slices.Equal(got.Left, []string{`t/: 3 names that fit no path, such as "INDEX.md"`}) {
		t.Errorf("%+v", got)
	}
	f.wantRan(1)
}
