package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// TestHere: the place where somebody stands, with and without a mount.
func TestHere(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.write("src/shop/go.mod", "module shop\n")
	b.write("src/shop/api/api.go", "package api\n")
	b.write("src/shop/AGENTS.md", "Amounts are integer cents.\n")
	b.sh("cd src/shop && git init -q -b main . && git add . && git -c user.name=a -c user.email=a@example.com commit -qm Begin")
	shop, api := filepath.Join(b.home, "src/shop"), b.at("src/shop/api")

	// Without a background process it is the path in the tree, and the page is made.
	fstest.Equal(t, b.run("here", shop).out, "workspaces/shop\n", "without a mount")
	fstest.Contains(t, b.ok("here", "--page", shop), "git: on branch main\n", "`go test ./...` (go.mod)")
	fstest.Contains(t, b.ok("cat", "workspaces/shop/HERE.md"), "git: on branch main\n")
	b.refused(exitFailed, []string{"cannot be a workspace"}, "here", b.home)
	b.refused(exitFailed, []string{"there is no folder ~/gone"}, "here", filepath.Join(b.home, "gone"))
	b.refused(exitUsage, []string{"exclude each other"}, "here", "--page", "--json")

	b.mount()
	here := b.mnt("workspaces/shop")
	for _, command := range []string{"here", "note", "note x"} {
		if got := b.sh("cd " + b.mnt("memory/inbox") + " && ctxfs " + command + " 2>&1 || true"); !strings.Contains(got, "is in the tree of ctxfs itself, not in a project") || !strings.Contains(got, "ctxfs here DIR") {
			t.Errorf("%s in the mount: %s", command, got)
		}
	}
	if got := api.ok("here"); got != here+"\n" {
		t.Errorf("here is %q, want %q", got, here)
	}
	var entry struct {
		Name, Dir, Path string
		Mounted         bool
	}
	if err := json.Unmarshal([]byte(b.ok("here", "--json", shop)), &entry); err != nil || entry.Name != "shop" || entry.Dir != shop || entry.Path != here || !entry.Mounted {
		t.Errorf("as JSON: %+v, %v", entry, err)
	}
	page := filepath.Join(here, "HERE.md")
	shows := func(words string) {
		t.Helper()
		b.settles(words, func() bool { return strings.Contains(b.sh("cat "+page), words) })
	}
	shows("uncommitted: nothing")
	b.write("src/shop/api/new.go", "package api\n")
	shows("uncommitted: 1 untracked: api/new.go")
	fstest.Contains(t, b.sh("cat "+b.mnt("workspaces/by-path"+shop+"/api/HERE.md")), "api/new.go")

	// Rules of a project that is not trusted are named, not shown.
	shows("not trusted")
	fstest.ContainsNot(t, b.sh("cat "+page), "integer cents")
	b.ok("trust", shop)
	shows("Amounts are integer cents.")
	fstest.ContainsNot(t, b.sh("cat "+page), "not trusted")

	// Notes by a command and as files, from agents and people.
	fstest.Equal(t, api.with("CLAUDECODE", "1").ok("note", "the cart is half done"), "the-cart-is-half-done.md\n", "note")
	b.sh("echo 'run make migrate first' > " + here + "/notes/migrate.md")
	fstest.Equal(t, b.sh("jq -r .ok "+here+"/notes/migrate.result"), "true\n", "a file that was created")
	shows(`by claude-code: "the cart is half done"`)
	shows(`"run make migrate first"`)
	fstest.Contains(t, api.ok("note"), "migrate.md  ", "  the cart is half done\n")
	fstest.Equal(t, api.ok("note", "--take", "migrate"), "run make migrate first\n", "taken")
	b.settles("a note that was taken leaves the page", func() bool { return !strings.Contains(b.sh("cat "+page), "make migrate") })
	b.refused(exitFailed, []string{"there is no note migrate here", "ctxfs note"}, "note", "--in", shop, "--take", "migrate")
	b.refused(exitUsage, []string{"the note is empty"}, "note", " ")
	for want, file := range map[string]string{
		"git branch uncommitted changes": "workspaces/shop/git.md", "stashes worktrees": "workspaces/shop/git.md",
		"processes that listen on a port": "workspaces/shop/processes.tsv", "running servers": "workspaces/shop/processes.tsv",
		"interpreters and versions": "workspaces/shop/system.json", "folder layout": "workspaces/shop/layout.txt",
		"which agents work here": "workspaces/shop/agents.tsv", "where the shop stands": "workspaces/shop/HERE.md",
		"integer cents": "rules/shop/AGENTS.md", "rules of the project": "rules/shop/AGENTS.md", "cart half done": "workspaces/shop/notes/the-cart-is-half-done.md",
	} {
		got := api.ok("find", want)
		lines := strings.SplitN(got, "\n", 7)
		if !strings.Contains(strings.Join(lines[:len(lines)-1], "\n"), file) {
			t.Errorf("find %q has no %s:\n%s", want, file, got)
		}
	}
	if got := b.ok("prompt"); !strings.Contains(got, "ctxfs here") || strings.Index(got, "ctxfs here") > strings.Index(got, "ctxfs find") {
		t.Errorf("AGENTS.md does not name ctxfs here first:\n%s", got)
	}
	fstest.Contains(t, b.ok("find", "--in", "workspaces", "cart half done"), "the-cart-is-half-done")
}
