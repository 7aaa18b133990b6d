package main

import (
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// TestScopesOfRealServers calls servers of npm from two projects: a user's entry that
// names the workspace is run for each, and the memory is one for both.
func TestScopesOfRealServers(t *testing.T) {
	t.Parallel()
	need(t, "git")
	const scope = "@modelcontextprotocol/"
	modules := fstest.NodeModules(t, scope+"server-filesystem", scope+"server-memory")
	b := newBox(t)
	entry := func(name, arg string, env map[string]string) map[string]any {
		args := []string{filepath.Join(modules, scope+name, "dist/index.js")}
		if arg != "" {
			args = append(args, arg)
		}
		return map[string]any{"command": "node", "args": args, "env": env}
	}
	b.servers["files"] = entry("server-filesystem", "${workspaceFolder}", nil)
	b.servers["memory"] = entry("server-memory", "", map[string]string{"MEMORY_FILE_PATH": filepath.Join(b.home, "memory.jsonl")})
	b.configure()
	b.sh("for p in one two; do mkdir -p src/$p/sub && git init -q src/$p; done")
	b.mount()
	b.ready("memory")
	for _, project := range []string{"one", "two"} {
		if got := b.sh("cd src/" + project + "/sub && ctxfs call files list_allowed_directories"); !strings.Contains(got, b.home+"/src/"+project) || strings.Count(got, "/src/") != 1 {
			t.Errorf("from %s: %s", project, got)
		}
		b.sh("cd src/" + project + ` && ctxfs call memory create_entities '{"entities":[{"name":"` + project + `","entityType":"project","observations":[]}]}'`)
	}
	fstest.Contains(t, b.sh("cd src/one && ctxfs call memory read_graph"), `"one"`, `"two"`)
	if r := b.shell("ctxfs call files list_allowed_directories"); r.code == 0 || !strings.Contains(r.err, "--project") {
		t.Errorf("from no project: exit %d, %v", r.code, r)
	}
	b.shows("mcps/files/STATUS.md", "scope: project — its configuration names the folder of the workspace")
	b.shows("mcps/memory/STATUS.md", "scope: user — its memory is one file")
	fstest.Contains(t, b.ok("config", "memory"), "processes:     one for all: its memory is one file")
	b.write(".config/ctxfs/config.toml", "[mcp.servers.memory]\nscope = \"session\"\n")
	b.shows("mcps/memory/STATUS.md", "scope: session — ", "config.toml says so")
}
