package config

import (
	"strings"
	"testing"
)

// TestPrograms: a program is known whatever starts it, and by which version.
func TestPrograms(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"npx -y @modelcontextprotocol/server-memory@2026.8.31", "npm:@modelcontextprotocol/server-memory"},
		{"npx --package=@a/b@latest tool", "npm:@a/b"},
		{"bunx tavily-mcp@latest", "npm:tavily-mcp"},
		{"pnpm dlx pkg", "npm:pkg"},
		{"cmd /c npx -y pkg@1", "npm:pkg"},
		{"uvx mcp-server-fetch==1.2", "pypi:mcp-server-fetch"},
		{"uvx awslabs.aws_documentation-mcp-server@latest", "pypi:awslabs-aws-documentation-mcp-server"},
		{"uvx mcp-server-time[all]", "pypi:mcp-server-time"},
		{"uvx --from git+https://github.com/oraios/serena.git@v1 serena start-mcp-server", "git:github.com/oraios/serena"},
		{"pipx run pkg", "pypi:pkg"},
		{"python3 -m mcp_server_git --repository /r", "pypi:mcp-server-git program:python3"},
		{"docker run -i --rm -v m:/app mcp/memory:latest", "image:mcp/memory"},
		{"podman run -i docker.io/mcp/fetch@sha256:12", "image:mcp/fetch"},
		{"docker run -i localhost:5000/x/y", "image:localhost:5000/x/y"},
		{"node /opt/node_modules/@scope/pkg/dist/index.js", "npm:@scope/pkg program:node"},
		{"node /a/node_modules/outer/node_modules/inner/x.js", "npm:inner program:node"},
		{"/a/node_modules/.bin/mcp-server-memory", "program:mcp-server-memory"},
		{"/usr/local/bin/github-mcp-server stdio", "program:github-mcp-server"},
		{"./server", "program:server"},
	} {
		fields := strings.Fields(c.line)
		if got := strings.Join(Programs(fields[0], fields[1:]), " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.line, got, c.want)
		}
	}
	if got := Programs("sh", []string{"-c", "cd /srv && exec npx -y pkg@2"}); len(got) != 1 || got[0] != "npm:pkg" {
		t.Errorf("in a shell: %q", got)
	}
	if got := Programs("", nil); len(got) != 1 {
		t.Errorf("no command: %q", got)
	}
}
