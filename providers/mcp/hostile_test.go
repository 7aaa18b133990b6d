package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode"

	"ctxfs/providers/mcp/calls"
)

// hostileTools are 10,000 tools of every kind of name.
func hostileTools() string {
	tools := []string{
		`{"name":"echo","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}}`,
		`5`, `null`, `[]`, `"x"`, `{}`, `{"name":5}`, `{"name":null}`, `{"name":""}`, `{"name":"."}`, `{"name":".."}`, `{"name":"../../etc/passwd"}`, `{"name":"/"}`,
		`{"name":"a\u0000b"}`, `{"name":"a\u001b[31m\u202eb"}`, `{"name":"a\nb"}`, `{"name":"\ud800"}`, `{"name":"a/b"}`, `{"name":"a.b"}`, `{"name":"a_b"}`, `{"name":"A_B"}`,
		`{"name":"` + strings.Repeat("long/", 5000) + `"}`, `{"name":"\u00e9"}`, `{"name":"e\u0301"}`, `{"name":"x","inputSchema":7,"outputSchema":"y","annotations":[],"_meta":0,"description":{}}`,
		`{"name":"deep","inputSchema":` + strings.Repeat(`{"properties":{"a":`, 500) + `{}` + strings.Repeat(`}}`, 500) + `}`,
		`{"name":"echo","description":"another one of that name"}`,
	}
	for i := len(tools); i < 10_000; i++ {
		tools = append(tools, fmt.Sprintf(`{"name":"group/tool.%d","description":"Does the thing number %d.\u001b[2J","inputSchema":{"type":"object","properties":{"a/b":{"type":"string"}}}}`, i/2, i))
	}
	return "[" + strings.Join(tools, ",") + "]"
}

// TestHostileServer: a server that answers what was not asked, twice and in no
// form, and has 10,000 tools of any name, gets no wrong answer to anybody, and
// costs no more than it must.
func TestHostileServer(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.claude(map[string]any{"callee": stub("calls-hostile", stubTools, w.write(filepath.Join(w.dir, "tools.json"), hostileTools()))})
		w.settings("[mcp.policy]\ndeny = [\"callee/group/tool.4999\", \"callee/a/b\"]\n")
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		begun := time.Now()
		w.open().start()
		w.untilState("callee", "ready")
		listed := strings.Fields(w.ls("callee/tools"))
		runtime.GC()
		runtime.ReadMemStats(&after)
		grown := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) >> 20
		t.Logf("%d tools after %v, %d MiB", len(listed), time.Since(begun), grown)
		if len(listed) < 9_980 || grown > 64 {
			t.Errorf("%d tools, %d MiB", len(listed), grown)
		}
		seen := make(map[string]bool)
		for _, name := range listed {
			if folded := strings.ToLower(name); seen[folded] || len(name) > 120 || strings.ContainsFunc(name, func(r rune) bool { return r == '/' || !unicode.IsPrint(r) }) {
				t.Errorf("the file %q", name)
			} else {
				seen[folded] = true
			}
		}
		for _, c := range w.cat("INDEX.md") {
			if c != '\n' && !unicode.IsPrint(c) {
				t.Fatalf("%q in the index", c)
			}
		}
		for i := range 50 {
			nonce := fmt.Sprintf("nonce-%d", i)
			r, err := w.p.Call(context.Background(), calls.Call{Server: "callee", Tool: "echo", Arguments: json.RawMessage(quoteMember("text", nonce))})
			if err != nil || string(r.Text) != nonce {
				t.Fatalf("%s: %v, %+v", nonce, err, r)
			}
		}
		for _, tool := range []string{"group/tool.4999", "a/b"} {
			if _, err := w.p.Call(context.Background(), calls.Call{Server: "callee", Tool: tool}); calls.Outcome(nil, err) != "denied" {
				t.Errorf("%s: %v", tool, err)
			}
		}
		if r, err := w.p.Call(context.Background(), calls.Call{Server: "callee", Tool: "group/tool.100"}); err != nil || string(r.Text) != "done group/tool.100" {
			t.Errorf("%v, %+v", err, r)
		}
	})
}

// quoteMember is an object of one text.
func quoteMember(name, text string) string { return "{" + quote(name) + ":" + quote(text) + "}" }
