package mcp

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/rawjson"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/server"
)

func TestOddTools(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		journal, count := w.journal()
		list := []map[string]any{
			{"name": "Read"}, {"name": "read"}, {"name": "READ"}, {"name": "a/b"}, {"name": "../../x"}, {"name": ""},
			{"name": "evil\u202e\x1b[31m", "description": "a\u202eb\U000e0041c\x1b]0;x\x07d.", "icons": []string{"x"}, "extra": 1, "title": "T"},
		}
		text, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		tools := w.write("tools.json", string(text))
		w.claude(map[string]any{"odd": stub("ok", stubTools, tools, stubJournal, journal)})
		w.open().start()
		w.untilState("odd", "ready")
		if got, want := w.ls("odd/tools"), "READ.json Read~2.json _.json ______x.json a_b.json evil___31m.json read~3.json"; got != want {
			t.Errorf("files: %s", got)
		}
		evil := w.cat("odd/tools/evil___31m.json")
		fstest.ContainsNot(t, evil, "\u202e", "\U000e0041", "icons", "\x1b")
		fstest.Contains(t, evil, `"title":"T"`, `"extra":1`, `\u202e`)
		fstest.Contains(t, w.cat("INDEX.md"), "odd/evil___31m — abcd.\n")

		// Everything is read, by every way there is: the server hears nothing.
		lists := count("tools/list")
		fstest.Check(t, w.tree, fstest.Expect("INDEX.md", "odd/STATUS.md", "odd/tools/a_b.json"), fstest.Clock(w.opts.Env.Now))
		n := 0
		for range w.p.Documents("") {
			n++
		}
		if n != len(list) {
			t.Errorf("%d documents", n)
		}
		heard, err := os.ReadFile(journal)
		if err != nil {
			t.Fatal(err)
		}
		fstest.ContainsNot(t, string(heard), "tools/call", "resources/read", "prompts/get")
		if got := count("tools/list"); got != lists {
			t.Errorf("%d lists, not %d", got, lists)
		}
	})
}

func TestALargeDescription(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		description := strings.Repeat("One million bytes. ", 52_632)
		w.claude(map[string]any{"large": stub("ok", stubTools, w.write("tools.json", `[{"name":"big","description":"`+description+`"}]`))})
		w.open().start()
		w.untilState("large", "ready")
		var tool struct{ Description string }
		if err := json.Unmarshal([]byte(w.cat("large/tools/big.json")), &tool); err != nil || tool.Description != description {
			t.Errorf("%d bytes, %v", len(tool.Description), err)
		}
		fstest.Contains(t, w.cat("INDEX.md"), "large/big — One million bytes.\n")
	})
}

func TestDocuments(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.claude(map[string]any{"hello": stub("ok")})
		w.open().start()
		w.untilState("hello", "ready")
		for d := range w.p.Documents("") {
			if d.Path != "hello/tools/greet.json" || d.Title != "hello/greet" || d.Fields["parameters"] != "who\n" || d.Fields["details"] != "Whom\n" || d.Fields["server"] != "hello" {
				t.Errorf("%+v", d)
			}
		}
		for range w.p.Documents("hell") {
			t.Error("there is a document of a server that is not there")
		}
		if all := slices.Collect(w.p.Documents("hello")); len(all) != 1 {
			t.Errorf("%d documents of the server", len(all))
		}
	})
}

// TestDocumentsOfAllKinds: prompts and resources have documents as tools have, and a
// server has one of its STATUS.md while it does not work.
func TestDocumentsOfAllKinds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := server.Summary{File: "desk", About: "The desk."}
		item := func(text string) catalogue.Item { return catalogue.ItemOf([]byte(text)) }
		prompt := document(b, catalogue.PromptFolder, item(`{"name":"letter","description":"Draft a letter.","arguments":[{"name":"tone","description":"How it sounds"}]}`))
		if prompt.Kind != "prompt" || !strings.HasPrefix(prompt.Path, "desk/prompts/") || prompt.Fields["description"] != "Draft a letter." || prompt.Fields["parameters"] != "tone\n" {
			t.Errorf("%+v", prompt)
		}
		resource := document(b, catalogue.ResourceFolder, item(`{"uri":"x://rules","name":"rules","description":"How things are named."}`))
		if resource.Kind != "resource" || !strings.HasPrefix(resource.Path, "desk/resources/") || resource.Fields["description"] != "How things are named." {
			t.Errorf("%+v", resource)
		}
		w := newWorld(t)
		w.claude(map[string]any{"gone": map[string]any{"command": "no-such-program-here"}, "hello": stub("ok")})
		w.open().start()
		w.untilState("hello", "ready")
		w.untilState("gone", "error")
		var status []fs.Document
		for d := range w.p.Documents("") {
			if d.Kind == "status" {
				status = append(status, d)
			}
		}
		if len(status) != 1 || status[0].Path != "gone/STATUS.md" || !strings.Contains(status[0].Fields["description"], "no-such-program-here") {
			t.Errorf("%+v", status)
		}
	})
}

// TestRealCatalogues renders the tools of real servers and takes the texts
// apart again: nothing is lost.
func TestRealCatalogues(t *testing.T) {
	files, err := filepath.Glob(fstest.Data(t, "mcp-tools") + "/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var result struct{ Tools []json.RawMessage }
		if err := json.Unmarshal(text, &result); err != nil {
			t.Fatal(err)
		}
		for _, raw := range result.Tools {
			sameTool(t, filepath.Base(file), raw, nil)
		}
	}
}

// sameTool checks that the text of a tool holds all of its definition. Where
// the text is nil it is rendered.
func sameTool(t testing.TB, server string, raw json.RawMessage, text []byte) {
	t.Helper()
	o, err := rawjson.ParseObject(raw)
	if err != nil {
		t.Fatal(err)
	}
	ours := 2 // server and call
	if text == nil {
		text, ours = catalogue.ItemOf(raw).Body, 0
	}
	var want, got map[string]json.RawMessage
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatalf("%s: %v in %s", server, err, text)
	}
	delete(want, "icons")
	if schema, ok := want["inputSchema"]; ok {
		delete(want, "inputSchema")
		want["arguments"] = schema
	}
	if len(got) != len(want)+ours {
		t.Errorf("%s/%s: %d members, not %d", server, o.Text("name"), len(got), len(want)+ours)
	}
	for name := range want {
		var a, b bytes.Buffer
		if err := json.Compact(&a, want[name]); err != nil {
			t.Fatal(err)
		}
		if json.Compact(&b, got[name]) != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%s/%s: %s is\n%s, not\n%s", server, o.Text("name"), name, b.Bytes(), a.Bytes())
		}
	}
}

func lookPath(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is missing: %v", name, err)
	}
	return path
}

func FuzzDocument(f *testing.F) {
	for _, seed := range []string{
		`{"name":"a","inputSchema":{"properties":{"b":1,"a":{"description":"x"}}},"description":5}`,
		`{"inputSchema":1,"arguments":2,"name":5}`, `{"\u202e":"\ud800"}`, "{\"title\":\"\xff\u2028\"}", `{}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if o, err := rawjson.ParseObject(raw); err == nil && json.Valid(raw) {
			item := catalogue.ItemOf(raw)
			item.Name = o.Text("name")
			document(server.Summary{File: "s"}, catalogue.ToolFolder, item) // any definition has a document
		}
	})
}
