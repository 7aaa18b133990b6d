package clients

import (
	"strings"
	"testing"

	"ctxfs/providers/mcp/config"
)

// TestKnownServers: a known server is shared as its program allows, whatever starts
// it; what config.toml says, and a workspace in the entry, count before.
func TestKnownServers(t *testing.T) {
	for _, c := range []struct{ line, env, want string }{
		{"npx -y @modelcontextprotocol/server-memory", "", config.ShareUser},
		{"npx -y @modelcontextprotocol/server-memory@latest", "MEMORY_FILE_PATH=/data/memory.jsonl", config.ShareUser},
		{"npx -y @modelcontextprotocol/server-memory", "MEMORY_FILE_PATH=${workspaceFolder}/memory.jsonl", config.ShareProject},
		{"node /opt/node_modules/@modelcontextprotocol/server-memory/dist/index.js", "", config.ShareUser},
		{"docker run -i --rm -v claude-memory:/app/dist mcp/memory", "", config.ShareUser},
		{"npx -y @modelcontextprotocol/server-sequential-thinking", "", config.ShareSession},
		{"uvx mcp-server-fetch", "", config.ShareUser},
		{"python -m mcp_server_time", "", config.ShareUser},
		{"npx -y @upstash/context7-mcp", "", config.ShareUser},
		{"npx -y @evil/context7-mcp", "", config.ShareProject},
		{"npx -y mcp-server-fetch", "", config.ShareProject}, // of that name in another registry
		{"github-mcp-server stdio", "", config.ShareUser},
		{"github-mcp-server stdio --dynamic-toolsets", "", config.ShareProject},
		{"github-mcp-server stdio --dynamic-toolsets=false", "", config.ShareUser},
		{"docker run -i --rm -e GITHUB_DYNAMIC_TOOLSETS=1 ghcr.io/github/github-mcp-server", "", config.ShareProject},
		{"npx chrome-devtools-mcp@latest", "", config.ShareUser},
		{"npx chrome-devtools-mcp@latest --isolated=true", "", config.ShareProject},
		{"sh -c npx_chrome-devtools-mcp_--isolated", "", config.ShareProject},
		{"sh -c npx_chrome-devtools-mcp_--headless", "", config.ShareUser},
		{"npx @playwright/mcp@latest --headless", "", config.ShareProject},
		{"npx @playwright/mcp@latest --user-data-dir /profile", "", config.ShareUser},
		{"npx @playwright/mcp@latest --user-data-dir=/profile --isolated", "", config.ShareProject},
		{"npx -y @modelcontextprotocol/server-filesystem /srv", "", config.ShareProject},
		{"npx -y @cyanheads/git-mcp-server", "", config.ShareSession},
		{"uvx --from git+https://github.com/oraios/serena serena-mcp-server", "", config.ShareProject},
		{"my-server", "", config.ShareProject},
	} {
		h := newHome(t)
		fields := strings.Fields(c.line)
		entry := `{"mcpServers":{"x":{"command":"` + fields[0] + `","args":["` + strings.ReplaceAll(strings.Join(fields[1:], `","`), "npx_chrome-devtools-mcp_", "npx chrome-devtools-mcp ") + `"]`
		if name, value, ok := strings.Cut(c.env, "="); ok {
			entry += `,"env":{"` + name + `":"` + value + `"}`
		}
		h.write(".cursor/mcp.json", entry+"}}}")
		is := New(h.options()).Discover(h.own(t)).Servers[0]
		if is.Sharing.By != c.want || is.Sharing.Why == "" {
			t.Errorf("%s %s: %+v, want %s", c.line, c.env, is.Sharing, c.want)
		}
		if (is.InProject != nil) != (c.want != config.ShareUser) {
			t.Errorf("%s %s: it is run for a project: %v", c.line, c.env, is.InProject != nil)
		}
		h.write(".config/ctxfs/config.toml", "[mcp.servers.x]\nscope = \"session\"\n")
		if is = New(h.options()).Discover(h.own(t)).Servers[0]; is.Sharing.By != config.ShareSession || !strings.Contains(is.Sharing.Why, "config.toml") {
			t.Errorf("%s: config.toml does not count: %+v", c.line, is.Sharing)
		}
	}
}

// TestKnownServersTable: each rule can be reached, and says why.
func TestKnownServersTable(t *testing.T) {
	seen := make(map[string]bool)
	for _, k := range knownServers() {
		if k.why == "" || len(k.programs) == 0 {
			t.Errorf("%+v says nothing", k)
		}
		for _, p := range k.programs {
			kind, _, ok := strings.Cut(p, ":")
			if !ok || !strings.Contains(" npm pypi image git program ", " "+kind+" ") {
				t.Errorf("%q is no name of a program", p)
			}
			if seen[p] {
				t.Errorf("%q is never reached here", p)
			}
			seen[p] = len(k.with) == 0 && len(k.without) == 0
		}
	}
}
