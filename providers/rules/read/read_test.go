package read

import (
	"errors"
	iofs "io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

// disk is a folder with a project in it.
type disk struct {
	t    testing.TB
	dir  string
	root string
}

func newDisk(t testing.TB) *disk {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	fstest.Must(t, err)
	return &disk{t, dir, filepath.Join(dir, "shop")}
}

// write writes files of the project, or outside of it ("../x"); "-> x" makes a link.
func (d *disk) write(files ...string) {
	d.t.Helper()
	for i := 0; i < len(files); i += 2 {
		path := filepath.Join(d.root, files[i])
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if target, ok := strings.CutPrefix(files[i+1], "-> "); ok && err == nil {
			err = os.Symlink(target, path)
		} else if err == nil {
			err = os.WriteFile(path, []byte(files[i+1]), 0o600)
		}
		fstest.Must(d.t, err)
	}
}

func (d *disk) read(name string) *File {
	return Read(filepath.Join(d.root, name), Options{Root: d.root, Home: d.dir, Hops: map[string]int{"CLAUDE.md": 4, "GEMINI.md": 5}[filepath.Base(name)]})
}

func TestImports(t *testing.T) {
	d := newDisk(t)
	d.write(
		"CLAUDE.md", "# A\n\nSee @docs/b.md, and @docs/c.md.\n`@docs/no.md` mail a@docs/b.md @alice @scope/name\n```\n@docs/no.md\n```\n(@./d.md) @gone/x.md\n",
		"docs/b.md", "---\nx: y\n---\nB imports @../e.md",
		"e.md", "E.\n", "docs/c.md", "C.\n", "d.md", "D.\n", "docs/no.md", "NO\n",
	)
	f := d.read("CLAUDE.md")
	want := "# A\n\nSee @docs/b.md, and @docs/c.md.\n" +
		"<!-- imported: docs/b.md -->\nB imports @../e.md\n<!-- imported: ../e.md -->\nE.\n<!-- end of ../e.md -->\n<!-- end of docs/b.md -->\n" +
		"<!-- imported: docs/c.md -->\nC.\n<!-- end of docs/c.md -->\n" +
		"`@docs/no.md` mail a@docs/b.md @alice @scope/name\n```\n@docs/no.md\n```\n(@./d.md) @gone/x.md\n" +
		"<!-- imported: ./d.md -->\nD.\n<!-- end of ./d.md -->\n<!-- not imported: gone/x.md no such file or directory -->\n"
	fstest.Equal(t, f.Text, want)
	if len(f.Imports) != 5 || f.Imports[3].Line != 8 && f.Imports[4].Line != 8 || !errors.Is(f.Imports[4].Err, iofs.ErrNotExist) {
		t.Errorf("imports %+v", f.Imports)
	}
	if f.About() != "A" || f.Lines != 8 {
		t.Errorf("about %q, %d lines", f.About(), f.Lines)
	}
	// An agent that has no imports shows none.
	d.write("AGENTS.md", "See @docs/b.md\n")
	if f := d.read("AGENTS.md"); f.Text != "See @docs/b.md\n" || len(f.Imports) != 0 {
		t.Errorf("%q, %v", f.Text, f.Imports)
	}
	// What it imports makes it old, also what is not there yet.
	for _, change := range []string{"e.md", "gone/x.md"} {
		f := d.read("CLAUDE.md")
		if !f.IsCurrent() {
			t.Error("it is old when it is new")
		}
		d.write(change, "Changed, and longer.\n")
		if f.IsCurrent() {
			t.Errorf("it is current after %s has changed", change)
		}
	}
}

// TestImportsAsWritten: a backslash keeps a space in a path, quotes make it no import, and
// code in a list is code.
func TestImportsAsWritten(t *testing.T) {
	d := newDisk(t)
	d.write("CLAUDE.md", "- API @Design\\ Docs/a\\ b.md\n- @\"Design Docs/a b.md\" and '@no.md'\n- run\n     ```\n     npm i @no.md\n     ```\n- ~~~\n  @no.md\n  ~~~\n",
		"Design Docs/a b.md", "SPACED\n", "no.md", "NO\n")
	f := d.read("CLAUDE.md")
	if len(f.Imports) != 1 || f.Imports[0].Name != "Design Docs/a b.md" || strings.Contains(f.Text, "NO\n") || !strings.Contains(f.Text, "SPACED") {
		t.Errorf("imports %+v:\n%s", f.Imports, f.Text)
	}
}

// TestHops: Claude Code follows four, Gemini five; a circle ends at once.
func TestHops(t *testing.T) {
	d := newDisk(t)
	for i, name := range []string{"1", "2", "3", "4", "5"} {
		d.write(name+".md", "N"+name+" @"+string(rune('2'+i))+".md\n")
	}
	d.write("CLAUDE.md", "@1.md\n", "GEMINI.md", "@1.md\n", "6.md", "N6\n", "a/CLAUDE.md", "@b.md\n", "a/b.md", "@c.md\n", "a/c.md", "@b.md @CLAUDE.md\n")
	for name, hops := range map[string]int{"CLAUDE.md": 4, "GEMINI.md": 5} {
		f := d.read(name)
		last := f.Imports[len(f.Imports)-1]
		for i := range 6 {
			if n := "N" + string(rune('1'+i)); strings.Contains(f.Text, n) != (i < hops) {
				t.Errorf("%s: %s: %v", name, n, strings.Contains(f.Text, n))
			}
		}
		found := false
		for _, i := range f.Imports {
			found = found || errors.Is(i.Err, ErrTooDeep)
		}
		if !found {
			t.Errorf("%s: the last import is %+v", name, last)
		}
	}
	f := d.read("a/CLAUDE.md")
	cycles := 0
	for _, i := range f.Imports {
		if errors.Is(i.Err, ErrCycle) {
			cycles++
		}
	}
	fstest.Equal(t, cycles, 2, "imports in a circle", f.Imports)
}

// TestOutside: nothing of a project leads out of it; what is the user's own may.
func TestOutside(t *testing.T) {
	d := newDisk(t)
	d.write("../secret.md", "SECRET\n", "in/CLAUDE.md", "@../../secret.md @~/secret.md @"+d.dir+"/secret.md @link.md\n", "in/link.md", "-> ../../secret.md",
		"AGENTS.md", "-> ../secret.md", "GEMINI.md", "-> in/real.md", "in/real.md", "REAL\n", "CLAUDE.md", "-> gone")
	f := d.read("in/CLAUDE.md")
	if strings.Contains(f.Text, "SECRET") || len(f.Imports) != 4 {
		t.Errorf("%s, %+v", f.Text, f.Imports)
	}
	for _, i := range f.Imports {
		if want := map[bool]error{true: ErrOutside, false: ErrElsewhere}[i.Name == "link.md"]; !errors.Is(i.Err, want) {
			t.Errorf("import %+v", i)
		}
	}
	if f := d.read("AGENTS.md"); !errors.Is(f.Err, ErrOutside) || f.Text != "" {
		t.Errorf("a link out: %v, %q", f.Err, f.Text)
	}
	if f := d.read("GEMINI.md"); f.Text != "REAL\n" {
		t.Errorf("a link in the project: %v, %q", f.Err, f.Text)
	}
	if f := d.read("CLAUDE.md"); !f.IsMissing() {
		t.Errorf("a dead link: %v", f.Err)
	}
	own := Read(filepath.Join(d.root, "in/CLAUDE.md"), Options{Home: d.dir, Hops: 4})
	fstest.Equal(t, strings.Count(own.Text, "SECRET"), 4, "user's own", own.Text)
}

// TestStrangeFiles are read without waiting, or not at all, and say why.
func TestStrangeFiles(t *testing.T) {
	d := newDisk(t)
	d.write("AGENTS.md", strings.Repeat("Ten bytes\n", 1<<20), "GEMINI.md", "a\x1b[31mb\x00\u202ec\r\nd\xff\n", "CLAUDE.md", "@big.md @bin.md @dir.md @"+strings.Repeat("x", 5000)+".md\n",
		"big.md", strings.Repeat("Ten bytes\n", 1<<20), "bin.md", "\x00\x01", "dir.md/x", "x")
	f := d.read("AGENTS.md")
	if !f.Cut || len(f.Text) != MaxBytes || f.Size != 10<<20 || f.Err != nil {
		t.Errorf("10 MiB: %v, %d of %d bytes, %v", f.Cut, len(f.Text), f.Size, f.Err)
	}
	if f := d.read("GEMINI.md"); f.Text != "abc\nd\n" {
		t.Errorf("%q", f.Text)
	}
	d.write("utf16.md", "\xff\xfeR\x00u\x00l\x00e\x00", "random.md", "\x93\x01\xe8\x00\x07a\xff\xfe\x10\x9c\xd0q", "umlauts.md", "ÄÖÜ — 規則\n")
	for name, want := range map[string]error{"utf16.md": ErrNotText, "random.md": ErrNotText, "umlauts.md": nil} {
		if f := d.read(name); !errors.Is(f.Err, want) {
			t.Errorf("%s: %v", name, f.Err)
		}
	}
	f = d.read("CLAUDE.md")
	if len(f.Imports) != 4 || f.Imports[0].Err == nil || !errors.Is(f.Imports[1].Err, ErrNotText) || !errors.Is(f.Imports[2].Err, ErrIrregular) || f.Imports[3].Err == nil {
		t.Errorf("imports %+v", f.Imports)
	}
	fstest.Must(t, syscall.Mkfifo(filepath.Join(d.root, "pipe.md"), 0o600))
	if f := d.read("pipe.md"); !errors.Is(f.Err, ErrIrregular) {
		t.Errorf("a pipe: %v", f.Err)
	}
	if f := d.read("dir.md"); !errors.Is(f.Err, ErrIrregular) {
		t.Errorf("a folder: %v", f.Err)
	}
	// Imports that import each other twice double with each file: they are bounded.
	for i := range 20 {
		next := string(rune('a' + i + 1))
		d.write("bomb/"+string(rune('a'+i))+".md", strings.Repeat("@"+next+".md ", 50)+"\n")
	}
	d.write("bomb/CLAUDE.md", strings.Repeat("@a.md ", 50)+"\n")
	begun := time.Now()
	f = d.read("bomb/CLAUDE.md")
	if len(f.Text) > MaxBytes || len(f.Imports) > maxImports || time.Since(begun) > time.Minute {
		t.Errorf("a bomb: %d bytes, %d imports, %v", len(f.Text), len(f.Imports), time.Since(begun))
	}
	// Our own views are not touched.
	hidden := Read(filepath.Join(d.root, "AGENTS.md"), Options{Root: d.root, Hide: func(path string) bool { return path == d.root }})
	if !hidden.IsMissing() {
		t.Errorf("in a view of ours: %v", hidden.Err)
	}
}

func FuzzProse(f *testing.F) {
	for _, s := range []string{"a `b` c\n", "```\nx\n```\n", "~~~~ go\n~~~\n~~~~\n", "``a`b``", "`", "    ```\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		lines := 0
		for line := range Prose(text) {
			if strings.ContainsAny(line, "\n") {
				t.Errorf("%q has a line end", line)
			}
			lines++
		}
		want := strings.Count(text, "\n")
		if text != "" && !strings.HasSuffix(text, "\n") {
			want++
		}
		fstest.Equal(t, lines, want, "lines", text)
		for _, m := range mentions(text) {
			if m.line < 1 || m.line > want || m.name == "" {
				t.Errorf("mention %+v", m)
			}
		}
	})
}

func TestGist(t *testing.T) {
	for text, want := range map[string]string{
		"":       "",
		"# Shop": "Shop",
		"# Shop\n\n## Money\n\n- Amounts are integer cents. Never floats.\n":                         "Amounts are integer cents.",
		"# CLAUDE.md\n\nThis file provides guidance to Claude Code (claude.ai/code).\n\nUse pnpm.\n": "Use pnpm.",
		"@docs/a.md\n<!-- a\nb -->\nUse pnpm.\n":                                                     "Use pnpm.",
	} {
		fstest.Equal(t, (&File{Text: text}).Gist(), want, text)
	}
}
