package fs_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	iofs "io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// listedPackage is a package as `go list` describes it.
type listedPackage struct {
	ImportPath string
	Doc        string
	Standard   bool
	Module     *struct {
		Path string
		Main bool
	}
	Imports []string
}

func listPackages(t *testing.T) map[string]listedPackage {
	t.Helper()
	list := exec.Command("go", "list", "-deps", "-json=ImportPath,Doc,Standard,Module,Imports", "./...")
	list.Dir = ".."
	var stderr strings.Builder
	list.Stderr = &stderr
	out, err := list.Output()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip("no go command here")
	}
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	packages := make(map[string]listedPackage)
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listedPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages[p.ImportPath] = p
	}
}

func (p listedPackage) ours() bool { return p.Module != nil && p.Module.Main }

// mayImport reports whether a package of ours may import another of ours.
func mayImport(from, to string) bool {
	from, to = strings.TrimPrefix(from, "ctxfs/"), strings.TrimPrefix(to, "ctxfs/")
	internal := strings.HasPrefix(to, "providers/internal/")
	switch {
	case from == "fs/wording", from == "fs/jsonscan", from == "fs/form", from == "fs/rounds", from == "fs/facts", from == "fs/await", from == "fs/cell", from == "mounts/guard":
		return to == "fs/cell" && from == "fs/rounds"
	case to == "fs/wording", to == "fs/jsonscan", to == "fs/form", to == "fs/rounds", to == "fs/facts", to == "fs/await", to == "fs/cell":
		return from != "fs" || to == "fs/jsonscan" || to == "fs/cell" // standard library only, of any package
	case from == "fs":
		return false
	case from == "providers/internal/hometest" && !internal: // for tests
		return to == "fs" || to == "fs/fstest"
	case strings.HasPrefix(from, "fs/"), strings.HasPrefix(from, "providers/internal/") && !internal:
		return to == "fs"
	case from == "providers/modeltest": // for tests
		return to == "fs/fstest"
	case from == "providers": // the table of them all
		return to == "fs" || strings.HasPrefix(to, "providers/")
	case from == "mounts/control":
		return to == "fs" || to == "mounts/guard"
	case from == "mounts/gateway":
		return to == "fs"
	case from == "mounts":
		return to == "fs" || to == "fs/fusefs" || to == "mounts/control" || to == "mounts/guard"
	case strings.HasPrefix(from, "providers/transcripts/agents/"):
		return internal || mayReaderImport(from, to)
	case strings.HasPrefix(from, "providers/"):
		name := strings.SplitN(from, "/", 3)[1]
		return to == "fs" || to == "fs/drop" || internal || strings.HasPrefix(to, "providers/"+name+"/") && inOrder(rooms(name), from, to)
	}
	return strings.HasPrefix(from, "cmd/") && mayCommandImport(from, to)
}

// mayCommandImport reports whether a package of the command line may import
// another: only those that stand before it. The families of commands, which are
// the rest, import none of each other; only package main imports them.
func mayCommandImport(from, to string) bool {
	order := []string{"cmd/ctxfs/console", "cmd/ctxfs/places", "cmd/ctxfs/call", "cmd/ctxfs/quick", "cmd/ctxfs/enter", "cmd/ctxfs/agentrunner", "cmd/ctxfs/early", "cmd/ctxfs/agentrun", "cmd/ctxfs/usertree", "cmd/ctxfs/daemon", "cmd/ctxfs/cli"}
	if from == "cmd/ctxfs" || !strings.HasPrefix(to, "cmd/") {
		return true
	}
	i, j := slices.Index(order, from), slices.Index(order, to)
	return j >= 0 && (i < 0 || j < i)
}

// mayReaderImport reports whether a package below transcripts/agents may import
// another package of transcripts: what readers share, in its order. Readers of
// different agents import none of each other; only package agents, their list,
// imports them. What their tests share may use what all tests do.
func mayReaderImport(from, to string) bool {
	const agents = "providers/transcripts/agents/"
	if from == agents+"historytest" && to == "fs/fstest" || to == "fs" {
		return true
	}
	order := []string{"providers/transcripts/event", agents + "history", agents + "records", agents + "database"}
	i, j := slices.Index(order, from), slices.Index(order, to)
	return j >= 0 && (i < 0 || j < i)
}

// rooms returns the packages below a provider in their order: each may import
// those before it, and the provider itself all of them.
func rooms(provider string) []string {
	switch provider {
	case "mcp":
		const m = "providers/mcp/"
		return []string{m + "policy", m + "config", m + "clients", m + "supervise", m + "catalogue", m + "pins", m + "lines", m + "wire", m + "serverlog", m + "questions", m + "calls", m + "tasks", m + "logins", m + "instance", m + "kept", m + "server", m + "fleet", m + "dispatch", m + "index", "providers/mcp"}
	case "memory":
		const m = "providers/memory/"
		return []string{m + "fact", m + "files", m + "store", m + "read", m + "page", m + "proposed", "providers/memory"}
	case "plans":
		return []string{"providers/plans/files", "providers/plans"}
	case "rules":
		const r = "providers/rules/"
		return []string{r + "read", r + "scope", r + "locate", r + "check", "providers/rules"}
	case "setup":
		return []string{"providers/setup/edit", "providers/setup/journal", "providers/setup/agents", "providers/setup"}
	case "skills":
		const s = "providers/skills/"
		return []string{s + "read", s + "locate", s + "check", s + "need", s + "suspect", s + "study", "providers/skills"}
	case "stats":
		return []string{"providers/stats/prices", "providers/stats/spending", "providers/stats/page", "providers/stats"}
	case "terminals":
		const t = "providers/terminals/"
		return []string{t + "grid", t + "shells", t + "record", t + "holder", t + "config", t + "tmux", "providers/terminals"}
	case "workspaces":
		const w = "providers/workspaces/"
		return []string{w + "programs", w + "inside", w + "git", w + "layout", w + "build", w + "system", w + "processes", w + "changes", w + "notes", "providers/workspaces"}
	case "hooks":
		return []string{"providers/hooks/form", "providers/hooks"}
	case "exec":
		return []string{"providers/exec/pattern", "providers/exec/command", "providers/exec"}
	case "executor":
		const e = "providers/executor/"
		return []string{e + "request", e + "programs", e + "sandbox", e + "worktree", e + "job", e + "runner", "providers/executor"}
	case "find":
		return []string{"providers/find/translate", "providers/find/learned", "providers/find/suggest", "providers/find"}
	case "transcripts":
		const t = "providers/transcripts/"
		return []string{
			t + "event", t + "toolcall", t + "render", t + "agents/history", t + "source", t + "seen", t + "archive", t + "catalogue", t + "scan", t + "cache", t + "uses", t + "plans", t + "statements", t + "folders", "providers/transcripts",
		}
	}
	return nil
}

// inOrder reports whether a package may import another one by the order of the
// rooms. Packages that are not rooms, such as helpers of tests, may.
func inOrder(rooms []string, from, to string) bool {
	upper, lower := slices.Index(rooms, from), slices.Index(rooms, to)
	return upper < 0 || lower < 0 || lower < upper
}

// TestDependencies holds the packages to the table of the design: what may
// import what, and one importer for each library.
func TestDependencies(t *testing.T) {
	packages := listPackages(t)
	importers := make(map[string][]string)
	for path, p := range packages {
		if !p.ours() {
			continue
		}
		for _, to := range p.Imports {
			target := packages[to]
			switch {
			case target.Standard || to == "C":
			case target.ours():
				if !mayImport(path, to) {
					t.Errorf("%s imports %s", path, to)
				}
			case path == "ctxfs/fs" || path == "ctxfs/fs/drop" || path == "ctxfs/fs/fstest" || path == "ctxfs/fs/wording" || path == "ctxfs/fs/form" || path == "ctxfs/fs/jsonscan":
				t.Errorf("%s imports %s: it needs no more than the standard library", path, to)
			case target.Module == nil:
				t.Errorf("%s imports %s, which has no module", path, to)
			default:
				module := target.Module.Path
				if !slices.Contains(importers[module], path) {
					importers[module] = append(importers[module], path)
				}
			}
		}
	}
	for module, by := range importers {
		slices.Sort(by)
		switch {
		case strings.HasPrefix(module, "github.com/spf13/"):
			for _, path := range by { // the commands
				if path != "ctxfs/cmd/ctxfs" && !strings.HasPrefix(path, "ctxfs/cmd/ctxfs/") {
					t.Errorf("%s is imported by %s", module, path)
				}
			}
		case strings.HasPrefix(module, "golang.org/x/sys"), strings.HasPrefix(module, "golang.org/x/text"):
		case module == "github.com/mark3labs/mcp-go" && slices.Equal(by, []string{"ctxfs/mounts/gateway", "ctxfs/providers/mcp/wire"}):
			// The one speaks the protocol to agents, the other to servers.
		case len(by) > 1:
			t.Errorf("%s is imported by %s: one package a library", module, strings.Join(by, ", "))
		case strings.HasPrefix(module, "github.com/hanwen/go-fuse") && by[0] != "ctxfs/fs/fusefs":
			t.Errorf("%s is imported by %s", module, by[0])
		}
	}
}

func TestTopLevelFolders(t *testing.T) {
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	allowed := []string{"cmd", "fs", "mounts", "providers", "testdata"}
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && !slices.Contains(allowed, e.Name()) {
			t.Errorf("%s: top-level folders are %s", e.Name(), strings.Join(allowed, ", "))
		}
	}
}

// TestOneInit: the program has the init of cmd/ctxfs/early, and those of cmd/ctxfs/quick,
// cmd/ctxfs/enter and cmd/ctxfs/agentrun, for the reasons that stand there, and no other. Files of every system count, tests do not.
func TestOneInit(t *testing.T) {
	var found []string
	err := filepath.WalkDir("..", func(path string, e iofs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && path != ".." && (strings.HasPrefix(e.Name(), ".") || e.Name() == "testdata"):
			return iofs.SkipDir
		case e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				found = append(found, filepath.ToSlash(path))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"../cmd/ctxfs/agentrun/agentrun.go", "../cmd/ctxfs/early/early.go", "../cmd/ctxfs/enter/enter.go", "../cmd/ctxfs/quick/client.go"}; !slices.Equal(found, want) {
		t.Errorf("init is in %q, not in %q alone", found, want)
	}
}

// TestPackagesAreSmall holds packages to 25 files besides tests.
func TestPackagesAreSmall(t *testing.T) {
	const most = 25
	files := make(map[string]int)
	for _, top := range []string{"cmd", "fs", "mounts", "providers"} {
		err := filepath.WalkDir(filepath.Join("..", top), func(path string, _ os.DirEntry, err error) error {
			if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
				files[filepath.Dir(path)]++
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for dir, n := range files {
		if n > most {
			t.Errorf("%s has %d files: a package has at most %d besides tests", dir, n, most)
		}
	}
}
