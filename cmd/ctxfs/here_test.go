package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
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
	if got := b.run("here", shop).out; got != "workspaces/shop\n" {
		t.Errorf("without a mount: %q", got)
	}
	if page := b.ok("here", "--page", shop); !strings.Contains(page, "git: on branch main\n") || !strings.Contains(page, "`go test ./...` (go.mod)") {
		t.Errorf("without a mount:\n%s", page)
	}
	if kept := b.ok("cat", "workspaces/shop/HERE.md"); !strings.Contains(kept, "git: on branch main\n") {
		t.Errorf("what was made is not kept:\n%s", kept)
	}
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
	if got := b.sh("cat " + b.mnt("workspaces/by-path"+shop+"/api/HERE.md")); !strings.Contains(got, "api/new.go") {
		t.Errorf("by its path:\n%s", got)
	}

	// Rules of a project that is not trusted are named, not shown.
	shows("not trusted")
	if got := b.sh("cat " + page); strings.Contains(got, "integer cents") {
		t.Errorf("an untrusted rule is shown:\n%s", got)
	}
	b.ok("trust", shop)
	shows("Amounts are integer cents.")
	if got := b.sh("cat " + page); strings.Contains(got, "not trusted") {
		t.Errorf("it is trusted:\n%s", got)
	}

	// Notes by a command and as files, from agents and people.
	if got := api.with("CLAUDECODE", "1").ok("note", "the cart is half done"); got != "the-cart-is-half-done.md\n" {
		t.Errorf("note: %q", got)
	}
	b.sh("echo 'run make migrate first' > " + here + "/notes/migrate.md")
	if got := b.sh("jq -r .ok " + here + "/notes/migrate.result"); got != "true\n" {
		t.Errorf("a file that was created: %q", got)
	}
	shows(`by claude-code: "the cart is half done"`)
	shows(`"run make migrate first"`)
	if got := api.ok("note"); !strings.Contains(got, "migrate.md  ") || !strings.Contains(got, "  the cart is half done\n") {
		t.Errorf("notes:\n%s", got)
	}
	if got := api.ok("note", "--take", "migrate"); got != "run make migrate first\n" {
		t.Errorf("taken: %q", got)
	}
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
	if got := b.ok("find", "--in", "workspaces", "cart half done"); !strings.Contains(got, "the-cart-is-half-done") {
		t.Errorf("find: %s", got)
	}
}
