package served

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
	"ctxfs/providers/mcp/catalogue"
)

const sum = "sha256:2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881" // of "x"

// TestFaults: what offends against the specification is listed, and not fetched.
func TestFaults(t *testing.T) {
	many := strings.Repeat(`{"uri":"skill://a/SKILL.md","digest":"`+sum+`","size":1},`, MaxFiles) + `{"uri":"skill://a/SKILL.md","digest":"` + sum + `","size":1}`
	for _, c := range []struct{ uri, matter, resources, want string }{
		{"skill://a/SKILL.md", `{"name":"a","description":"b"}`, `[{"uri":"skill://a/SKILL.md","digest":"` + sum + `","size":1}]`, ""},
		{"skill://a/SKILL.md", `{"name":"a","description":"b"}`, `"dynamic"`, "dynamic"},
		{"skill://a/SKILL.md", `{"name":"a","description":"b"}`, `"other"`, "lists no files"},
		{"skill://a/SKILL.md", `{"name":"a","description":"b"}`, `[]`, "lists no files"},
		{"skill://a/SKILL.md", `{"name":"a","description":"b"}`, `null`, "lists no files"},
		{"skill://a/SKILL.md", `{"name":"b","description":"b"}`, `[{"uri":"skill://a/SKILL.md","digest":"` + sum + `","size":1}]`, "not the last part"},
		{"skill://a/SKILL.md", `{"description":"b"}`, `[{"uri":"skill://a/SKILL.md","digest":"` + sum + `","size":1}]`, "no name"},
		{"skill://a/other.md", `{"name":"a","description":"b"}`, `[{"uri":"skill://a/other.mdx","digest":"` + sum + `","size":1}]`, "does not end with"},
		{"skill://a/SKILL.md", `{"name":"a","description":"b"}`, `[{"uri":"skill://a/SKILL.md","digest":"md5:1","size":1}]`, "without a digest"},
		{"skill://a/SKILL.md", `{"name":"a","description":"b"}`, `[{"uri":"skill://b/SKILL.md","digest":"` + sum + `","size":1}]`, "outside of itself"},
		{"skill://a/SKILL.md", `{"name":"a","description":"b"}`, `[{"uri":"skill://a/../b","digest":"` + sum + `","size":1}]`, "outside of itself"},
		{"skill://a/SKILL.md", `{"name":"a","description":"b"}`, `[{"uri":"skill://a/x%2f..","digest":"` + sum + `","size":1}]`, "outside of itself"},
		{"skill://a/SKILL.md", `{"name":"a","description":"b"}`, `[{"uri":"skill://a/x.md","digest":"` + sum + `","size":1}]`, "without SKILL.md"},
		{"skill://a/SKILL.md", `{"name":"a","description":"b"}`, `[{"uri":"skill://a/SKILL.md","digest":"` + sum + `","size":99999999999}]`, "larger than"},
		{"skill://a/SKILL.md", `{"name":"a","description":"b"}`, `[` + many + `]`, "larger than"},
	} {
		e, err := Parse(json.RawMessage(fmt.Sprintf(`{"uri":%q,"frontmatter":%s,"resources":%s}`, c.uri, c.matter, c.resources)))
		if err != nil || (e.Fault == "") != (c.want == "") || !strings.Contains(e.Fault, c.want) {
			t.Errorf("%s, %.200s: %+v, %v, want %q", c.uri, c.resources, e, err, c.want)
		}
	}
	for _, raw := range []string{`{}`, `[]`, `7`, `{"uri":"no scheme","resources":[]}`, `{"uri":7}`} {
		if e, err := Parse(json.RawMessage(raw)); err == nil {
			t.Errorf("%s: %+v", raw, e)
		}
	}
}

// TestShelf: any number of skills, of any name, one within another; a list that fails
// leaves what was known; a restart shows the same.
func TestShelf(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	store := Store{Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)}
	keys := []catalogue.Key{{Name: "docs", Origin: "file"}}
	var entries []*Entry
	for _, uri := range []string{
		"skill://a/SKILL.md", "skill://a/b/SKILL.md", "skill://A/SKILL.md", "skill://検査/SKILL.md", "skill://x y/../z/SKILL.md", "skill:///SKILL.md", "skill:SKILL.md",
		"file:///etc/passwd/SKILL.md", "skill://INDEX.md/SKILL.md", "skill://" + strings.Repeat("deep/", 100) + "SKILL.md", "skill://a/ENTRY.json/SKILL.md",
	} {
		raw, err := json.Marshal(map[string]any{"uri": uri, "frontmatter": map[string]any{"name": "x", "description": "\x1b[31mRed\u202e\n## Heading"}, "resources": []any{}})
		if err != nil {
			t.Fatal(err)
		}
		if e, err := Parse(raw); err == nil {
			entries = append(entries, e)
		}
	}
	s := Open(store, keys, "docs")
	if _, any := s.Root(); any {
		t.Error("there is something before it was listed")
	}
	if changed := s.Listed(entries, nil, nil, "docs", now); len(changed) < 5 {
		t.Errorf("changed %q", changed)
	}
	if changed := s.Listed(entries, nil, nil, "docs", now); changed != nil {
		t.Errorf("the same list changes %q", changed)
	}
	root, any := s.Root()
	tree := fs.NewTree(root, fs.TreeOptions{})
	fstest.Check(t, tree)
	text := func(tree *fs.Tree) string {
		n, err := tree.Resolve(context.Background(), indexName)
		if err != nil {
			t.Fatal(err)
		}
		body, err := tree.ReadAll(context.Background(), n.(fs.File))
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	index := text(tree)
	if !any || strings.Count(index, " — Red ## Heading") != len(entries) || strings.ContainsAny(index, "\x1b\u202e") {
		t.Errorf("INDEX.md: %q", index)
	}
	again := Open(store, keys, "docs")
	if root, _ := again.Root(); text(fs.NewTree(root, fs.TreeOptions{})) != index {
		t.Error("a restart shows another index")
	}
	s.Listed(nil, nil, errors.New("the server is tired"), "docs", now)
	if got := text(tree); !strings.Contains(got, "the server is tired") || strings.Count(got, " — Red") != len(entries) {
		t.Errorf("after a failure: %q", got)
	}
	if changed := s.Listed(nil, nil, nil, "docs", now); len(changed) == 0 {
		t.Error("an empty list is no change")
	}
	if _, any := s.Root(); any {
		t.Error("there is still something")
	}
	store.Prune(func(catalogue.Key) bool { return false })
	if list, _, _ := store.load(keys); len(list) != 0 {
		t.Error("it is still on disk")
	}
}

// TestListEnds: pages that repeat, and entries that repeat, end.
func TestListEnds(t *testing.T) {
	pages := 0
	entries, notes, err := List(t.Context(), func(context.Context, string, map[string]any) (json.RawMessage, error) {
		pages++
		return json.RawMessage(`{"skills":[{"uri":"skill://a/SKILL.md"},{"uri":7},null],"nextCursor":"` + strings.Repeat("x", pages) + `"}`), nil
	})
	if err != nil || len(entries) != 1 || len(notes) != 1 || pages != maxPages {
		t.Errorf("%d entries, %q, %v, %d pages", len(entries), notes, err, pages)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"uri":"skill://a/SKILL.md","frontmatter":{"name":"a","description":"b"},"resources":[{"uri":"skill://a/SKILL.md","digest":"` + sum + `","size":1}]}`))
	f.Add([]byte(`{"uri":"x:///?","resources":"dynamic"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		e, err := Parse(raw)
		if err != nil {
			return
		}
		s := &Shelf{root: new(fs.Folder), server: "s", list: []*Entry{e}}
		s.publish(time.Time{})
		_ = e.Verify(map[string][]byte{skillFile: raw})
	})
}
