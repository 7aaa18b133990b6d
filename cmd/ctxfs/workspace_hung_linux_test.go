package main

import (
	"context"
	iofs "io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
	"ctxfs/fs/fusefs"
)

// network is a file system that may stop answering.
type network struct {
	mu   sync.Mutex
	gone chan struct{} // closed when it answers again; nil while it does
}

// leave makes it answer no more, until the returned function is called.
func (n *network) leave() (back func()) {
	gone := make(chan struct{})
	n.mu.Lock()
	n.gone = gone
	n.mu.Unlock()
	return sync.OnceFunc(func() {
		n.mu.Lock()
		n.gone = nil
		n.mu.Unlock()
		close(gone)
	})
}

func (n *network) wait(ctx context.Context) {
	n.mu.Lock()
	gone := n.gone
	n.mu.Unlock()
	if gone == nil {
		return
	}
	select {
	case <-gone:
	case <-ctx.Done():
	}
}

// netDir is a folder of it. Nothing of it is cached.
type netDir struct {
	*network
	nodes map[string]fs.Node
}

func (d netDir) Attr(ctx context.Context) (fs.Attr, error) {
	d.wait(ctx)
	return fs.Attr{Mode: iofs.ModeDir | 0o755, ModTime: time.Unix(1_790_000_000, 0), Live: true}, nil
}

func (d netDir) Lookup(ctx context.Context, name string) (fs.Node, error) {
	d.wait(ctx)
	if n, ok := d.nodes[name]; ok {
		return n, nil
	}
	return nil, fs.ErrNotExist
}

func (d netDir) List(ctx context.Context) (all []fs.Entry, _ error) {
	d.wait(ctx)
	for _, name := range []string{"go.mod", "project", "src"} {
		if n, ok := d.nodes[name]; ok {
			e := fs.Entry{Name: name}
			if _, ok := n.(fs.Dir); ok {
				e.Type = iofs.ModeDir
			}
			all = append(all, e)
		}
	}
	return all, nil
}

// TestNetworkFolder: a workspace on a file system that stops answering keeps its pages,
// says so, and holds up no other.
func TestNetworkFolder(t *testing.T) {
	t.Parallel()
	b := realBox(t) // for a file system of this process, which must not wait for itself
	net := new(network)
	mod := fs.NewText(time.Unix(1_790_000_000, 0), []byte("module x\n"))
	root := netDir{net, map[string]fs.Node{"project": netDir{net, map[string]fs.Node{"go.mod": mod, "src": netDir{net, map[string]fs.Node{"go.mod": mod}}}}}}
	point := filepath.Join(b.home, "net")
	must(t, os.Mkdir(point, 0o700))
	m, err := fusefs.New(fs.NewTree(root, fs.TreeOptions{Deadline: time.Hour}), point, fusefs.Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = m.Unmount() })
	project := filepath.Join(point, "project")
	b.write("shop/go.mod", "module shop\n")
	b.sh("cd shop && git init -q")
	now := time.Now()
	b.claudeAt(project, now.Add(-2*time.Minute))
	b.claudeAt(filepath.Join(b.home, "shop"), now.Add(-time.Minute))

	b.mount()
	shows := func(name, words string) { t.Helper(); b.shows("workspaces/"+name, words) }
	shows("project/HERE.md", "go test")
	shows("project/layout.txt", "src/")
	shows("shop/HERE.md", "go test")

	back := net.leave()
	t.Cleanup(back) // before the mount is ended
	b.claudeAt(project, now)
	b.write("shop/new.go", "package shop\n")
	shows("INDEX.md", "~/net/project does not answer: its pages are as they were")
	shows("shop/HERE.md", "new.go")
	shows("project/HERE.md", "go test")
	b.shows("STATUS.md", "~/net/project does not answer")
	for i := range 3 {
		name := "more" + string(rune('a'+i)) + ".go"
		b.write("shop/"+name, "package shop\n")
		shows("shop/HERE.md", name)
	}
	if got := b.ok("here", "--page", filepath.Join(b.home, "shop")); !strings.Contains(got, "untracked") {
		t.Errorf("here: %s", got)
	}
	b.write("shop/.kiro/specs/login/tasks.md", "- [ ] 1. write the login form\n")
	b.settled()
	if got := b.ok("plans"); !strings.Contains(got, "[ ] 1. write the login form — kiro, ") {
		t.Errorf("plans of another project: %s", got)
	}
	if got := b.read("plans/OPEN.md"); !strings.Contains(got, "note: ~/net/project cannot be looked into") {
		t.Errorf("OPEN.md: %s", got)
	}

	back()
	fstest.Eventually(t, "it answers again", func() bool { // which nothing tells outside of the process
		b.settled()
		return !strings.Contains(b.read("workspaces/INDEX.md"), "does not answer")
	})
	shows("project/HERE.md", "go test")
}
