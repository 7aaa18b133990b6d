package layout

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/ignore"
	"ctxfs/providers/internal/tokens"
)

func tree(t testing.TB, paths ...string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	fstest.Must(t, err)
	for _, p := range paths {
		name, text, _ := strings.Cut(p, "=")
		path := filepath.Join(root, name)
		if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(path, 0o700)
		} else {
			err = errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600))
		}
		fstest.Must(t, err)
	}
	return root
}

func read(t testing.TB, root, sub string, opts Options) Layout {
	t.Helper()
	if opts.Budget == 0 {
		opts.Budget = 2000
	}
	l, err := Read(t.Context(), root, sub, opts)
	fstest.Must(t, err)
	if n := tokens.Count(l.Text); n > opts.Budget && strings.Count(l.Text, "\n") > 2 {
		t.Errorf("%d tokens, of %d", n, opts.Budget)
	}
	return l
}

// project is a tree with something of everything.
func project(t testing.TB) string {
	root := tree(t, ".git/HEAD=ref: refs/heads/main\n", ".git/info/exclude=*.local\n", ".gitignore=node_modules/\n*.log\n!keep.log\n",
		"node_modules/left/index.js", "a.log", "keep.log", "x.local", "mine.swp", "README.md", "Makefile",
		"src/main.go", "src/util.go", "src/cart/a.go", "src/cart/b.go", "src/cart/c.md", "src/cart/.gitignore=/gen\n", "src/cart/gen/x.go",
		"java/com/acme/shop/Main.java", "java/com/acme/shop/Cart.java", "empty/",
		"sub/.git=gitdir: ../.git/modules/sub\n", "sub/.gitignore=*.out\n", "sub/a.log", "sub/a.out",
		"bare.git/HEAD", "bare.git/objects/aa/bb", "bare.git/refs/x", "closed/secret")
	for _, err := range []error{
		os.Symlink("/etc", filepath.Join(root, "out")), os.Symlink("main.go", filepath.Join(root, "src", "link.go")),
		os.WriteFile(filepath.Join(root, "line\nbreak"), nil, 0o600), os.WriteFile(filepath.Join(root, "no utf8 \xff.go"), nil, 0o600),
		syscall.Mkfifo(filepath.Join(root, "pipe"), 0o600),
	} {
		fstest.Must(t, err)
	}
	return root
}

func TestText(t *testing.T) {
	root := project(t)
	user := []byte("*.swp\n")
	want := root + `/: 20 files, 10 folders, without what git ignores
  bare.git/ (bare repository)
  closed/
    secret
  empty/
  java/com/acme/shop/
    Cart.java
    Main.java
  src/
    cart/
      .gitignore
      a.go
      b.go
      c.md
    link.go -> main.go
    main.go
    util.go
  sub/ (repository)
    .gitignore
    a.log
  .gitignore
  Makefile
  README.md
  keep.log
  "line\nbreak"
  "no utf8 \xff.go"
  out -> /etc
  pipe
Ignored by git: a.log, mine.swp, node_modules/, x.local
`
	if l := read(t, root, ".", Options{User: user}); l.Text != want || !l.Complete {
		t.Errorf("got\n%s\nwant\n%s", l.Text, want)
	}

	for _, c := range []struct {
		opts Options
		want []string
	}{
		{Options{Depth: 1}, []string{"  src/ [+7 files (5 *.go, 1 *.md) & 1 dirs]\n", "  java/com/acme/shop/ [+2 files (2 *.java) & 0 dirs]\n", "  empty/\n"}},
		{Options{Depth: 2}, []string{"    cart/ [+4 files (2 *.go, 1 *.md) & 0 dirs]\n"}},
		{Options{Budget: 1}, []string{"21 files, 10 folders"}},
	} {
		l := read(t, root, ".", c.opts)
		for _, line := range c.want {
			if !strings.Contains(l.Text, line) {
				t.Errorf("%+v: no line %q in\n%s", c.opts, line, l.Text)
			}
		}
	}

	if l := read(t, root, "src/cart", Options{}); l.Text != root+"/src/cart/: 4 files, 0 folders, without what git ignores\n  .gitignore\n  a.go\n  b.go\n  c.md\nIgnored by git: gen/\n" {
		t.Errorf("got\n%s", l.Text)
	}
}

// TestBudget: whatever the budget is, it is kept, and what is not shown is counted.
func TestBudget(t *testing.T) {
	root := project(t)
	whole := read(t, root, ".", Options{})
	for budget := 110; budget < 400; budget += 7 {
		l := read(t, root, ".", Options{Budget: budget})
		files, folders := 0, 0
		for line := range strings.Lines(l.Text) {
			var f, d int
			if i := strings.Index(line, "[+"); i >= 0 {
				_, _ = fmt.Sscanf(line[i:], "[+%d files", &f)
				_, _ = fmt.Sscanf(line[strings.LastIndex(line, "&"):], "& %d dirs]", &d)
			}
			name := strings.TrimSpace(line)
			switch {
			case !strings.HasPrefix(line, "  "), strings.HasPrefix(name, "["):
			case strings.HasSuffix(strings.Fields(name)[0], "/"):
				folders += strings.Count(strings.Fields(name)[0], "/")
			default:
				files++
			}
			files, folders = files+f, folders+d
		}
		if files != whole.Files || folders != whole.Folders {
			t.Errorf("with %d tokens %d files and %d folders are shown or counted, not %d and %d:\n%s", budget, files, folders, whole.Files, whole.Folders, l.Text)
		}
	}
}

// TestShares: large folders do not keep others from being shown.
func TestShares(t *testing.T) {
	var paths []string
	for i := range 300 {
		paths = append(paths, fmt.Sprintf("aaa/file-%03d.ts", i), fmt.Sprintf("root-%03d.txt", i))
	}
	paths = append(paths, "zzz/last.go")
	l := read(t, tree(t, paths...), ".", Options{Budget: 1500})
	for _, want := range []string{"    last.go\n", " *.ts) & 0 dirs]\n", " *.txt) & 0 dirs]\n", "    file-000.ts\n"} {
		fstest.Contains(t, l.Text, want)
	}
}

func TestWhatIsNotEntered(t *testing.T) {
	root := tree(t, "mount/secret", "plain/a", "gone/a")
	l := read(t, root, ".", Options{Hide: func(path string) bool { return filepath.Base(path) == "mount" }})
	if !strings.Contains(l.Text, "  mount/ (a mount of ctxfs)\n") || strings.Contains(l.Text, "secret") {
		t.Errorf("got\n%s", l.Text)
	}
	for sub, want := range map[string]error{"../x": ErrOutside, "/etc": ErrOutside, "none": fs.ErrNotExist, "plain/a": ErrOutside, "link/ssl": ErrOutside} {
		if err := os.Symlink("/etc", filepath.Join(root, "link")); err != nil && !errors.Is(err, fs.ErrExist) {
			t.Fatal(err)
		}
		if _, err := Read(t.Context(), root, sub, Options{Budget: 100}); !errors.Is(err, want) {
			t.Errorf("%s: %v", sub, err)
		}
	}
	if _, err := Read(t.Context(), filepath.Join(root, "none"), ".", Options{Budget: 100}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Read(ctx, root, ".", Options{Budget: 100}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// TestVanished: a folder that vanishes while the tree is read is left out.
func TestVanished(t *testing.T) {
	root := tree(t, "gone/a", "kept/b")
	w := newWalk(root, Options{Hide: func(path string) bool {
		if filepath.Base(path) == "kept" { // gone was found, and is not read yet
			if err := os.RemoveAll(filepath.Join(root, "gone")); err != nil {
				t.Error(err)
			}
		}
		return false
	}})
	fstest.Must(t, w.run(t.Context(), ignore.New()))
	if text := render(w, Options{Budget: 200}); strings.Contains(text, "gone") || !strings.Contains(text, "1 file, 1 folder,") {
		t.Errorf("got\n%s", text)
	}
}

func TestUnreadable(t *testing.T) {
	root := tree(t, "closed/secret", "open/a")
	fstest.Must(t, os.Chmod(filepath.Join(root, "closed"), 0))
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(root, "closed"), 0o700) })
	if _, err := os.ReadDir(filepath.Join(root, "closed")); err == nil {
		t.Skip("this user may read everything")
	}
	if l := read(t, root, ".", Options{}); !strings.Contains(l.Text, "  closed/ (cannot be read: permission denied)\n") {
		t.Errorf("got\n%s", l.Text)
	}
}

func TestSocket(t *testing.T) {
	root := tree(t, "a")
	l, err := net.Listen("unix", filepath.Join(root, "s"))
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	if got := read(t, root, ".", Options{}); got.Files != 2 {
		t.Errorf("got %+v", got)
	}
}
