package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/mark3labs/mcp-go/mcp"
)

const issueTool = `{"name":"create_issue","description":"Creates an issue.","arguments":{"type":"object","properties":{` +
	`"labels":{"type":"array","items":{"type":"string"}},"title":{"type":"string"},"state":{"enum":["open","closed"]}},"required":["title"]}}`

func someFiles() fstest.MapFS {
	return fstest.MapFS{
		"AGENTS.md":                           {Data: []byte("# Context\n")},
		"mcps/github/tools/create_issue.json": {Data: []byte(issueTool)},
		"mcps/github/tools/ping.json":         {Data: []byte(`{"name":"ping","arguments":{"type":"object"}}`)},
		"skills/pdf/SKILL.md":                 {Data: []byte("Read PDFs.\n")},
		"results/pic.png":                     {Data: []byte("\x89PNG\r\n\x1a\n\x00\x00")},
		"results/blob":                        {Data: []byte("a\x00b")},
		"empty":                               {Data: nil},
	}
}

func TestDefinitions(t *testing.T) {
	everyWay(t, &fake{overview: "mcps: github (2 tools)"}, func(t *testing.T, c *peer, w way) {
		tools, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
		must(t, err)
		var names []string
		for _, tool := range tools.Tools {
			names = append(names, tool.Name)
			if tool.InputSchema.Type != "object" || tool.Description == "" {
				t.Errorf("%s: %+v", tool.Name, tool)
			}
			if reads := tool.Name != "call"; *tool.Annotations.ReadOnlyHint != reads {
				t.Errorf("%s: read-only: %v", tool.Name, !reads)
			}
		}
		if fmt.Sprint(names) != "[call find list read wait]" {
			t.Errorf("tools: %v", names)
		}
		if modern := w.options == nil; modern != (c.hello.ProtocolVersion == "2026-07-28") {
			t.Errorf("version %s", c.hello.ProtocolVersion)
		}
		if got := c.hello.Instructions; !strings.HasPrefix(got, instructions) || !strings.HasSuffix(got, "mcps: github (2 tools)") {
			t.Errorf("instructions: %q", got)
		}
	})
}

func TestFind(t *testing.T) {
	f := &fake{files: someFiles()}
	f.find = func(q Query) (string, error) {
		switch fmt.Sprint(q) {
		case "{[new issue] mcps/github 8}":
			return "github/create_issue(title, labels?[]) — Creates an issue.\n", nil
		case "{[new issue take a screenshot]  5}", "{[new issue take a screenshot]  2}":
			return "# new issue\n", nil
		case "{[much]  50}":
			return strings.Repeat("skills/pdf/SKILL.md — PDFs\n", 5000), nil
		}
		return "", nil
	}
	everyWay(t, f, func(t *testing.T, c *peer, _ way) {
		r := ask(t, c, "find", map[string]any{"query": "new issue", "in": "/mcps/github/"})
		if want := "github/create_issue(title, labels?[]) — Creates an issue.\n"; text(r) != want || r.IsError {
			t.Errorf("find: %s", text(r))
		}
		// Each line is a want.
		for _, limit := range []any{nil, 2} {
			args := map[string]any{"query": "new issue\n\n take a screenshot "}
			if limit != nil {
				args["limit"] = limit
			}
			if r := ask(t, c, "find", args); text(r) != "# new issue\n" {
				t.Errorf("two wants: %s", text(r))
			}
		}
		if got := text(ask(t, c, "find", map[string]any{"query": "much", "limit": 5000})); len(got) > MaxText || !strings.HasSuffix(got, "PDFs\n") {
			t.Errorf("%d bytes", len(got))
		}
		if r := ask(t, c, "find", map[string]any{"query": "x"}); !strings.HasPrefix(text(r), "Nothing fits.") {
			t.Errorf("nothing: %s", text(r))
		}
		fails(t, c, "find", map[string]any{"query": " "}, "the query is empty")
	})
}

// fails makes a request that must fail with some words.
func fails(t *testing.T, c *peer, tool string, args any, words ...string) {
	t.Helper()
	r := ask(t, c, tool, args)
	for _, w := range words {
		if !r.IsError || !strings.Contains(text(r), w) {
			t.Errorf("%s %v: error %v, without %q: %s", tool, args, r.IsError, w, text(r))
		}
	}
}

func TestList(t *testing.T) {
	f := &fake{files: someFiles()}
	for i := range 1000 {
		f.files[fmt.Sprintf("many/file-with-a-name-%04d", i)] = &fstest.MapFile{Data: make([]byte, 1500)}
	}
	c := connect(t, newGateway(t, f), way{})
	if got := text(ask(t, c, "list", nil)); got != "AGENTS.md  10 bytes\nempty  0 bytes\nmany/\nmcps/\nresults/\nskills/\n" {
		t.Errorf("the root: %s", got)
	}
	if got := text(ask(t, c, "list", map[string]any{"path": "mcps/github/tools/ping.json"})); got != "mcps/github/tools/ping.json is a file of 45 bytes: read it." {
		t.Errorf("a file: %s", got)
	}
	fails(t, c, "list", map[string]any{"path": "mcps/gitlab/tools"}, "mcps/gitlab/tools: no such file or folder", `list {"path":"mcps"}`)

	// In parts; each says how to continue.
	seen, args := 0, map[string]any{"path": "many"}
	for args != nil {
		got := text(ask(t, c, "list", args))
		seen += strings.Count(got, "file-with-a-name-")
		if len(got) > MaxText || !strings.Contains(got, "  1.5 KB\n") {
			t.Fatalf("a part of %d bytes: %s", len(got), got)
		}
		args = next(t, got, "list")
	}
	if seen != 1000 {
		t.Errorf("%d entries", seen)
	}
}

// next returns the arguments that a notice gives for the next part; nil for the
// last.
func next(t *testing.T, answer, tool string) (args map[string]any) {
	t.Helper()
	_, call, ok := strings.Cut(answer[strings.LastIndex(answer, "\n")+1:], "; next: "+tool+" ")
	if !ok {
		return nil
	}
	must(t, json.Unmarshal([]byte(strings.TrimSuffix(call, "]")), &args))
	return args
}

func TestRead(t *testing.T) {
	f := &fake{files: someFiles()}
	f.files["log"] = &fstest.MapFile{Data: []byte("one\ntwo\nthree\nfour\nfive")}
	f.files["foreign"] = &fstest.MapFile{Data: []byte("caf\xe9\n")}
	f.files["photo"] = &fstest.MapFile{Data: append([]byte("\x89PNG\r\n\x1a\n"), make([]byte, maxImage)...)}
	everyWay(t, f, func(t *testing.T, c *peer, _ way) {
		for _, c1 := range []struct {
			args map[string]any
			want string
		}{
			{map[string]any{"path": "/AGENTS.md"}, "# Context\n"},
			{map[string]any{"path": "log"}, "one\ntwo\nthree\nfour\nfive"},
			{map[string]any{"path": "log", "limit": 2}, "one\ntwo\n\n[lines 1-2 of 5; next: read {\"path\":\"log\",\"offset\":3}]"},
			{map[string]any{"path": "log", "offset": 3, "limit": 1}, "three\n\n[lines 3-3 of 5; next: read {\"path\":\"log\",\"offset\":4}]"},
			{map[string]any{"path": "log", "offset": -2}, "four\nfive\n[lines 4-5 of 5]"},
			{map[string]any{"path": "log", "offset": -99}, "one\ntwo\nthree\nfour\nfive"},
			{map[string]any{"path": "log", "offset": 5}, "five\n[lines 5-5 of 5]"},
			{map[string]any{"path": "foreign"}, "caf\uFFFD\n"},
			{map[string]any{"path": "empty"}, "empty is empty."},
		} {
			if r := ask(t, c, "read", c1.args); text(r) != c1.want || r.IsError {
				t.Errorf("%v: %q", c1.args, text(r))
			}
		}
		r := ask(t, c, "read", map[string]any{"path": "results/pic.png"})
		if i, ok := r.Content[0].(mcp.ImageContent); !ok || i.MIMEType != "image/png" || i.Data != "iVBORw0KGgoAAA==" {
			t.Errorf("the picture: %+v", r.Content)
		}
		fails(t, c, "read", map[string]any{"path": "results/blob"}, "not text", "ctxfs cat results/blob >FILE")
		fails(t, c, "read", map[string]any{"path": "photo"}, "image/png of more than 4.2 MB")
		fails(t, c, "read", map[string]any{"path": "log", "offset": 7}, "5 lines", `read {"path":"log","offset":-20}`)
		fails(t, c, "read", map[string]any{"path": "skills/pfd/SKILL.md"}, "no such file", `list {"path":"skills"}`)
		fails(t, c, "read", map[string]any{}, "the path is empty")
		fails(t, c, "read", map[string]any{"path": "log", "lines": 3}, `unknown field "lines"`)
		fails(t, c, "read", map[string]any{"path": 3}, "the arguments of read do not fit")
	})
}

func TestCall(t *testing.T) {
	var got Call
	f := &fake{call: func(_ context.Context, c Call, _ func(Progress)) (*Result, error) {
		got = c
		switch c.Tool {
		case "structured":
			return &Result{Text: `{"id":12345678901234567890}`, Structured: json.RawMessage(`{"id":12345678901234567890}`)}, nil
		case "picture":
			return &Result{Text: "a picture", Blocks: []json.RawMessage{
				json.RawMessage(`{"type":"image","mimeType":"image/png","data":"AAEC"}`),
				json.RawMessage(`{"type":"hologram","depth":3}`),
			}}, nil
		case "fails":
			return &Result{Failed: true, Text: "the tool says no"}, nil
		case "mute":
			return &Result{}, nil
		case "plain":
			return nil, errors.New("it broke")
		}
		return nil, &Fault{What: "no tool is called so", Mend: "find it"}
	}}
	everyWay(t, f, func(t *testing.T, c *peer, w way) {
		raw := json.RawMessage(`{"server":"s","tool":"structured","arguments":{"n":12345678901234567890},"yes":true}`)
		r := ask(t, c, "call", raw)
		if string(r.RawStructuredContent) != `{"id":12345678901234567890}` || text(r) != `{"id":12345678901234567890}` || r.IsError {
			t.Errorf("structured: %+v", r)
		}
		if got.Server != "s" || string(got.Arguments) != `{"n":12345678901234567890}` || !got.Confirmed {
			t.Errorf("the call: %+v", got)
		}
		if legacyHTTP := w.http && w.options != nil; !legacyHTTP && got.Client != "tester" {
			t.Errorf("the client: %q", got.Client)
		}
		r = ask(t, c, "call", map[string]any{"server": "s", "tool": "mute", "arguments": `{"a":1}`})
		if string(got.Arguments) != `{"a":1}` || got.Confirmed || len(r.Content) != 1 {
			t.Errorf("arguments in a text: %+v, %+v", got, r)
		}
		ask(t, c, "call", json.RawMessage(`{"server":"s","tool":"mute","arguments":null}`))
		if got.Arguments != nil {
			t.Errorf("no arguments: %+v", got)
		}
		if r := ask(t, c, "call", map[string]any{"server": "s", "tool": "fails"}); !r.IsError || text(r) != "the tool says no" {
			t.Errorf("a tool that fails: %+v", r)
		}
		fails(t, c, "call", map[string]any{"server": "s", "tool": "none"}, "no tool is called so\nfind it")
		fails(t, c, "call", map[string]any{"server": "s", "tool": "plain"}, "it broke")
		fails(t, c, "call", map[string]any{"server": "s"}, "name the server and the tool", "find")
		blocks, err := c.GetTransport().SendRequest(t.Context(), rawCall(w, `{"server":"s","tool":"picture"}`))
		must(t, err)
		for _, want := range []string{`{"text":"a picture","type":"text"}`, `{"type":"image","mimeType":"image/png","data":"AAEC"}`, `{"type":"hologram","depth":3}`} {
			if !sameJSONWithin(blocks.Result, want) {
				t.Errorf("no %s in %s", want, blocks.Result)
			}
		}
	})
}

// TestProgress passes on the notifications of a call before it ends.
func TestProgress(t *testing.T) {
	const steps = 20
	f := &fake{call: func(_ context.Context, _ Call, progress func(Progress)) (*Result, error) {
		for i := range steps {
			progress(Progress{Done: float64(i), Total: steps, Message: "working"})
		}
		return &Result{Text: "done"}, nil
	}}
	everyWay(t, f, func(t *testing.T, c *peer, w way) {
		var mu sync.Mutex
		var heard []string
		c.OnNotification(func(n mcp.JSONRPCNotification) {
			mu.Lock()
			defer mu.Unlock()
			heard = append(heard, fmt.Sprint(n.Method, n.Params.AdditionalFields))
		})
		r, err := c.CallTool(t.Context(), mcp.CallToolRequest{Params: mcp.CallToolParams{
			Name: "call", Arguments: map[string]any{"server": "s", "tool": "t"}, Meta: &mcp.Meta{ProgressToken: "tok"},
		}})
		must(t, err)
		if text(r) != "done" {
			t.Errorf("result: %+v", r)
		}
		mu.Lock()
		defer mu.Unlock()
		// Of those over HTTP mcp-go may drop one, also the last: what it has taken to send when
		// the result is ready.
		want := "notifications/progressmap[message:working progress:%d progressToken:tok total:20]"
		last := slices.Contains(heard, fmt.Sprintf(want, steps-1)) || w.http && slices.Contains(heard, fmt.Sprintf(want, steps-2))
		if !last || len(heard) < steps-1 || !w.http && len(heard) != steps {
			t.Errorf("%d: %q", len(heard), heard)
		}
	})
}
