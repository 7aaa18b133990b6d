package mcp

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// nodeModules is the folder of the npm packages, or the test is skipped.
func nodeModules(t *testing.T, pkg string) string {
	t.Helper()
	lookPath(t, "node")
	dir := os.Getenv("CTXFS_TEST_NODE_MODULES")
	if dir == "" {
		dir = filepath.Join("..", "..", ".ci", "node_modules")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(pkg))); err != nil {
		t.Skipf("the npm package %s is missing in %s (see CTXFS_TEST_NODE_MODULES)", pkg, dir)
	}
	return dir
}

// TestRealServers compares what is shown of real servers with what they
// answer to requests made by hand.
func TestRealServers(t *testing.T) {
	for _, c := range []struct {
		name, pkg, bin string
		args           []string
	}{
		{"everything", "@modelcontextprotocol/server-everything", "mcp-server-everything", []string{"stdio"}},
		{"filesystem", "@modelcontextprotocol/server-filesystem", "mcp-server-filesystem", []string{"."}},
		{"memory", "@modelcontextprotocol/server-memory", "mcp-server-memory", nil},
		{"sequential-thinking", "@modelcontextprotocol/server-sequential-thinking", "mcp-server-sequential-thinking", nil},
		{"playwright", "@playwright/mcp", "playwright-mcp", []string{"--headless"}},
		{"context7", "@upstash/context7-mcp", "context7-mcp", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			bin := filepath.Join(nodeModules(t, c.pkg), ".bin", c.bin)
			w := newWorld(t)
			w.opts.timing.discover = 2 * time.Second
			args := append([]string{bin}, c.args...)
			w.claude(map[string]any{c.name: map[string]any{"command": "node", "args": args}})
			w.open().start()
			w.untilState(c.name, "ready")
			want := listByHand(t, w.home, args)
			w.compare(c.name, want)
			if c.name == "everything" {
				contains(t, w.cat("everything/INSTRUCTIONS.md"), "Everything")
				if w.ls("everything/resources") == "" || w.ls("everything/prompts") == "" {
					t.Errorf("no resources or prompts: %s", w.cat("everything/STATUS.md"))
				}
			}

			w.opts.Offline = true
			w.reopen()
			w.compare(c.name, want)
		})
	}
}

// compare checks that the folder of tools shows exactly the definitions.
func (w *world) compare(server string, tools []json.RawMessage) {
	w.t.Helper()
	shown := w.p.all()[0].brief().tools
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
func listByHand(t *testing.T, dir string, args []string) []json.RawMessage {
	t.Helper()
	cmd := exec.Command("node", args...)
	cmd.Dir = dir
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
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
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

func TestRealServerOverHTTP(t *testing.T) {
	bin := filepath.Join(nodeModules(t, "@modelcontextprotocol/server-everything"), ".bin", "mcp-server-everything")
	w := newWorld(t)
	w.opts.timing.retry, w.opts.timing.retryMax = 20*time.Millisecond, 100*time.Millisecond
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	listener.Close()

	w.cursor(map[string]any{"everything": map[string]any{"url": "http://127.0.0.1:" + port + "/mcp"}})
	w.open().start()
	w.untilState("everything", "error") // nobody is there yet
	run := func() (stop func()) {
		cmd := exec.Command("node", bin, "streamableHttp")
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
	want := listByHand(t, w.home, []string{bin, "stdio"})
	if got := len(w.p.all()[0].brief().tools); got != len(want) {
		t.Errorf("%d tools, not %d", got, len(want))
	}

	// It starts anew, and the session is unknown.
	stop()
	w.untilState("everything", "error")
	stop = run()
	defer stop()
	w.untilState("everything", "ready")
}
