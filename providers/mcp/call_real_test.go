package mcp

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/wire"
)

// TestRealCalls calls tools of real servers, over each transport that they
// have.
func TestRealCalls(t *testing.T) {
	bin := func(name string) string {
		return filepath.Join(fstest.NodeModules(t, "@modelcontextprotocol/server-"+name), ".bin", "mcp-server-"+name)
	}
	w := realWorld(t)
	w.opts.timing.Discover = 2 * time.Second
	kept := &shelf{dir: w.dir}
	w.opts.Results = kept
	folder := t.TempDir()
	long := strings.Repeat("a line of a long file\n", 2000)
	if err := os.WriteFile(filepath.Join(folder, "long.txt"), []byte(long), 0o600); err != nil {
		t.Fatal(err)
	}
	node := func(args ...string) map[string]any { return map[string]any{"command": "node", "args": args} }
	memory := node(bin("memory"))
	memory["env"] = map[string]string{"MEMORY_FILE_PATH": filepath.Join(w.dir, "memory.jsonl")}
	w.claude(map[string]any{
		"everything": node(bin("everything"), "stdio"),
		"filesystem": node(bin("filesystem"), folder),
		"memory":     memory,
		"http":       map[string]any{"type": "http", "url": "http://" + fstest.NodeServer(t, bin("everything"), "streamableHttp") + "/mcp"},
		"sse":        map[string]any{"type": "sse", "url": "http://" + fstest.NodeServer(t, bin("everything"), "sse") + "/sse"},
	})
	w.open()
	call := func(server, tool, args string) (*calls.Result, []wire.Progress) {
		t.Helper()
		steps := make(chan wire.Progress, 100)
		r, err := w.p.Call(context.Background(), calls.Call{Server: server, Tool: tool, Arguments: json.RawMessage(args), Progress: func(p wire.Progress) { steps <- p }})
		if err != nil {
			t.Fatalf("%s/%s: %v", server, tool, err)
		}
		var seen []wire.Progress
		for {
			select {
			case p := <-steps:
				seen = append(seen, p)
				continue
			default:
			}
			return r, seen
		}
	}
	for _, server := range []string{"everything", "http", "sse"} {
		if r, _ := call(server, "echo", `{"message":"hello"}`); string(r.Text) != "Echo: hello" {
			t.Errorf("%s: %+v", server, r)
		}
		if r, _ := call(server, "get-structured-content", `{"location":"New York"}`); !r.IsJSON || r.Structured == nil || len(r.Aside) > 0 {
			t.Errorf("%s: %+v", server, r)
		}
		if r, seen := call(server, "trigger-long-running-operation", `{"duration":0.3,"steps":3}`); len(seen) == 0 || seen[0].Total != 3 || r.Failed {
			t.Errorf("%s: %+v, %v", server, r, seen)
		}
		r, _ := call(server, "get-tiny-image", "")
		if len(r.Files) != 1 || !strings.Contains(string(r.Text), "image/png (") {
			t.Fatalf("%s: %+v", server, r)
		}
		if body, err := os.ReadFile(r.Files[0]); err != nil || !strings.HasPrefix(string(body), "\x89PNG") {
			t.Error(err)
		}
		if r, _ = call(server, "get-resource-links", `{"count":2}`); strings.Count(string(r.Text), "\nresource: demo://") != 2 {
			t.Errorf("%s: %s", server, r.Text)
		}
		_, err := w.p.Call(context.Background(), calls.Call{Server: server, Tool: "get-sum", Words: []calls.Word{{Text: "--a"}, {Text: "one"}, {Text: "--b"}, {Text: "2"}}})
		if calls.Outcome(nil, err) != calls.OutcomeBadArguments {
			t.Error(err)
		}
		if r, err := w.p.Call(context.Background(), calls.Call{Server: server, Tool: "get-sum", Words: []calls.Word{{Text: "--a"}, {Text: "1"}, {Text: "--b"}, {Text: "2"}}}); err != nil || string(r.Text) != "The sum of 1 and 2 is 3." {
			t.Error(r, err)
		}
	}
	if r, _ := call("filesystem", "read_text_file", `{"path":"`+folder+`/long.txt"}`); r.File == "" || r.IsJSON {
		t.Errorf("%+v", r)
	} else if body, err := os.ReadFile(r.File); err != nil || string(body) != long {
		t.Error(err)
	}
	if r, _ := call("filesystem", "read_text_file", `{"path":"/etc/passwd"}`); calls.Outcome(r, nil) != calls.OutcomeToolError {
		t.Errorf("%+v", r)
	}
	if r, _ := call("memory", "create_entities", `{"entities":[{"name":"a","entityType":"b","observations":["c"]}]}`); !r.IsJSON || len(r.Aside) > 0 {
		t.Errorf("%+v", r)
	}
	if info, err := w.p.Tool("memory", "delete_entities"); err != nil || !info.Destructive {
		t.Errorf("%+v, %v", info, err)
	}
}
