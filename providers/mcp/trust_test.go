package mcp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTrustedProject(t *testing.T) {
	w := newWorld(t)
	w.opts.StateDir = filepath.Join(w.dir, "state")
	home, err := filepath.EvalSymlinks(w.home)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(home, "it's a shop")
	text := func(mode string) string {
		return `{"servers": {"shop": {"command": "` + os.Args[0] + `", "env": {"` + stubMode + `": "` + mode + `"}}}}`
	}
	w.write(filepath.Join(dir, ".vscode/mcp.json"), text("ok"))
	w.write(".claude.json", `{"projects": {"`+dir+`": {}, "/nowhere/at/all": {}, "relative": {}}}`)
	w.open().start()
	contains(t, w.cat("shop/STATUS.md"), "state: untrusted\n", "fix: ", "ctxfs trust '"+strings.ReplaceAll(dir, "'", `'\''`)+"'")
	contains(t, w.cat("shop/SERVER_METADATA.json"), `"project": "`+dir+`"`, `"scope": "project"`)
	if s := w.p.Status(); s.State != "ready" {
		t.Errorf("what is not trusted is no fault: %+v", s)
	}
	if err := w.p.Restart("shop"); err == nil {
		t.Error("it is started though it is not trusted")
	}

	link := filepath.Join(w.dir, "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	project, err := w.p.Trust(link)
	if err != nil || project.Folder != dir || project.Trusted.IsZero() || len(project.Servers) != 1 || project.Servers[0].State != "trusted" {
		t.Fatalf("%+v, %v", project, err)
	}
	w.untilState("shop", "ready")

	// What is trusted outlives the process, and ends with a change.
	w.reopen().startAll()
	w.untilState("shop", "ready")
	w.write(filepath.Join(dir, ".vscode/mcp.json"), "// the same\n"+text("ok"))
	w.p.Reload()
	contains(t, w.cat("shop/STATUS.md"), "state: ready\n")
	w.write(filepath.Join(dir, ".vscode/mcp.json"), text("banner"))
	w.p.Reload()
	contains(t, w.cat("shop/STATUS.md"), "state: untrusted\n", "have changed since it was trusted", "catalogue: ")
	if s := w.p.Status(); s.State != "degraded" || len(s.Problems) != 1 || !strings.Contains(s.Problems[0].Mend, "ctxfs trust ") {
		t.Errorf("a server that was wanted is not told of: %+v", s)
	}
	if got := w.p.Projects(); len(got) != 1 || got[0].Servers[0].State != "changed" {
		t.Errorf("projects: %+v", got)
	}

	// A file that cannot be used is not trusted as a whole.
	w.write(filepath.Join(dir, ".cursor/mcp.json"), "{")
	if _, err := w.p.Trust(dir); err == nil || !strings.Contains(err.Error(), "correct it first") {
		t.Errorf("a broken file is trusted: %v", err)
	}
	w.write(filepath.Join(dir, ".cursor/mcp.json"), `{"mcpServers": {}}`)
	if _, err := w.p.Trust(dir); err != nil {
		t.Fatal(err)
	}
	w.untilState("shop", "ready")
	if project, err := w.p.Revoke(dir); err != nil || project.Servers[0].State != "untrusted" {
		t.Errorf("%+v, %v", project, err)
	}
	contains(t, w.cat("shop/STATUS.md"), "state: untrusted\n")
	if _, err := w.p.Revoke(dir); err == nil {
		t.Error("revoked twice")
	}

	// Damaged approvals approve nothing, and can be given again.
	if _, err := w.p.Trust(dir); err != nil {
		t.Fatal(err)
	}
	w.write(filepath.Join(w.opts.StateDir, "trusted.json"), "damaged")
	w.p.Reload()
	contains(t, w.cat("shop/STATUS.md"), "state: untrusted\n")
	contains(t, w.cat("INDEX.md"), "is damaged: no project is trusted", "ctxfs trust DIR")
	if _, err := w.p.Trust(dir); err != nil {
		t.Fatal(err)
	}
	w.untilState("shop", "cached")
}
