package fs_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	iofs "io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// The budget of the product. A change that needs more takes as much away elsewhere, or says here why
// it is worth it. Code lines are those that are neither blank nor a comment.
const (
	mostLines       = 128_000 // of the product
	mostOfPackage   = 3_000   // lines of a package
	mostMethods     = 60      // of a type, but for the terminal grid, whose control functions they are
	mostOfGrid      = 83
	mostInternal    = 45 // packages in providers/internal
	mostInFS        = 90 // declarations of package fs
	mostInPackageOf = 25 // files of a package, besides tests
)

// TestBudget: the product is no larger than was agreed.
func TestBudget(t *testing.T) {
	type weight struct {
		lines, files int
		test         bool // only tests import it
		methods      map[string]int
	}
	packages := make(map[string]*weight)
	err := filepath.WalkDir("..", func(file string, e iofs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && file != ".." && (strings.HasPrefix(e.Name(), ".") || e.Name() == "testdata"):
			return iofs.SkipDir
		case e.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		name := path.Dir(filepath.ToSlash(strings.TrimPrefix(file, "../")))
		w := packages[name]
		if w == nil {
			w = &weight{methods: make(map[string]int)}
			packages[name] = w
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for line := range bytes.Lines(text) {
			if line = bytes.TrimSpace(line); len(line) > 0 && !bytes.HasPrefix(line, []byte("//")) {
				w.lines++
			}
		}
		w.files++
		parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, i := range parsed.Imports {
			w.test = w.test || i.Path.Value == `"testing"`
		}
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
				w.methods[receiver(f)]++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	lines, internal := 0, 0
	for name, w := range packages {
		if w.test {
			continue
		}
		lines += w.lines
		if path.Dir(name) == "providers/internal" {
			internal++
		}
		if w.lines > mostOfPackage || w.files > mostInPackageOf {
			t.Errorf("%s has %d code lines in %d files, the limits are %d and %d", name, w.lines, w.files, mostOfPackage, mostInPackageOf)
		}
		for of, n := range w.methods {
			most := mostMethods
			if name == "providers/terminals/grid" {
				most = mostOfGrid
			}
			if n > most {
				t.Errorf("%s: %s has %d methods, the limit is %d", name, of, n, most)
			}
		}
	}
	doc, err := exec.Command("go", "doc", "-short", "ctxfs/fs").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []struct {
		what      string
		got, most int
	}{
		{"code lines of the product", lines, mostLines},
		{"packages in providers/internal", internal, mostInternal},
		{"declarations of package fs", bytes.Count(doc, []byte("\n")), mostInFS},
	} {
		t.Logf("%s: %d of at most %d", of.what, of.got, of.most)
		if of.got > of.most {
			t.Errorf("%s: %d, the limit is %d", of.what, of.got, of.most)
		}
	}
}
