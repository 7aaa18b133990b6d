package fs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	iofs "io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// section returns the part of CONTRIBUTING.md below a heading of the second
// level, up to the next.
func section(t *testing.T, heading string) string {
	t.Helper()
	guide, err := os.ReadFile("../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, found := strings.Cut(string(guide), "\n## "+heading+"\n")
	if !found {
		t.Fatalf("CONTRIBUTING.md has no section %q", heading)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

// TestMap checks that the map of packages in CONTRIBUTING.md names every
// package once, and each after all that it imports.
func TestMap(t *testing.T) {
	position := make(map[string]int)
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z0-9/]+)` \\| \\S").FindAllStringSubmatch(section(t, "The map"), -1) {
		if _, twice := position[row[1]]; twice {
			t.Errorf("the map names %s twice", row[1])
		}
		position[row[1]] = len(position)
	}
	packages := listPackages(t)
	unknown := maps.Clone(position)
	for _, importPath := range slices.Sorted(maps.Keys(packages)) {
		p := packages[importPath]
		if !p.ours() {
			continue
		}
		name := strings.TrimPrefix(importPath, "ctxfs/")
		at, named := position[name]
		if !named {
			t.Errorf("the map does not name %s", name)
			continue
		}
		for _, to := range p.Imports {
			below := strings.TrimPrefix(to, "ctxfs/")
			if packages[to].ours() && position[below] > at {
				t.Errorf("the map has %s before %s, which it imports", name, below)
			}
		}
		delete(unknown, name)
	}
	for name := range unknown {
		t.Errorf("the map names %s, which is no package", name)
	}
}

// step is how a walk names a function: the end of its package's path, a dot,
// and its name, with that of its receiver before it.
var step = regexp.MustCompile("`([a-z][a-z0-9/]*)\\.((?:[A-Za-z0-9]+\\.)?[A-Za-z0-9]+)`")

// TestWalks checks that every function that a walk in CONTRIBUTING.md passes
// is there, under the name and in the package that the walk gives.
func TestWalks(t *testing.T) {
	declared := declaredFunctions(t)
	walks := strings.Split(section(t, "Six walks"), "\n### ")[1:]
	if len(walks) != 6 {
		t.Errorf("%d walks", len(walks))
	}
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
				if len(in) != 1 {
					t.Errorf("%s.%s is declared in %d packages: %v", s[1], s[2], len(in), in)
				}
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
		if err != nil {
			t.Fatal(err)
		}
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
