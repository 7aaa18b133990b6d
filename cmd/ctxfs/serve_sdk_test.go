package main

import (
	"bufio"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ctxfs/fs/fstest"
)

// everything configures the everything server of npm, or skips the test. It
// returns the folder of the npm packages.
func (b *box) everything() (modules string) {
	b.Helper()
	modules = fstest.NodeModules(b, "@modelcontextprotocol/server-everything", "@modelcontextprotocol/sdk", "@modelcontextprotocol/client")
	b.servers["everything"] = map[string]any{
		"command": "node", "args": []string{filepath.Join(modules, "@modelcontextprotocol/server-everything/dist/index.js")},
	}
	b.configure()
	return modules
}

// serveHTTP runs `ctxfs serve --http` on a free port until the end of the test.
func (b *box) serveHTTP() (url string, cmd *exec.Cmd) {
	b.Helper()
	cmd = b.command(b.Context(), b.program(), "serve", "--http", "127.0.0.1:0")
	out, err := cmd.StdoutPipe()
	must(b, err)
	must(b, cmd.Start())
	b.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	must(b, err)
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "serving on ")
	if !ok {
		b.Fatalf("serve --http says %q", line)
	}
	return url, cmd
}

// sdkResult is a result as the official SDK gives it.
type sdkResult struct {
	Content []struct{ Type, Text, Data, MimeType string }
	IsError bool
	// StructuredContent is that of the tool.
	StructuredContent map[string]any
}

func (r sdkResult) has(t *testing.T, what string, isError bool, words ...string) {
	t.Helper()
	var all strings.Builder
	for _, c := range r.Content {
		all.WriteString(c.Text + "\n")
	}
	if !containsAll(all.String(), words) || r.IsError != isError {
		t.Errorf("%s: error %v: %s", what, r.IsError, all.String())
	}
}

// TestServeToTheSDK has the official clients, of both eras, use the real
// everything server through a gateway.
func TestServeToTheSDK(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	modules := b.everything()
	b.mount()
	b.ready("everything")
	url, _ := b.serveHTTP()
	script, err := filepath.Abs("../../testdata/gateway/client.mjs")
	must(t, err)
	for _, c := range []struct{ sdk, era string }{{"v1", "legacy"}, {"v2", "legacy"}, {"v2", "modern"}} {
		for name, at := range map[string]string{"stdio": b.program(), "http": url} {
			t.Run(c.sdk+" "+c.era+" "+name, func(t *testing.T) {
				r := b.do("node", script, modules, c.sdk, c.era, at)
				var got struct {
					Instructions, Cancelled                                                        string
					Tools                                                                          []struct{ Name string }
					Find, List, Read, Echo, Structured, Image, Wrong, Unknown, Form, Address, Long sdkResult
					Progress                                                                       []struct{ Progress, Total float64 }
				}
				if err := json.Unmarshal([]byte(r.out), &got); r.code != 0 || err != nil {
					t.Fatalf("exit %d, %v: %v", r.code, err, r)
				}
				if len(got.Tools) != 5 || !containsAll(got.Instructions, []string{"find it", "mcps: everything (16 tools)"}) {
					t.Errorf("%d tools; %s", len(got.Tools), got.Instructions)
				}
				got.Find.has(t, "find", false, "everything/echo(message) — Echoes back the input")
				got.List.has(t, "list", false, "tools/\n", "STATUS.md  ")
				got.Read.has(t, "read", false, `"name":"echo"`, "Message to echo")
				got.Echo.has(t, "echo", false, "Echo: hello")
				got.Structured.has(t, "structured", false, `"temperature": 36`)
				if n, _ := got.Structured.StructuredContent["temperature"].(float64); n != 36 {
					t.Errorf("structured: %v", got.Structured.StructuredContent)
				}
				pictures := 0
				for _, c := range got.Image.Content {
					if c.Type == "image" && c.MimeType == "image/png" && strings.HasPrefix(c.Data, "iVBOR") {
						pictures++
					}
				}
				if pictures != 1 {
					t.Errorf("the picture: %+v", got.Image)
				}
				got.Wrong.has(t, "wrong arguments", true, "a", "number", `"b"`)
				got.Unknown.has(t, "an unknown tool", true, "ecko", "echo")
				got.Form.has(t, "a form", false, "- Name: Ann")
				got.Address.has(t, "an address", false, "declined to open the URL")
				got.Long.has(t, "a long call", false, "Long running operation completed")
				if n := len(got.Progress); n < 1 || got.Progress[0].Total != 3 { // the SDK may give up listening before the last
					t.Errorf("progress: %+v", got.Progress)
				}
				if !strings.HasPrefix(got.Cancelled, "yes: ") {
					t.Errorf("cancelled: %s", got.Cancelled)
				}
			})
		}
	}
}
