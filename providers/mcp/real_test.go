package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

// TestRealServers compares what is shown of real servers with what they
// answer to requests made by hand.
func TestRealServers(t *testing.T) {
	for _, c := range []struct {
		name, pkg, bin string
		args           []string
		env            []string
	}{
		{"everything", "@modelcontextprotocol/server-everything", "mcp-server-everything", []string{"stdio"}, nil},
		{"filesystem", "@modelcontextprotocol/server-filesystem", "mcp-server-filesystem", []string{"."}, nil},
		{"memory", "@modelcontextprotocol/server-memory", "mcp-server-memory", nil, nil},
		{"sequential-thinking", "@modelcontextprotocol/server-sequential-thinking", "mcp-server-sequential-thinking", nil, nil},
		{"playwright", "@playwright/mcp", "playwright-mcp", []string{"--headless"}, nil},
		{"context7", "@upstash/context7-mcp", "context7-mcp", nil, nil},
		{"chrome-devtools", "chrome-devtools-mcp", "chrome-devtools-mcp", []string{"--headless"}, nil},
		{"notion", "@notionhq/notion-mcp-server", "notion-mcp-server", nil, nil},
		{"firecrawl", "firecrawl-mcp", "firecrawl-mcp", nil, []string{"FIRECRAWL_API_KEY=dummy"}},
		{"tavily", "tavily-mcp", "tavily-mcp", nil, []string{"TAVILY_API_KEY=dummy"}},
		{"figma", "figma-developer-mcp", "figma-developer-mcp", []string{"--stdio"}, []string{"FIGMA_API_KEY=dummy"}},
		{"slack", "@modelcontextprotocol/server-slack", "mcp-server-slack", nil, []string{"SLACK_BOT_TOKEN=xoxb-dummy", "SLACK_TEAM_ID=T000000"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			bin := filepath.Join(fstest.NodeModules(t, c.pkg), ".bin", c.bin)
			w := realWorld(t)
			w.opts.timing.Discover = 2 * time.Second
			args := append([]string{bin}, c.args...)
			w.claude(map[string]any{c.name: map[string]any{"command": "node", "args": args, "env": variables(c.env)}})
			w.open().start()
			w.untilState(c.name, "ready")
			want := listByHand(t, w.home, c.env, "node", args...)
			w.compare(c.name, want)
			if c.name == "everything" {
				fstest.Contains(t, w.cat("everything/INSTRUCTIONS.md"), "Everything")
				if w.ls("everything/resources") == "" || w.ls("everything/prompts") == "" {
					t.Errorf("no resources or prompts: %s", w.cat("everything/STATUS.md"))
				}
			}

			w.opts.Watch = false
			w.reopen()
			w.compare(c.name, want)
		})
	}
}

// compare checks that the folder of tools shows exactly the definitions.
func (w *world) compare(server string, tools []json.RawMessage) {
	w.t.Helper()
	shown := w.p.All()[0].Summary().Tools
	if len(shown) != len(tools) || len(tools) == 0 {
		w.t.Errorf("%d tools are shown, not %d", len(shown), len(tools))
	}
	for _, raw := range tools {
		var tool struct{ Name string }
		if err := json.Unmarshal(raw, &tool); err != nil {
			w.t.Fatal(err)
		}
		sameTool(w.t, server, raw, []byte(w.cat(server+"/tools/"+tool.Name+".json")))
	}
}

// listByHand asks a server over standard input and output for its tools.
func listByHand(t *testing.T, dir string, env []string, command string, args ...string) []json.RawMessage {
	t.Helper()
	cmd := exec.Command(command, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		in.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	}()
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"roots":{"listChanged":true},"elicitation":{"form":{},"url":{}}},"clientInfo":{"name":"test","version":"1"}}}`)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var reply struct {
			ID     int
			Result struct{ Tools []json.RawMessage }
		}
		if json.Unmarshal(lines.Bytes(), &reply) != nil {
			continue
		}
		switch reply.ID {
		case 1:
			fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			fmt.Fprintln(in, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
		case 2:
			return reply.Result.Tools
		}
	}
	t.Fatal("no answer")
	return nil
}

// variables are those of an entry.
func variables(env []string) map[string]string {
	vars := make(map[string]string)
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		vars[name] = value
	}
	return vars
}

// TestRealServerInGo has a server that is not a script, and one that requires a
// token.
func TestRealServerInGo(t *testing.T) {
	fstest.OptIn(t, "npm") // it is fetched, too
	lookPath(t, "go")
	// A module of its own that requires the one version: nothing else is asked
	// of the module proxy.
	dir := t.TempDir()
	const required = "module scratch\n\ngo 1.26\n\nrequire github.com/github/github-mcp-server v1.0.0\n"
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(required), 0o600); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "github-mcp-server")
	build := exec.Command("go", "build", "-mod=mod", "-o", bin, "github.com/github/github-mcp-server/cmd/github-mcp-server")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Skipf("github-mcp-server v1.0.0 cannot be had from the module proxy: %v\n%s", err, out)
	}
	w := realWorld(t)
	w.opts.timing.Discover = 2 * time.Second
	const token = "ghp_dummy-dummy"
	w.claude(map[string]any{
		"github": map[string]any{"command": bin, "args": []string{"stdio"}, "env": map[string]string{"GITHUB_PERSONAL_ACCESS_TOKEN": token}},
		"locked": map[string]any{"command": bin, "args": []string{"stdio"}},
	})
	w.open().start()
	fstest.Contains(t, w.untilState("github", "ready"), "41 tools")
	fstest.Contains(t, w.untilState("locked", "error"), "GITHUB_PERSONAL_ACCESS_TOKEN", "fix: ")
	w.compare("github", listByHand(t, w.home, []string{"GITHUB_PERSONAL_ACCESS_TOKEN=" + token}, bin, "stdio"))
	fstest.ContainsNot(t, w.cat("github/STATUS.md")+w.cat("github/SERVER_METADATA.json"), token)
}

func TestRealServerOverHTTP(t *testing.T) {
	for _, transport := range []struct{ arg, path, kind string }{{"streamableHttp", "/mcp", "http"}, {"sse", "/sse", "sse"}, {"sse", "/sse", "http"}} {
		t.Run(transport.arg+" as "+transport.kind, func(t *testing.T) {
			realServerOverHTTP(t, transport.arg, transport.path, transport.kind)
		})
	}
}

// realServerOverHTTP uses a server that listens on a port, before and after it is
// restarted.
func realServerOverHTTP(t *testing.T, arg, path, kind string) {
	bin := filepath.Join(fstest.NodeModules(t, "@modelcontextprotocol/server-everything"), ".bin", "mcp-server-everything")
	w := realWorld(t)
	w.opts.timing.Retry, w.opts.timing.RetryMax = 20*time.Millisecond, 100*time.Millisecond
	port := fstest.Port(t)
	w.claude(map[string]any{"everything": map[string]any{"type": kind, "url": "http://127.0.0.1:" + port + path}})
	w.open().start()
	w.untilState("everything", "error") // nobody is there yet
	run := func() (stop func()) {
		cmd := exec.Command("node", bin, arg)
		cmd.Env = append(os.Environ(), "PORT="+port)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait() // it was killed
		}
	}
	stop := run()
	w.untilState("everything", "ready")
	want := listByHand(t, w.home, nil, "node", bin, "stdio")
	if got := len(w.p.All()[0].Summary().Tools); got != len(want) {
		t.Errorf("%d tools, not %d", got, len(want))
	}

	// It restarts, and the session is unknown.
	stop()
	w.untilState("everything", "error")
	stop = run()
	defer stop()
	w.untilState("everything", "ready")

	r, err := w.p.ReadResource(context.Background(), "everything", "demo://resource/dynamic/text/1")
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Contents) != 1 || !strings.Contains(r.Contents[0].Text, "Resource 1") {
		t.Errorf("a resource: %+v", r.Contents)
	}
	fstest.Contains(t, w.cat("everything/SERVER_METADATA.json"), `"transport": "`+map[string]string{"streamableHttp": "http", "sse": "sse"}[arg]+`"`)
}
