package read

import (
	"strings"
	"testing"
	"time"

	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/workspaces"
	"ctxfs/providers/memory/files"
)

// FuzzNotes: whatever a long file has, it is taken apart, and nothing is in two notes.
func FuzzNotes(f *testing.F) {
	for _, seed := range []string{
		"# A\n\n## B\n- a\n  b\n\n  c\n- d\n\ntext\nmore\n", "1. a\n2) b\n", "```\n# no\n- no\n```\n", "- [a](b.md) — c\n",
		"applies_to: cwd=/a; x\n", "thread_id: a\ncwd: /b\n\n# t\n", `{"type":"entity","name":"a","observations":["b"]}`, "# tags\ntext\n\n",
	} {
		f.Add(seed)
	}
	r := New(Options{
		Machine:    agents.Machine{Home: "/home/ada", OS: "linux", LookupEnv: func(string) (string, bool) { return "", false }},
		Workspaces: workspaces.New(workspaces.Options{}), Now: time.Now,
	})
	f.Fuzz(func(t *testing.T, text string) {
		length := 0
		for _, n := range notesOf(text) {
			length += len(n.text)
			if strings.TrimSpace(n.text) == "" {
				t.Errorf("a note without text of %q", text)
			}
			isLink(n)
		}
		if length > len(text) {
			t.Errorf("%d bytes of notes of %d", length, len(text))
		}
		file := files.File{Path: "/x/y.md", Body: []byte(text), Size: int64(len(text))}
		for _, m := range append(append(r.codexRegistry(file, owner{agent: "codex"}), r.graph(file)...), one(r.codexSession(file, owner{agent: "codex"}))...) {
			if m.Description == "" || m.Agent == "" || m.Scope == "" {
				t.Errorf("%q becomes %+v", text, m)
			}
		}
		r.graphFiles([]byte(text))
	})
}
