package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/rules"
)

// TestRules: rules are in the mount, on the command line and in a search; a check finds
// what is wrong.
func TestRules(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.write("src/shop/.git/HEAD", "ref: refs/heads/main\n")
	b.write("src/shop/AGENTS.md", "# The shop\n\nAmounts are integer cents. See `api/gone.go`.\n")
	b.write("src/shop/api/cart.go", "package api\n")
	b.write("src/shop/.cursor/rules/go.mdc", "---\nglobs: api/*.go\n---\nReturn errors.\n")
	b.write(".config/ctxfs/config.toml", "[workspaces]\ndirs = [\"~/src/shop\"]\n")
	shop := filepath.Join(b.home, "src/shop")
	want := []string{"# Rules for ~/src/shop/api/cart.go", "integer cents", "Return errors.", "cursor, cline, crush (not trusted)"}
	fstest.Contains(t, b.sh("cd src/shop/api && ctxfs rules cart.go"), want...)
	fstest.ContainsNot(t, b.ok("rules", filepath.Join(shop, "x.md")), "go.mdc — api")
	b.mount()
	b.shows("rules/shop/AGENTS.md", "scope: project\n", "trusted: no\n", "integer cents")
	b.write("src/shop/deep/er/AGENTS.md", "Nested.\n")
	b.shows("rules/INDEX.md", "shop/deep-er-AGENTS.md — deep/er/**; claude-code, ")
	must(t, os.RemoveAll(filepath.Join(shop, "deep")))
	b.shows("rules/INDEX.md", "shop/cursor-rules-go.md — api/*.go; cursor, and otherwise cline, crush: Return errors.")
	fstest.Contains(t, readFile(t, filepath.Join(b.mnt(), "rules/for", shop, "api/cart.go")), want...)
	fstest.Contains(t, b.ok("find", "--in", "rules", "integer cents"), "rules/shop/AGENTS.md — [not trusted] The shop")
	checked := b.run("rules", "check", "--json", shop)
	var found rules.Checked
	if err := json.Unmarshal([]byte(checked.out), &found); err != nil || checked.code != exitProblems || len(found.Findings) != 1 || found.Files != 2 || found.Findings[0].Line != 3 {
		t.Errorf("rules check --json: %v, %v", checked, err)
	}
	b.write("src/shop/api/gone.go", "package api\n")
	fstest.Equal(t, b.ok("rules", "check", shop), "~/src/shop: 0 findings in 2 files of rules\n", "rules check")
}
