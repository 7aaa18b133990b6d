package fs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	iofs "io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// section returns the part of CONTRIBUTING.md below a heading of the second
// level, up to the next.
func section(t *testing.T, heading string) string {
	t.Helper()
	guide, err := os.ReadFile("../CONTRIBUTING.md")
	fstest.Must(t, err)
	_, text, found := strings.Cut(string(guide), "\n## "+heading+"\n")
	if !found {
		t.Fatalf("CONTRIBUTING.md has no section %q", heading)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

// TestGuideMap checks that every folder that the map in CONTRIBUTING.md names
// exists, and that it names every package at the top: tree, mounts and
// providers. Those below, and the families of commands, are documented by
// their own comments.
func TestGuideMap(t *testing.T) {
	named := make(map[string]bool)
	for _, name := range regexp.MustCompile("`((?:cmd|fs|mounts|providers|testdata)(?:/[a-z0-9/]+)?)`").FindAllStringSubmatch(section(t, "The map"), -1) {
		named[name[1]] = true
		if info, err := os.Stat(filepath.Join("..", name[1])); err != nil || !info.IsDir() {
			t.Errorf("the map names %s, which is no folder", name[1])
		}
	}
	for importPath, p := range listPackages(t) {
		name := strings.TrimPrefix(importPath, "ctxfs/")
		if top := strings.Count(name, "/") < 2 && !strings.HasPrefix(name, "testdata/"); p.ours() && top && !named[name] {
			t.Errorf("the map does not name %s", name)
		}
	}
}

// TestGuidePackages checks that every package has a comment that introduces it.
func TestGuidePackages(t *testing.T) {
	for importPath, p := range listPackages(t) {
		if p.ours() && !strings.HasPrefix(p.Doc, "Package "+path.Base(importPath)+" ") && importPath != "ctxfs/cmd/ctxfs" {
			t.Errorf("%s has no package comment: %q", importPath, p.Doc)
		}
	}
}

// step is how a walk names a function: the end of its package's path, a dot,
// and its name, with that of its receiver before it.
var step = regexp.MustCompile("`([a-z][a-z0-9/]*)\\.((?:[A-Za-z0-9]+\\.)?[A-Za-z0-9]+)`")

// TestGuideWalks checks that every function that a walk in CONTRIBUTING.md passes
// is there, under the name and in the package that the walk gives.
func TestGuideWalks(t *testing.T) {
	declared := declaredFunctions(t)
	walks := strings.Split(section(t, "Three ways of the data"), "\n### ")[1:]
	fstest.Equal(t, len(walks), 3, "walks")
	for _, walk := range walks {
		title, text, _ := strings.Cut(walk, "\n")
		t.Run(title, func(t *testing.T) {
			steps := step.FindAllStringSubmatch(text, -1)
			if len(steps) < 4 {
				t.Errorf("it names %d functions", len(steps))
			}
			for _, s := range steps {
				var in []string
				for _, folder := range declared[s[2]] {
					if folder == s[1] || strings.HasSuffix(folder, "/"+s[1]) {
						in = append(in, folder)
					}
				}
				fstest.Equal(t, len(in), 1, s[1]+"."+s[2], "is declared in", in)
			}
		})
	}
}

// declaredFunctions returns the folders of the packages that declare a
// function or a method, by its name.
func declaredFunctions(t *testing.T) map[string][]string {
	t.Helper()
	declared := make(map[string][]string)
	for _, top := range []string{"cmd", "fs", "mounts", "providers"} {
		err := filepath.WalkDir(filepath.Join("..", top), func(file string, e iofs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
				return err
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			folder := strings.TrimPrefix(path.Dir(filepath.ToSlash(file)), "../")
			for _, d := range parsed.Decls {
				if f, ok := d.(*ast.FuncDecl); ok {
					name := receiver(f) + f.Name.Name
					if !slices.Contains(declared[name], folder) { // one for each platform
						declared[name] = append(declared[name], folder)
					}
				}
			}
			return nil
		})
		fstest.Must(t, err)
	}
	return declared
}

// receiver returns the name of a method's type and a dot, or "".
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	t := f.Recv.List[0].Type
	if pointer, ok := t.(*ast.StarExpr); ok {
		t = pointer.X
	}
	if generic, ok := t.(*ast.IndexExpr); ok {
		t = generic.X
	}
	if generic, ok := t.(*ast.IndexListExpr); ok {
		t = generic.X
	}
	return t.(*ast.Ident).Name + "."
}
