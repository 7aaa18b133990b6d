package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"ctxfs/fs/fstest"
)

// agent is a client of `ctxfs serve`, which runs as its process.
type agent struct {
	*client.Client
	t       *testing.T
	process *exec.Cmd
	hello   *mcp.InitializeResult
}

// agent starts a gateway and says hello to it.
func (b *box) agent() *agent { b.Helper(); return b.agentThat() }

// agentThat is an agent whose client has more abilities.
func (b *box) agentThat(can ...client.ClientOption) *agent {
	b.Helper()
	return b.agentIn(b.home, nil, can...)
}

// agentIn is an agent whose gateway is started in a folder, with options.
func (b *box) agentIn(dir string, options []string, can ...client.ClientOption) *agent {
	b.Helper()
	a := &agent{t: b.T, process: b.command(context.Background(), b.program(), append([]string{"serve"}, options...)...)}
	a.process.Dir = dir
	in, err := a.process.StdinPipe()
	must(b, err)
	out, err := a.process.StdoutPipe()
	must(b, err)
	a.process.Stderr = b.Output()
	must(b, a.process.Start())
	b.Cleanup(func() {
		in.Close()
		_ = a.process.Wait()
	})
	a.Client = client.NewClient(transport.NewIO(out, in, nil), can...)
	must(b, a.Start(b.Context()))
	a.hello, err = a.Initialize(b.Context(), mcp.InitializeRequest{Params: mcp.InitializeParams{
		ProtocolVersion: mcp.LATEST_PROTOCOL_VERSION, ClientInfo: mcp.Implementation{Name: "tester", Version: "1"},
	}})
	must(b, err)
	return a
}

// ask uses one of the gateway's tools.
func (a *agent) ask(tool string, args map[string]any) (text string, isError bool) {
	a.t.Helper()
	r, err := a.CallTool(a.t.Context(), mcp.CallToolRequest{Params: mcp.CallToolParams{Name: tool, Arguments: args}})
	if err != nil {
		a.t.Errorf("%s %v: %v", tool, args, err)
		return "", true
	}
	var all strings.Builder
	for _, c := range r.Content {
		if t, ok := c.(mcp.TextContent); ok {
			all.WriteString(t.Text + "\n")
		}
	}
	return all.String(), r.IsError
}

// says asks for what must be answered with some words.
func (a *agent) says(isError bool, words []string, tool string, args map[string]any) {
	a.t.Helper()
	text, failed := a.ask(tool, args)
	if failed != isError || !containsAll(text, words) {
		a.t.Errorf("%s %v: error %v, not %q:\n%s", tool, args, failed, words, text)
	}
}

func callOf(server, tool string, args map[string]any) map[string]any {
	return map[string]any{"server": server, "tool": tool, "arguments": args}
}

// TestServe finds a tool and calls it. Nothing is mounted, and nothing runs or
// is known before.
func TestServe(t *testing.T) {
	t.Parallel()
	b := zoo(t, "")
	b.write(".config/ctxfs/config.toml", "[mcp.policy]\nconfirm = \"destructive\"\n")
	a := b.agent()
	b.ok("wait", "server", "zoo", "ready")
	b.settled()
	if text, _ := a.ask("find", map[string]any{"query": "feed an animal"}); !strings.HasPrefix(text, "zoo/feed_animal(animal=lion|zebra, kilos?:number, labels?[], draft?:bool, note?, json?) — Feeds an animal.\n") {
		t.Errorf("found: %s", text)
	}
	a.says(false, []string{`{"animal":"lion"}`}, "call", callOf("zoo", "feed_animal", map[string]any{"animal": "lion"}))
	a.says(false, []string{"feed_animal.json  ", "sleep.json  "}, "list", map[string]any{"path": "mcps/zoo/tools"})
	a.says(false, []string{"state: ready"}, "read", map[string]any{"path": "mcps/zoo/STATUS.md"})
	a.says(false, []string{"# Context in ~/.agentctx"}, "read", map[string]any{"path": "AGENTS.md"})

	// Errors come with their fix.
	a.says(true, []string{"animal", "lion"}, "call", callOf("zoo", "feed_animal", map[string]any{"animal": "tiger"}))
	a.says(true, []string{"fed_animal", "feed.animal"}, "call", callOf("zoo", "fed_animal", nil))
	a.says(true, []string{"zooo", "zoo"}, "call", callOf("zooo", "feed_animal", nil))
	a.says(true, []string{`"yes": true`}, "call", callOf("zoo", "demolish", nil))
	confirmed := callOf("zoo", "demolish", nil)
	confirmed["yes"] = true
	a.says(false, []string{"{}"}, "call", confirmed)
	a.says(true, []string{"no such file or folder", `list {"path":"mcps/zoo"}`}, "read", map[string]any{"path": "mcps/zoo/tols/x.json"})

	// The log of calls names who called.
	var line struct{ Via, Agent, Server, Tool, Outcome string }
	text := strings.Split(strings.TrimSpace(b.callLog()), "\n")
	must(t, json.Unmarshal([]byte(text[0]), &line))
	if line.Via != "gateway" || line.Agent != "tester" || line.Server != "zoo" || line.Outcome != "ok" {
		t.Errorf("the log of calls: %+v", line)
	}
	fstest.Equal(t, b.starts(), 1)
	if s := b.status(); s.Gateways != 1 || len(s.Mounts) != 0 {
		t.Errorf("status: %+v", s)
	}
}

// callLog is the log of calls.
func (b *box) callLog() string {
	b.Helper()
	text, err := os.ReadFile(filepath.Join(b.state, "ctxfs/mcp/calls.jsonl"))
	must(b, err)
	return string(text)
}

// TestServeShares has 40 callers on two gateways and a mount use one server,
// which answers each of them with what is its own.
func TestServeShares(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.everything()
	b.mount()
	b.ready("everything")
	agents := []*agent{b.agent(), b.agent()}
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			for j := range 10 {
				message := fmt.Sprintf("caller %d, call %d.", i, j)
				agents[i%2].says(false, []string{"Echo: " + message}, "call", callOf("everything", "echo", map[string]any{"message": message}))
			}
		})
	}
	all.Wait()
	servers := 0
	for _, p := range processesOf(b.dir) {
		if strings.Contains(p.args, "server-everything") {
			servers++
		}
	}
	if servers != 1 {
		t.Errorf("%d server processes: %v", servers, processesOf(b.dir))
	}
}

// TestServeLongResult hands over the ends of a long result, and the rest by its
// path in the tree.
func TestServeLongResult(t *testing.T) {
	t.Parallel()
	b := zoo(t, "")
	var lines strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&lines, "line %d of a long result\n", i)
	}
	b.write("result.json", asJSON(map[string]any{"content": []any{map[string]any{"type": "text", "text": lines.String()}}}))
	a := b.agent()
	text, failed := a.ask("call", callOf("zoo", "open", nil))
	_, path, ok := strings.Cut(text, "Large output has been written to: ")
	path, _, _ = strings.Cut(path, " ")
	if failed || !ok || len(text) > 12_300 || !strings.HasPrefix(path, "results/") || !containsAll(text, []string{"line 0 of", "line 2999 of"}) {
		t.Fatalf("%d bytes, %s: %s", len(text), path, text)
	}
	a.says(false, []string{"line 1500 of a long result\n", "lines 1501-1510 of 3000; next: read"}, "read", map[string]any{"path": path, "offset": 1501, "limit": 10})
	a.says(false, []string{"line 2999 of a long result\n"}, "read", map[string]any{"path": path, "offset": -1})
}

// TestServeOutlives keeps the real background process beyond the last mount, and starts it
// again after it was ended or killed.
func TestServeOutlives(t *testing.T) {
	t.Parallel()
	b := realBox(t).zoo("")
	b.mount()
	b.ready("zoo")
	a := b.agent()
	pid := b.pid()
	b.ok("unmount")
	a.says(false, []string{"lion"}, "call", callOf("zoo", "feed_animal", map[string]any{"animal": "lion"}))
	if b.pid() != pid || b.starts() != 1 {
		t.Errorf("process %d after %d; %d starts", b.pid(), pid, b.starts())
	}
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		pid := b.pid()
		signalTo(t, pid, sig)
		awaitExit(t, pid)
		a.says(false, []string{"zebra"}, "call", callOf("zoo", "feed_animal", map[string]any{"animal": "zebra"}))
	}
	// One that is killed during a call may have made it.
	done := make(chan struct{})
	go func() {
		defer close(done)
		a.says(true, []string{"whether the tool has done its work is not known"}, "call", callOf("zoo", "sleep", nil))
	}()
	awaitFiles(t, b.dir, "the call is under way", func() bool { return strings.Count(b.journal(), "tools/call\n") == 4 })
	signalTo(t, b.pid(), syscall.SIGKILL)
	<-done
	fstest.Equal(t, strings.Count(b.journal(), "tools/call\n"), 4)
}

// heard waits until the server of [zoo] was sent a message.
func (b *box) heard(method string) {
	b.Helper()
	b.ok("wait", "file", filepath.Join(b.dir, "journal"), "--for", method)
}

func (b *box) journal() string {
	b.Helper()
	text, err := os.ReadFile(filepath.Join(b.dir, "journal"))
	must(b, err)
	return string(text)
}

// TestServeEnds ends with its client, however that ends, and with it the call
// that is under way.
func TestServeEnds(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(a *agent){
		"end of input": func(a *agent) { a.Close() },
		"SIGTERM":      func(a *agent) { _ = a.process.Process.Signal(syscall.SIGTERM) },
		"SIGINT":       func(a *agent) { _ = a.process.Process.Signal(syscall.SIGINT) },
		"SIGKILL":      func(a *agent) { _ = a.process.Process.Kill() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := zoo(t, "")
			a := b.agent()
			left := make(chan struct{})
			go func() {
				defer close(left)
				_, _ = a.CallTool(context.Background(), mcp.CallToolRequest{Params: mcp.CallToolParams{Name: "call", Arguments: callOf("zoo", "sleep", nil)}})
			}()
			b.heard("tools/call")
			end(a)
			if err := a.process.Wait(); err != nil && name != "SIGKILL" {
				t.Errorf("it ended with %v", err)
			}
			b.heard("notifications/cancelled")
			a.Close()
			<-left
		})
	}
}

// TestServeToOthers serves no other user over HTTP.
func TestServeToOthers(t *testing.T) {
	t.Parallel()
	need(t, "curl", "setpriv")
	if os.Getuid() != 0 {
		t.Skip("only root can be another user")
	}
	b := newBox(t)
	url, _ := b.serveHTTP()
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	curl := []string{"curl", "-sS", "-w", "\n%{http_code}", "-H", "Content-Type: application/json", "-H", "Accept: application/json, text/event-stream", "-d", hello, url}
	if r := b.do(curl[0], curl[1:]...); !strings.HasSuffix(r.out, "\n200") || !strings.Contains(r.out, "To use a tool") {
		t.Errorf("the user: %v", r)
	}
	other := append([]string{"--reuid", fmt.Sprint(nobody), "--clear-groups", "--"}, curl...)
	if r := b.do("setpriv", other...); r.out != "this is the gateway of another user\n\n403" {
		t.Errorf("another user: %v", r)
	}
}

// TestServeIsNoServer leaves out the entries through which agents reach ctxfs.
func TestServeIsNoServer(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.stub("zoo", "", nil)
	b.servers["ctxfs"] = map[string]any{"command": b.program(), "args": []string{"serve"}}
	b.configure()
	b.mount()
	b.ready("zoo")
	fstest.Equal(t, b.sh("ls .agentctx/mcps"), "CALLS.tsv\nINDEX.md\nzoo\n", "servers")
	fstest.Contains(t, b.ok("config", "ctxfs"), "passed-over", "it is ctxfs itself")
}

func TestServeUsage(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.refused(exitUsage, []string{"an address requires --http"}, "serve", "127.0.0.1:0")
	b.refused(exitFailed, []string{"not a loopback address", "\n  give 127.0.0.1:80"}, "serve", "--http", "0.0.0.0:80")
	b.refused(exitFailed, []string{"is not an address", "\n  give host and port"}, "serve", "--http", "x")
	_, cmd := b.serveHTTP()
	must(t, cmd.Process.Signal(syscall.SIGTERM))
	fstest.Equal(t, cmd.Wait(), nil, "serve --http ended with")
}
