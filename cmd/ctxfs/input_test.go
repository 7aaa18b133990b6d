package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// TestBadInput has all that a hostile or careless configuration may hold in
// one: each server gets its folder, and all of it can be read.
func TestBadInput(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	large := filepath.Join(b.dir, "large")
	var tools []map[string]any
	for _, name := range []string{"huge", "a/b", "a.b", "Case", "case", "..", "", "two\nlines", "\x1b[31mred", strings.Repeat("x", 300)} {
		tools = append(tools, map[string]any{"name": name, "description": "Tool \x1b[2J\u202e" + name, "inputSchema": map[string]any{"type": "object"}})
	}
	tools[0]["description"] = strings.Repeat("5 MB of words. ", 5<<20/15) + "The end."
	text, err := json.Marshal(tools)
	must(t, err)
	must(t, os.WriteFile(large, text, 0o600))
	b.stub("large", "", map[string]string{stubTools: large})
	names := []string{"a/b", "..", "two\nlines", strings.Repeat("ü", 150), "../../etc/passwd", ".", "", " ", "INDEX.md"}
	for i, name := range names {
		b.stub(name, "", map[string]string{"STUB_N": string(rune('a' + i))})
	}
	// One name, two servers.
	b.write(".claude.json", asJSON(map[string]any{"mcpServers": map[string]any{"large": stubEntry("", map[string]string{"STUB_N": "other"})}}))
	b.mount()
	b.shows("STATUS.md", "11 servers")

	entries, err := os.ReadDir(b.mnt("mcps"))
	must(t, err)
	folders := 0
	for _, e := range entries {
		if len(e.Name()) > 120 || strings.ContainsAny(e.Name(), "\n\x1b") {
			t.Errorf("the name %q", e.Name())
		}
		if e.IsDir() {
			folders++
			b.ready(e.Name())
		}
	}
	if folders != 11 {
		t.Errorf("%d folders: %v", folders, entries)
	}
	b.shows("mcps/large/STATUS.md", "another server of this name")
	b.shows("mcps/large~2/STATUS.md", "another server of this name")
	which := "large"
	if _, err := os.Stat(b.mnt("mcps/large/tools/huge.json")); err != nil {
		which = "large~2"
	}
	if got := b.sh("ls .agentctx/mcps/" + which + "/tools | wc -l"); strings.TrimSpace(got) != "10" {
		t.Errorf("tools: %s", b.sh("ls .agentctx/mcps/"+which+"/tools"))
	}
	huge := b.read("mcps/" + which + "/tools/huge.json")
	if !json.Valid([]byte(huge)) || len(huge) < 5<<20 || !strings.Contains(huge, "The end.") {
		t.Errorf("the tool of 5 MB has %d bytes", len(huge))
	}
	if index := b.read("mcps/INDEX.md"); len(index) > 100_000 {
		t.Errorf("INDEX.md has %d bytes", len(index))
	}
	fstest.Equal(t, b.sh("cat $(find .agentctx -type f) | LC_ALL=C grep -c -P '\\x1b|\\xe2\\x80\\xae' || :"), "0\n", "control characters in")
	b.sh("tar c .agentctx | wc -c && rg -c . .agentctx >/dev/null")
}
