package transcripts

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
)

// TestDeeds: what a session did in a folder, wherever it was started, and what one that
// continues it has seen.
func TestDeeds(t *testing.T) {
	t.Parallel()
	home := tempHome(t)
	const first, second = "11111111-2222-3333-4444-555555555555", "22222222-2222-3333-4444-555555555555"
	at := time.Now().UTC().Add(-time.Hour).Truncate(time.Second)
	stamp := func(n int) string { return at.Add(time.Duration(n) * time.Second).Format(time.RFC3339) }
	record := func(session, more string, n int, rest string) string {
		return fmt.Sprintf(`{"sessionId":%q,"cwd":"/w/a","timestamp":%q,"uuid":"x%d","parentUuid":"x%d"%s,%s}`+"\n", session, stamp(n), n, n-1, more, rest)
	}
	call := func(session, more string, n int, tool, input string) string {
		return record(session, more, n, fmt.Sprintf(`"type":"assistant","message":{"id":"m%d","model":"x","content":[{"type":"tool_use","id":"t%d","name":%q,"input":%s}]}`, n, n, tool, input))
	}
	result := func(session, more string, n, of int, text string) string {
		return record(session, more, n, fmt.Sprintf(`"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t%d","content":%q}]}`, of, text))
	}
	begin := func(session, more string) string {
		return record(session, more, 1, `"type":"user","message":{"content":"Work"}`) +
			call(session, more, 2, "Read", `{"file_path":"/w/a/read.go"}`) + result(session, more, 3, 2, "     1→one") +
			call(session, more, 4, "Write", `{"file_path":"/w/b/written.go","content":"x"}`) + result(session, more, 5, 4, "created") +
			call(session, more, 6, "Bash", `{"command":"make gen"}`) + result(session, more, 8, 6, "done")
	}
	dir := filepath.Join(home, ".claude/projects/-w-a")
	fstest.Must(t, os.MkdirAll(dir, 0o700))
	fstest.Must(t, os.WriteFile(filepath.Join(dir, first+".jsonl"), []byte(begin(first, "")+call(first, "", 9, "Bash", `{"command":"npm run dev"}`)), 0o600))
	f := start(t, home)
	edits := func(dir string) []facts.Edit { return f.Edits(dir, at.Add(-time.Hour)) }
	f.await("all is rendered", func() bool { return len(edits("/w/a")) == 3 })
	path := f.catalogue.Path(f.catalogue.ByKey("claude-code", first))
	second8 := func(n int) time.Time { return at.Add(time.Duration(n) * time.Second) }
	for _, c := range []struct {
		dir  string
		want []facts.Edit
	}{
		{"/w/a", []facts.Edit{
			{File: "/w/a/read.go", Read: true, End: second8(3)},
			{Dir: "/w/a", Command: "make gen", Start: second8(6), End: second8(8)},
			{Dir: "/w/a", Command: "npm run dev", Start: second8(9)},
		}},
		{"/w/b", []facts.Edit{{File: "/w/b/written.go", End: second8(5)}}},
		{"/w/c", nil},
	} {
		got := edits(c.dir)
		for i := range c.want {
			c.want[i].By, c.want[i].Session = path, first
		}
		fstest.Equal(t, fmt.Sprint(got), fmt.Sprint(c.want), c.dir, got, c.want)
	}
	if got := f.Edits("/w/b", at.Add(time.Minute)); len(got) != 0 {
		t.Errorf("what was done before: %+v", got)
	}

	// A continuation repeats the records of the first one, and has seen its files.
	fork := fmt.Sprintf(`,"forkedFrom":{"sessionId":%q,"messageUuid":"x8"}`, first)
	fstest.Must(t, os.WriteFile(filepath.Join(dir, second+".jsonl"), []byte(begin(second, fork)+call(second, "", 10, "Write", `{"file_path":"/w/a/own.go","content":"y"}`)+result(second, "", 11, 10, "created")), 0o600))
	f.await("what the second one has seen", func() bool {
		all, err := f.Reads(t.Context(), second, "/w")
		return err == nil && len(all) == 3 && all[0].File == "/w/a/own.go" && all[1].Whole && all[1].Parts[0].Text == "one\n"
	})
	if all, err := f.Reads(t.Context(), first[:8], "/w/b"); err != nil || len(all) != 1 || all[0].File != "/w/b/written.go" {
		t.Errorf("%+v, %v", all, err)
	}
	for _, id := range []string{"", "nobody", "transcripts"} {
		if _, err := f.Reads(t.Context(), id, "/w"); err == nil {
			t.Errorf("%q is a session", id)
		}
	}
	f.await("what the second one has seen without texts", func() bool {
		seen, err := f.seen(t.Context(), SeenQuery{Wanted: Wanted{Session: second}, Paths: []string{"/w/a/read.go"}})
		return err == nil && len(seen.Files) == 1 && !seen.Files[0].Time.IsZero() && len(seen.Files[0].Parts) == 0
	})
}
