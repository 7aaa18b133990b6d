package read

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ctxfs/fs/fstest"
)

// TestStrict: what strictyaml refuses is found outside of blocks of text, and nothing in
// ordinary front matter is.
func TestStrict(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"name: a\ndescription: b", ""},
		{"description: |\n  [not a list]\n  &no --anchor\nname: a", ""},
		{"description: >-\n  {x}\n\n  *y*\nmetadata:\n  a: \"[quoted]\"", ""},
		{"# a comment: [x]\nname: a", ""},
		{"tools: [a, b]", "brackets"},
		{"metadata: {a: b}", "brackets"},
		{"a: &x b", "anchors"},
		{"a: *x", "aliases"},
		{"a: !!str b", "tags"},
		{"list:\n  - [a]", "brackets"},
		{"description: a --- b", `"---"`},
	} {
		text := "---\n" + c.in + "\n---\n"
		got := strings.Join(strict([]byte(text), len(text)), "; ")
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

// TestFilesIn: what is beside a SKILL.md, without what is no file of the skill, and the
// sum moves with each of them.
func TestFilesIn(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"SKILL.md", "a/b/c.txt", ".hidden/x", "node_modules/m/index.js", ".git/config", "view/x"} {
		path := filepath.Join(dir, name)
		fstest.Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		fstest.Must(t, os.WriteFile(path, []byte("x"), 0o644))
	}
	fstest.Must(t, os.Symlink("..", filepath.Join(dir, "a/up")))
	fstest.Must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644))
	hide := func(path string) bool { return filepath.Base(path) == "view" }
	files := FilesIn(dir, hide)
	var names []string
	for _, f := range files.All {
		names = append(names, f.Name)
	}
	if got := strings.Join(names, " "); got != ".hidden/x SKILL.md a/b/c.txt" || files.More {
		t.Errorf("files %q", got)
	}
	before := files.Sum()
	fstest.Must(t, os.Chmod(filepath.Join(dir, "a/b/c.txt"), 0o755))
	if after := FilesIn(dir, hide).Sum(); after == before || after == "" {
		t.Errorf("the sum is %q, was %q", after, before)
	}
}

// TestAbout: a definition without a description is described by its first sentence.
func TestAbout(t *testing.T) {
	for in, want := range map[string]string{
		"# Fix it\n\nMore.\n": "Fix it", "- One thing. And more.\n": "One thing.", "": "", "\n\n>  Quoted \x1b[31mred\u202e.": "Quoted red.", "---": "",
	} {
		fstest.Equal(t, about(in), want, in)
	}
}

func FuzzStrict(f *testing.F) {
	f.Add("---\nname: a\nb: |\n  c\n---\n", 20)
	f.Add("\ufeff---\n- [x]\n", 3)
	f.Fuzz(func(t *testing.T, text string, body int) {
		strict([]byte(text), max(0, body))
		about(text)
		IsText([]byte(text))
	})
}
