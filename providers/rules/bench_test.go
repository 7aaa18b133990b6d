package rules

import (
	"fmt"
	iofs "io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ctxfs/providers/internal/agents"
	"ctxfs/providers/rules/locate"
)

// largeProject is a project of 100,000 files in 5,000 folders, with 1,000 rules of which
// 200 are nested.
func largeProject(b *testing.B) *world {
	w := newWorld(b, map[string]string{"src/shop/AGENTS.md": "# Large\n", "src/shop/.gitignore": "build/\n*.o\n"})
	for i := range 5000 {
		dir := w.path(fmt.Sprintf("src/shop/m%02d/p%02d", i/100, i%100))
		must(b, os.MkdirAll(dir, 0o755))
		for j := range 20 {
			must(b, os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d.go", j)), nil, 0o644))
		}
		if i%25 == 0 {
			must(b, os.WriteFile(filepath.Join(dir, "AGENTS.md"), []byte(fmt.Sprintf("# Part %d\n\nIts rules.\n", i)), 0o644))
		}
	}
	for i := range 800 {
		w.write(fmt.Sprintf("src/shop/.cursor/rules/r%d.mdc", i), fmt.Sprintf("---\nglobs: m%02d/**/*.go\n---\n# Rule %d\n\nReturn errors.\n", i%50, i))
	}
	return w
}

// BenchmarkLargeProject: all rules of a project of 100,000 files, found for the first time
// and once more, beside a walk that only lists it; and the rules for one path beside
// reading the same files.
func BenchmarkLargeProject(b *testing.B) {
	w := largeProject(b)
	root := w.path("src/shop")
	machine := agents.Machine{Home: w.home, OS: "linux", LookupEnv: func(string) (string, bool) { return "", false }}
	walk := func() {
		must(b, filepath.WalkDir(root, func(_ string, _ iofs.DirEntry, err error) error { return err }))
	}
	timed := func(f func()) time.Duration {
		begun := time.Now()
		f()
		return time.Since(begun)
	}
	walk()
	b.Run("walk", func(b *testing.B) {
		var list, first, again time.Duration
		for b.Loop() {
			list += timed(walk)
			finder := locate.New(locate.Options{Machine: machine})
			var tree *locate.Tree
			first += timed(func() { tree = finder.Walk(root, nil, time.Now, func() bool { return false }) })
			finder.Forget()
			again += timed(func() {
				tree = finder.Walk(root, tree, func() time.Time { return time.Now().Add(time.Hour) }, func() bool { return false })
			})
			if tree.Stopped != "" || tree.Folders < 5050 {
				b.Fatal(tree.Stopped, tree.Folders)
			}
		}
		report(b, "list", list)
		report(b, "first", first)
		report(b, "again", again)
		b.ReportMetric(float64(first)/float64(list), "first/list")
	})
	w.start(false)
	w.shown()
	path := filepath.Join(root, "m07/p00/f3.go")
	b.Run("page", func(b *testing.B) {
		var page, read time.Duration
		for b.Loop() {
			page += timed(func() {
				p, err := w.page(path)
				must(b, err)
				if len(p.Rules) < 18 {
					b.Fatal(len(p.Rules))
				}
			})
			read += timed(func() {
				files, err := filepath.Glob(filepath.Join(root, ".cursor/rules/*.mdc"))
				must(b, err)
				for _, f := range files {
					_, err := os.ReadFile(f)
					must(b, err)
				}
			})
		}
		report(b, "page", page)
		report(b, "read", read)
		b.ReportMetric(float64(page)/float64(read), "page/read")
	})
	b.Run("look", func(b *testing.B) {
		var look time.Duration
		for b.Loop() {
			look += timed(func() { w.Look() })
		}
		report(b, "look", look)
	})
}

func report(b *testing.B, name string, total time.Duration) {
	b.ReportMetric(float64(total.Milliseconds())/float64(b.N), name+"-ms")
}
