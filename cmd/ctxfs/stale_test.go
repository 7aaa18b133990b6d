package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/cmd/ctxfs/sessions"
	"ctxfs/fs/fstest"
)

// TestStale lists what changed since a session last saw it.
func TestStale(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	repo := filepath.Join(b.home, "repo")
	must(t, os.MkdirAll(filepath.Join(repo, "sub"), 0o700))
	must(t, os.MkdirAll(filepath.Join(repo, ".git"), 0o700))
	start := time.Date(2026, 5, 12, 1, 0, 0, 0, time.UTC)
	// Calls of tools at minutes after the start; results come a minute later.
	lines := []string{claudeLine(repo, `"type":"user","uuid":"u0","parentUuid":null,"timestamp":"2026-05-12T01:00:00Z","message":{"role":"user","content":"Work"}`)}
	call := func(n int, tool, path string, failed bool) {
		lines = append(lines,
			claudeLine(repo, fmt.Sprintf(`"type":"assistant","uuid":"a%d","parentUuid":"u%d","timestamp":%q,"message":{"id":"msg_%[1]d","role":"assistant","model":"claude-x","content":[{"type":"tool_use","id":"toolu_%[1]d","name":%[4]q,"input":{"file_path":%[5]q,"content":"x","old_string":"x","new_string":"y"}}]}`,
				n, n-1, start.Add(time.Duration(n)*time.Minute).Format(time.RFC3339), tool, path)),
			claudeLine(repo, fmt.Sprintf(`"type":"user","uuid":"u%[1]d","parentUuid":"a%[1]d","timestamp":%[2]q,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%[1]d","is_error":%[3]v,"content":"done"}]}`,
				n, start.Add(time.Duration(n+1)*time.Minute).Format(time.RFC3339), failed)))
	}
	for i, name := range []string{"same.go", "changed.go", "sub/changed.go", "gone.go"} {
		call(i+1, "Read", filepath.Join(repo, name), false)
	}
	call(5, "Write", filepath.Join(repo, "own.go"), false)
	call(6, "Edit", filepath.Join(repo, "changed.go"), true) // so it has not seen it again
	call(7, "Read", filepath.Join(b.home, "outside.go"), false)
	b.session(".claude/projects/-repo/"+claudeID+".jsonl", lines...)
	changed := func(path string, minutes int) {
		t.Helper()
		b.write(path, "x")
		at := start.Add(time.Duration(minutes) * time.Minute)
		must(t, os.Chtimes(filepath.Join(b.home, path), at, at))
	}
	for _, name := range []string{"same.go", "changed.go", "sub/changed.go", "gone.go"} {
		changed("repo/"+name, -60)
	}
	changed("outside.go", -60)
	changed("repo/own.go", 6) // while the call ran

	for _, mounted := range []bool{false, true} {
		if mounted {
			b.mount()
		}
		r := b.shell("cd repo && ctxfs stale")
		if want := "ctxfs: nothing changed: 6 files are as the session " + claudeID + " of claude-code last saw them\n"; r.code != 0 || r.out != "" || r.said() != want {
			t.Errorf("nothing has changed: exit %d\n%v", r.code, r)
		}
		changed("repo/changed.go", 7)
		changed("repo/sub/changed.go", 60)
		changed("outside.go", 60)
		must(t, os.Remove(filepath.Join(repo, "gone.go")))
		want := "changed  2026-05-12T02:00:00Z  " + b.home + "/outside.go\n" +
			"changed  2026-05-12T01:07:00Z  changed.go\n" +
			"deleted  -                     gone.go\n" +
			"changed  2026-05-12T02:00:00Z  sub/changed.go\n"
		if r := b.shell("cd repo && CLAUDE_CODE_SESSION_ID=" + claudeID + " ctxfs stale"); r.code != exitProblems || r.out != want || r.said() != "" {
			t.Errorf("exit %d\n%v\nwant %s", r.code, r, want)
		}
		if r := b.shell("cd repo/sub && ctxfs stale 0894031 2>/dev/null | tail -n 1"); r.out != "changed  2026-05-12T02:00:00Z  changed.go\n" {
			t.Errorf("in a folder below: %v", r)
		}
		var report sessions.StaleReport
		r = b.run("stale", "--json", claudeID)
		must(t, json.Unmarshal([]byte(r.out), &report))
		if r.code != exitProblems || report.Session != claudeID || report.Agent != "claude-code" || report.Checked != 6 || len(report.Files) != 4 {
			t.Fatalf("--json: exit %d: %+v", r.code, report)
		}
		if f := report.Files[1]; f.Path != repo+"/changed.go" || f.State != "changed" || !f.Seen.Equal(start.Add(3*time.Minute)) || !f.Modified.Equal(start.Add(7*time.Minute)) {
			t.Errorf("--json: %+v", f)
		}
		// As it was.
		for _, path := range []string{"repo/changed.go", "repo/sub/changed.go", "outside.go", "repo/gone.go"} {
			changed(path, -60)
		}
	}
	fstest.Contains(t, b.ok("stale", "--json", claudeID), `"files": []`)
	b.refused(exitFailed, []string{"no session is nobody"}, "stale", "nobody")
	b.refused(exitUsage, []string{"the name of the session is empty"}, "stale", "")
	b.session(".pi/agent/sessions/--x--/2026-05-12T01-02-27-657Z_"+piID+".jsonl",
		fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":"2026-05-12T01:02:27.657Z","cwd":"/x"}`, piID))
	b.settles("the session without files is there", func() bool {
		r := b.run("stale", piID)
		return r.code == 0 && strings.Contains(r.err, "has read and written no known files")
	})
}
