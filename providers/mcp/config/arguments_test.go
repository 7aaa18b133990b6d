package config

import (
	"strings"
	"testing"
)

// TestArgumentsOfRealServers: command lines as people write them show no secrets,
// named or not, and still show which server it is.
func TestArgumentsOfRealServers(t *testing.T) {
	const id = "6f1c2b9e-8d3a-4f57-9b1e-0c2d4e6f8a1b"
	nzq := "NzQ2ZTM5YmEtYWM0" + "Mi00YzE5LWE3NzAt"
	for _, c := range []struct{ line, want string }{
		{"npx mcp-remote https://mcp.zapier.com/api/mcp/s/" + nzq + "/mcp", "mcp-remote https://mcp.zapier.com"},
		{"npx -y mcp-remote https://mcp.composio.dev/composio/server/" + id, "-y mcp-remote https://mcp.composio.dev"},
		{"npx -y supergateway --sse https://mcp.pipedream.net/" + id + "/github", "-y supergateway --sse https://mcp.pipedream.net"},
		{"npx mcp-remote --url=https://user:hunter2@mcp.example.com:8443/s/abc?key=1", "mcp-remote --url=https://mcp.example.com:8443"},
		{"npx -y @smithery/cli@latest run exa --key " + id + " --profile ada", "-y @smithery/cli@latest run exa --key … --profile ada"},
		{"npx -y @smithery/cli run exa --key AbCdEf123456", "-y @smithery/cli run exa --key …"},
		{"npx server -k s3cr3tValue99 --project shop", "server -k … --project shop"},
		{"npx -y figma-developer-mcp --figma-api-key=plain --stdio", "-y figma-developer-mcp --figma-api-key=… --stdio"},
		{"npx server --openaiKey plain --accesstoken word", "server --openaiKey … --accesstoken …"},
		{"npx server --key ${API_KEY} --token $TOKEN", "server --key ${API_KEY} --token $TOKEN"},
		{"npx server --ssl-key /etc/ssl/server.pem --ssh-key ~/.ssh/id_rsa", "server --ssl-key /etc/ssl/server.pem --ssh-key ~/.ssh/id_rsa"},
		{"npx server AbCdEf123456 shop", "server … shop"},
		{"npx server " + id, "server …"},
		{"npx server wJalrXUtnF3MI/K7MDENG/bPxRfiCY2X9MPLEQEY", "server …"},
		{"npx server 9f86d081884c7d659a2feaa0c55ad015", "server …"},
		{"npx server Ab3-xY9_kL2-pQ7-zR4w", "server …"},
		{"npx server --account=kX93mQz71LpWv204", "server --account=…"},
		{"npx -y mcp-remote mcp.example.com/s/kX93mQz71LpWv204/sse", "-y mcp-remote mcp.example.com/s/…/sse"},
		{"npx -y @modelcontextprotocol/server-filesystem@2025.8.21 /home/ada/notes2 /srv/Data", "-y @modelcontextprotocol/server-filesystem@2025.8.21 /home/ada/notes2 /srv/Data"},
		{"npx -y @playwright/mcp@0.0.41 --browser chrome --viewport-size 1280,720 --headless", "-y @playwright/mcp@0.0.41 --browser chrome --viewport-size 1280,720 --headless"},
		{"uvx mcp-server-git==2025.7.1 --repository /home/ada/.config/nvim", "mcp-server-git==2025.7.1 --repository /home/ada/.config/nvim"},
		{"uvx --from git+https://github.com/oraios/serena serena start-mcp-server --context ide-assistant", "--from git+https://github.com serena start-mcp-server --context ide-assistant"},
		{"docker run -i --rm -e GITHUB_HOST ghcr.io/github/github-mcp-server:v0.13.0 stdio", "run -i --rm -e GITHUB_HOST ghcr.io/github/github-mcp-server:v0.13.0 stdio"},
		{"docker run -i --rm mcp/postgres@sha256:" + strings.Repeat("3f9a", 16), "run -i --rm mcp/postgres@sha256:" + strings.Repeat("3f9a", 16)},
		{"docker run -p 8080:8080 --memory 512m node:20-alpine3.19 server.js", "run -p 8080:8080 --memory 512m node:20-alpine3.19 server.js"},
		{"/usr/bin/node /home/ada/.nvm/versions/node/v22.14.0/lib/node_modules/mcp/dist/index.js", "/home/ada/.nvm/versions/node/v22.14.0/lib/node_modules/mcp/dist/index.js"},
		{"python3 -m mcp_server_sqlite --db-path ./test2.db --max-rows 100000", "-m mcp_server_sqlite --db-path ./test2.db --max-rows 100000"},
		{"npx -y @modelcontextprotocol/server-postgres postgresql://ada:pa/ss2word@db.example.com:5432/shop", "-y @modelcontextprotocol/server-postgres postgresql://…"},
		{"npx -y mongodb-mcp-server --connectionString mongodb+srv://u:hunter2@c0.abcde.mongodb.net/db", "-y mongodb-mcp-server --connectionString mongodb+srv://c0.abcde.mongodb.net"},
		{"npx -y @supabase/mcp-server-supabase@latest --read-only --project-ref=shop --access-token plain", "-y @supabase/mcp-server-supabase@latest --read-only --project-ref=shop --access-token …"},
		{"npx chrome-devtools-mcp@latest --browserUrl=http://127.0.0.1:9222 --no-auth stdio", "chrome-devtools-mcp@latest --browserUrl=http://127.0.0.1:9222 --no-auth stdio"},
		{"npx server http://[::1]:8080/x file:///srv/notes", "server http://[::1]:8080 file:///srv/notes"},
		{"npx server --use-key-from env --tokenizer cl100k --keyspace shop", "server --use-key-from env --tokenizer cl100k --keyspace shop"},
	} {
		words := strings.Fields(c.line)
		d := Server{Command: words[0], Args: words[1:]}
		if got := anyMarker(strings.Join(d.Arguments(), " ")); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.line, got, c.want)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"mcp-remote", "https://a.example/sse", "--header", "X-Custom: plain word"}, "mcp-remote https://a.example --header X-Custom:…"},
		{[]string{"mcp-remote", "--header", "Authorization:${AUTH}"}, "mcp-remote --header Authorization:${AUTH}"},
		{[]string{"mcp-proxy", "--headers", "X-Custom", "plain", "https://a.example/s/x"}, "mcp-proxy --headers X-Custom … https://a.example"},
		{[]string{"mcp-remote", "--header=X-Custom: plain word"}, "mcp-remote --header=X-Custom:…"},
		{[]string{"-c", "exec npx mcp-remote https://a.example/s/x --key plain"}, "-c exec npx mcp-remote https://a.example --key …"},
		{[]string{"run", "--config", `{"key":"plain","n":1}`}, `run --config {"key":…`},
		{[]string{"--password", "correct horse battery"}, "--password …"},
	} {
		d := Server{Command: "npx", Args: c.args}
		if got := anyMarker(strings.Join(d.Arguments(), " ")); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.args, got, c.want)
		}
	}
}

// anyMarker replaces every marker of hidden text with one.
func anyMarker(text string) string {
	for {
		before, rest, found := strings.Cut(text, "[REDACTED:")
		_, after, _ := strings.Cut(rest, "]")
		if !found {
			return text
		}
		text = before + hidden + after
	}
}

// TestArgumentsAreShown: servers of one package can be told apart, and no secret is
// shown.
func TestArgumentsAreShown(t *testing.T) {
	token := "ghp_" + strings.Repeat("aB3", 12)
	for name, c := range map[string]struct {
		d      Server
		want   string
		hidden []string
	}{
		"none":     {d: Server{Command: "server"}},
		"plain":    {d: Server{Command: "npx", Args: []string{"-y", "@modelcontextprotocol/server-filesystem", "/home/ada/notes"}}, want: "-y @modelcontextprotocol/server-filesystem /home/ada/notes"},
		"options":  {d: Server{Command: "docker run", Args: []string{"-i", "image"}}, want: "run -i image"},
		"control":  {d: Server{Command: "x", Args: []string{"a\x1b[31mb\nc\u202e"}}, want: "ab c"},
		"long":     {d: Server{Command: "x", Args: []string{strings.Repeat("y", 5000)}}, want: strings.Repeat("y", 100), hidden: []string{strings.Repeat("y", 201)}},
		"many":     {d: Server{Command: "x", Args: strings.Fields(strings.Repeat("a ", 70))}, want: "... and 20 more"},
		"shape":    {d: Server{Command: "x", Args: []string{"--repo", "a/b", token}}, want: "--repo a/b ", hidden: []string{token}},
		"flag":     {d: Server{Command: "x", Args: []string{"--api-key", "hunter2hunter2", "--project", "shop"}}, want: "--project shop", hidden: []string{"hunter2hunter2"}},
		"joined":   {d: Server{Command: "x", Args: []string{"--token=hunter2hunter2"}}, want: "--token=", hidden: []string{"hunter2hunter2"}},
		"address":  {d: Server{Command: "x", Args: []string{"postgres://ada:hunter2hunter2@db/shop"}}, want: "postgres://db", hidden: []string{"hunter2hunter2"}},
		"variable": {d: Server{Command: "docker", Args: []string{"run", "-e", "API_TOKEN=hunter2hunter2", "image"}}, want: "image", hidden: []string{"hunter2hunter2"}},
		"of the configuration": {
			d: Server{Command: "x", Args: []string{"--db", "plainword99"}, Secrets: []string{"plainword99"}}, want: "--db ***", hidden: []string{"plainword99"},
		},
	} {
		got := strings.Join(c.d.Arguments(), " ")
		if !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		for _, secret := range c.hidden {
			if strings.Contains(got, secret) {
				t.Errorf("%s tells a secret: %q", name, got)
			}
		}
	}
}
