package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// TestRealServers shows servers as they come from npm, configured in all three
// places.
func TestRealServers(t *testing.T) {
	t.Parallel()
	need(t, "jq", "rg")
	modules := fstest.NodeModules(t, "@modelcontextprotocol/server-everything")
	b := realBox(t)
	entry := func(script string, args ...string) map[string]any {
		return map[string]any{"command": "node", "args": append([]string{filepath.Join(modules, script)}, args...)}
	}
	b.servers["everything"] = entry("@modelcontextprotocol/server-everything/dist/index.js")
	b.servers["files"] = entry("@modelcontextprotocol/server-filesystem/dist/index.js", b.home)
	b.servers["playwright"] = entry("@playwright/mcp/cli.js")
	b.configure()
	b.write(".claude.json", asJSON(map[string]any{"numStartups": 3, "mcpServers": map[string]any{
		"memory":   entry("@modelcontextprotocol/server-memory/dist/index.js"),
		"thinking": entry("@modelcontextprotocol/server-sequential-thinking/dist/index.js"),
	}}))
	args, err := json.Marshal(entry("@upstash/context7-mcp/dist/index.js")["args"])
	must(t, err)
	b.write(".config/ctxfs/config.toml", "[mcp.servers.context7]\ncommand = \"node\"\nargs = "+string(args)+"\n")
	b.mount()
	b.ready("everything", "files", "playwright", "memory", "thinking", "context7")
	for file, words := range map[string][]string{
		"mcps/everything/tools/echo.json":             {`"message"`},
		"mcps/files/tools/read_text_file.json":        {`"path"`, "inputSchema"},
		"mcps/playwright/tools/browser_navigate.json": {`"url"`},
		"mcps/memory/tools/create_entities.json":      {`"entities"`},
		"mcps/thinking/tools/sequentialthinking.json": {`"thought"`},
		"mcps/context7/tools/resolve-library-id.json": {`"query"`},
	} {
		text := b.read(file)
		if !json.Valid([]byte(text)) || !strings.Contains(text, words[0]) {
			t.Errorf("%s: %s", file, text)
		}
	}
	// What an agent would do.
	fstest.Contains(t, b.sh("rg -il 'create.*entit' .agentctx/mcps"), "mcps/memory/tools/create_entities.json")
	fstest.Equal(t, b.sh("jq -r '.arguments.required[]' .agentctx/mcps/playwright/tools/browser_navigate.json"), "url\n", "jq")
	if r := b.run("doctor"); r.code != 0 {
		t.Errorf("doctor: exit %d\n%v", r.code, r)
	}
	tools := b.sh("cd .agentctx && cat mcps/*/tools/*.json | sha256sum")
	b.ok("unmount")
	b.mount()
	if again := b.sh("cd .agentctx && cat mcps/*/tools/*.json | sha256sum"); again != tools {
		t.Error("after a restart the tools are others")
	}
}
