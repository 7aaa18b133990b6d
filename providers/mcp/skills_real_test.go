package mcp

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// mockSkill is a skill of the mock server in testdata/mcp/skills.
type mockSkill struct {
	URI         string            `json:"uri"`
	Frontmatter map[string]any    `json:"frontmatter"`
	Files       map[string]string `json:"files"`
	Lie         map[string]string `json:"lie,omitempty"`
	Dynamic     bool              `json:"dynamic,omitempty"`
	Unlisted    bool              `json:"unlisted,omitempty"`
}

func newMockSkill(uri, about string, files map[string]string) mockSkill {
	name := filepath.Base(filepath.Dir(uri))
	all := map[string]string{"SKILL.md": "---\nname: " + name + "\ndescription: " + about + "\n---\n\nDo it.\n"}
	for path, text := range files {
		all[path] = text
	}
	return mockSkill{URI: uri, Frontmatter: map[string]any{"name": name, "description": about}, Files: all}
}

// TestServedSkills: what a server of the official SDK serves as skills (SEP-2640) is
// listed, and nothing of it fetched, until it is asked for; it is kept only if all is as
// listed, and goes with the server.
func TestServedSkills(t *testing.T) {
	modules := fstest.NodeModules(t, "@modelcontextprotocol/server")
	script, err := filepath.Abs("../../testdata/mcp/skills/mock-server.mjs")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	journal := filepath.Join(w.home, "journal")
	asked := func(words string) int {
		text, _ := os.ReadFile(journal)
		return strings.Count(string(text), words)
	}
	invoice := newMockSkill("skill://acme/billing/invoice/SKILL.md", "Writes invoices\u202e for zeppelins.", map[string]string{
		"scripts/run.sh": "#!/bin/sh\necho \u202e\n", "logo.bin": "\x00\x01binary", "references/a b.md": "A blank.\n",
	})
	liar := newMockSkill("skill://liar/SKILL.md", "Sends something else.", map[string]string{"data.md": "as listed"})
	liar.Lie = map[string]string{"data.md": "as lifted"}
	matter := newMockSkill("skill://matter/SKILL.md", "Another front matter.", nil)
	matter.Frontmatter["description"] = "What the list says."
	out := newMockSkill("skill://out/SKILL.md", "Leads out.", map[string]string{"../../../escape.md": "x"})
	dynamic := newMockSkill("skill://dynamic/SKILL.md", "Files unknown.", nil)
	dynamic.Dynamic = true
	renamed := newMockSkill("skill://renamed/SKILL.md", "x", nil)
	renamed.Frontmatter["name"] = "other"
	hidden := newMockSkill("https://docs.example/guides/hidden/SKILL.md", "Known by its URI only.", nil)
	hidden.Unlisted = true
	twin := newMockSkill("skill://other/invoice/SKILL.md", "Has the name of another.", nil)
	skills := []mockSkill{invoice, liar, matter, out, dynamic, renamed, hidden, twin}
	serve := func() string {
		text, err := json.Marshal(map[string]any{"skills": skills})
		if err != nil {
			t.Fatal(err)
		}
		return w.write("skills.json", string(text))
	}
	w.claude(map[string]any{"docs": map[string]any{"command": "node", "args": []string{script, filepath.Join(modules, "@modelcontextprotocol/server"), serve(), journal}}})
	w.open().startAll()
	w.until("the skills are listed", func() bool { _, err := w.read("docs/skills/INDEX.md"); return err == nil })
	if got := w.ls("docs/skills"); got != "INDEX.md acme dynamic liar matter other out renamed" {
		t.Errorf("skills: %s", got)
	}
	fstest.Contains(t, w.cat("docs/skills/INDEX.md"), "acme/billing/invoice — Writes invoices for zeppelins.\n", "dynamic — Files unknown. (cannot be fetched: ", "renamed — x (cannot be fetched: its name is not the last part of its URI)",
		"out — Leads out. (cannot be fetched: it names a file outside of itself")
	if got := w.ls("docs/skills/acme/billing/invoice"); got != "ENTRY.json" {
		t.Errorf("before it is fetched: %s", got)
	}
	fstest.Contains(t, w.cat("docs/skills/acme/billing/invoice/ENTRY.json"), `"fetch": "ctxfs skills fetch docs/acme/billing/invoice"`, `"path": "scripts/run.sh"`, `"digest": "sha256:`)
	if asked("resources/read") != 0 {
		t.Error("something was fetched because it is listed")
	}
	found := 0
	for doc := range w.p.Documents("") {
		if doc.Kind == "skill" && doc.Whole == "docs/skills/acme/billing/invoice" && strings.Contains(doc.Fields["description"], "zeppelins") {
			found++
		}
	}
	if found != 1 {
		t.Errorf("%d documents", found)
	}

	w.drain()
	done, err := w.p.FetchSkill(context.Background(), "docs", "acme/billing/invoice")
	if err != nil || done.Path != "docs/skills/acme/billing/invoice" || done.Files != 4 {
		t.Fatalf("%+v, %v", done, err)
	}
	for path, want := range invoice.Files {
		if got := w.cat("docs/skills/acme/billing/invoice/" + path); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	if a := w.stat("docs/skills/acme/billing/invoice/scripts/run.sh"); a.Mode&0o111 != 0 {
		t.Errorf("a script of a server is executable: %v", a.Mode)
	}
	fstest.Contains(t, w.cat("docs/skills/INDEX.md"), "invoice — Writes invoices for zeppelins. (fetched)\n")
	for name, want := range map[string]string{
		"liar": "its digest differs", "matter": "the front matter of SKILL.md differs", "dynamic": "does not say which files", "out": "outside of itself",
		"renamed": "not the last part", "invoice": "several skills have the name", "invoce": "lists no skill", "skill://nowhere/SKILL.md": "unknown skill",
	} {
		if got, err := w.p.FetchSkill(context.Background(), "docs", name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v, want %q", name, got, err, want)
		}
	}
	if got := w.ls("docs/skills/liar"); got != "ENTRY.json" {
		t.Errorf("what is not as listed was kept: %s", got)
	}
	done, err = w.p.FetchSkill(context.Background(), "docs", hidden.URI)
	if err != nil || done.Path != "docs/skills/https/docs_example/guides/hidden" {
		t.Errorf("by its URI: %+v, %v", done, err)
	}
	reads := asked("resources/read")

	// What was fetched is there without the server, and changes are said.
	invoice.Files["scripts/run.sh"] = "#!/bin/sh\nexit 1\n"
	skills = []mockSkill{invoice}
	serve()
	w.opts.Offline = true
	w.reopen()
	if got := w.cat("docs/skills/acme/billing/invoice/scripts/run.sh"); got != "#!/bin/sh\necho \u202e\n" {
		t.Errorf("without the server: %q", got)
	}
	w.opts.Offline = false
	w.reopen().startAll()
	w.until("the change is said", func() bool {
		return strings.Contains(w.cat("docs/skills/INDEX.md"), "invoice — Writes invoices for zeppelins. (fetched, and changed since: fetch it again)")
	})
	fstest.Contains(t, w.cat("docs/skills/INDEX.md"), "hidden — Known by its URI only. (fetched; the server does not list it)")
	if asked("resources/read") != reads {
		t.Error("it was fetched again by itself")
	}
	if _, err := w.p.FetchSkill(context.Background(), "docs", "invoice"); err != nil {
		t.Error(err)
	}
	if got := w.cat("docs/skills/acme/billing/invoice/scripts/run.sh"); got != "#!/bin/sh\nexit 1\n" {
		t.Errorf("after it was fetched again: %q", got)
	}

	// A file that was changed in the cache is not shown.
	files, err := filepath.Glob(filepath.Join(w.opts.CacheDir, "served/*/*/files/SKILL.md"))
	if err != nil || len(files) != 2 {
		t.Fatalf("%q, %v", files, err)
	}
	for _, file := range files {
		if strings.Contains(file, "/.claude/") || strings.Contains(file, "/.agents/") {
			t.Errorf("%s is where agents look for skills", file)
		}
		if err := os.WriteFile(file, []byte("---\nname: evil\n---\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.reopen().start()
	if got, err := w.read("docs/skills/acme/billing/invoice/SKILL.md"); err == nil {
		t.Errorf("what was changed in the cache is shown: %q", got)
	}
	if _, err := os.Stat(filepath.Join(w.opts.CacheDir, "served")); err != nil {
		t.Error(err)
	}

	// It goes with the server.
	w.claude(map[string]any{})
	w.p.Reload()
	w.until("the server is gone", func() bool { return !strings.Contains(w.ls(""), "docs") })
	w.until("what was kept of it, too", func() bool {
		left, err := os.ReadDir(filepath.Join(w.opts.CacheDir, "served"))
		return err != nil || len(left) == 0
	})
}
