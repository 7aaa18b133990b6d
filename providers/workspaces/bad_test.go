package workspaces

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode"
	"unicode/utf8"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

// TestBadInput: what is wrong in one folder is said on its own pages and nowhere else.
func TestBadInput(t *testing.T) {
	w := newHome(t)
	w.make(false)
	lib := w.repository("lib")
	fifo := func(path string) {
		w.mkdir(filepath.Dir(path))
		_ = os.Remove(filepath.Join(w.home, path))
		if err := syscall.Mkfifo(filepath.Join(w.home, path), 0o600); err != nil {
			t.Skip(err)
		}
	}
	link := func(path, target string) {
		fstest.Must(t, os.Symlink(target, filepath.Join(w.home, path)))
	}
	huge := func(path string) {
		w.write(path, `{"scripts": {"test": "jest"}`)
		fstest.Must(t, os.Truncate(filepath.Join(w.home, path), 20<<20))
	}

	cases := []struct {
		name  string
		make  func(dir string)
		page  string
		says  []string // on that page
		lacks string
	}{
		{"plain", func(string) {}, gitName, []string{"branch: main"}, "problem"},
		{"nested", func(dir string) {
			w.write("nested/vendor/in/a.go", "package in\n")
			w.git(filepath.Join(dir, "vendor/in"), "init", "-q")
		}, layoutName, []string{"vendor/in/ (repository)", "a.go"}, ""},
		{"keeps-bare", func(dir string) { w.git(dir, "init", "-q", "--bare", "store.git") }, layoutName, []string{"store.git/ (bare repository)"}, "objects"},
		{"submodules", func(dir string) {
			w.git(dir, "submodule", "--quiet", "add", lib, "sub")
			w.write("submodules/sub/new", "")
		}, layoutName, []string{"sub/ (repository)", "new"}, ""},
		{"links", func(dir string) {
			link("links/out", "/etc")
			link("links/passwd", "/etc/passwd")
			link("links/loop", "loop")
			link("links/Makefile", "/etc/passwd")
			link("links/package.json", "../../../../../../etc/passwd")
		}, layoutName, []string{"out -> /etc", "loop -> loop"}, "root:"},
		{"names", func(dir string) {
			for _, name := range []string{"line\nbreak", "\x1b[31mred", "no utf8 \xff", "right\u202eto left", strings.Repeat("n", 250), " ", "-rf", "`x`"} {
				w.write("names/"+name, "")
			}
		}, layoutName, []string{`"line\nbreak"`, `red`, `"no utf8 \xff"`}, "\x1b"},
		{"pipes", func(dir string) {
			for _, name := range []string{"package.json", "go.mod", "Makefile", "README.md", "pyproject.toml", "Cargo.toml", ".github/workflows/ci.yml", ".tool-versions"} {
				fifo("pipes/" + name)
			}
		}, layoutName, []string{"package.json", "Makefile"}, ""},
		{"pipe-as-index", func(dir string) { fifo("pipe-as-index/.git/index") }, gitName, []string{"its index is not a regular file"}, ""},
		{"pipe-as-head", func(dir string) { fifo("pipe-as-head/.git/HEAD") }, gitName, []string{"could not be read"}, "branch:"},
		{"huge", func(dir string) {
			for _, name := range []string{"package.json", "package-lock.json", "Makefile", ".gitignore", "README.md", ".git/info/exclude", "pnpm-lock.yaml"} {
				huge("huge/" + name)
			}
		}, layoutName, []string{"package.json"}, ""},
		{"damaged", func(dir string) {
			w.write("damaged/.git/index", "DIRC garbage")
			w.write("damaged/.git/config", "[core\n")
			w.write("damaged/package.json", `{"scripts": [`)
		}, gitName, []string{"could not be read"}, ""},
		{"garbage", func(dir string) { w.write("garbage/.git/index", "DIRC garbage") }, gitName, []string{"status could not be read"}, ""},
		{"view", func(dir string) { w.write("view/mount/secret", "") }, layoutName, []string{"mount/ (a mount of ctxfs)"}, "secret"},
		{"closed", func(dir string) {
			w.write("closed/in/secret", "")
			fstest.Must(t, os.Chmod(filepath.Join(dir, "in"), 0))
			t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "in"), 0o700) })
			if _, err := os.ReadDir(filepath.Join(dir, "in")); err == nil { // this user may read everything
				_ = os.Remove(filepath.Join(dir, "in/secret"))
			}
		}, layoutName, []string{"in/"}, "secret"},
	}
	for _, c := range cases {
		dir := w.repository(c.name)
		c.make(dir)
		w.workIn(dir)
	}
	w.Start()
	fstest.Settled(t, w)
	for _, c := range cases {
		got := w.read(c.name + "/" + c.page)
		for _, words := range c.says {
			if !strings.Contains(got, words) {
				t.Errorf("%s: %s does not say %q:\n%s", c.name, c.page, words, got)
			}
		}
		if c.lacks != "" && strings.Contains(w.shown(c.name), c.lacks) {
			t.Errorf("%s: %q is on a page:\n%s", c.name, c.lacks, w.shown(c.name))
		}
		for _, page := range pageNames() {
			text := w.read(c.name + "/" + page)
			if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }) {
				t.Errorf("%s: %s has what cannot be printed: %q", c.name, page, text)
			}
		}
		if here := w.read(c.name + "/HERE.md"); !strings.HasPrefix(here, "# "+c.name+"\n") {
			t.Errorf("%s: %s", c.name, here)
		}
	}

	if problems := w.Status().Problems; len(problems) > 0 {
		t.Errorf("STATUS.md has it as well: %+v", problems)
	}
	if index := w.read("INDEX.md"); strings.Contains(index, "problem") || strings.Contains(index, "noticed") {
		t.Errorf("INDEX.md: %s", index)
	}
	w.write("plain/new.go", "package plain\n")
	w.exact(filepath.Join(w.home, "plain"))
	fstest.Check(t, fs.NewTree(w.Root(), fs.TreeOptions{}))
}

// TestBareRepository: a bare repository is a workspace with a layout of its own.
func TestBareRepository(t *testing.T) {
	w := newWorld(t)
	w.git(w.mkdir("src"), "init", "-q", "--bare", "shop.git")
	dir := filepath.Join(w.home, "src/shop.git")
	if _, err := w.here(dir); err != nil {
		t.Fatal(err)
	}
	w.exact(dir)
	fstest.Contains(t, w.read("shop_git/git.md"), "bare")
}

// TestVanishing: a folder that vanishes and comes again while it is looked at.
func TestVanishing(t *testing.T) {
	w := newWorld(t)
	shop, other := w.mkdir("src/shop"), w.mkdir("other")
	for i := range 200 {
		w.write(fmt.Sprintf("src/shop/dir-%d/a.go", i), "")
	}
	for _, dir := range []string{shop, other} {
		if _, err := w.here(dir); err != nil {
			t.Fatal(err)
		}
	}
	for i := range fstest.Rounds(50) {
		fstest.Must(t, os.Rename(filepath.Join(w.home, "src"), filepath.Join(w.home, "away")))
		w.write(fmt.Sprintf("other/file-%d", i), "")
		_, _ = w.here(other)
		fstest.Must(t, os.Rename(filepath.Join(w.home, "away"), filepath.Join(w.home, "src")))
		fstest.Must(t, errors.Join(os.RemoveAll(filepath.Join(shop, fmt.Sprintf("dir-%d", i))), os.RemoveAll(filepath.Join(shop, fmt.Sprintf("dir-%d", 199-i)))))
	}
	if _, err := w.here(shop); err != nil {
		t.Fatal(err)
	}
	w.exact(shop, other)
}
