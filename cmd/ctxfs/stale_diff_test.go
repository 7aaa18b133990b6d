package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ctxfs/cmd/ctxfs/sessions"
	"ctxfs/fs/fstest"
)

const exitStale = 10

// TestStaleDiff shows what changed since a session saw a file, and guards edits, with and
// without the background process.
func TestStaleDiff(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	repo := filepath.Join(b.home, "repo")
	must(t, os.MkdirAll(filepath.Join(repo, "sub"), 0o700))
	start := time.Date(2026, 5, 12, 1, 0, 0, 0, time.UTC)
	lines := []string{claudeLine(repo, `"type":"user","uuid":"u0","parentUuid":null,"timestamp":"2026-05-12T01:00:00Z","message":{"role":"user","content":"Work"}`)}
	n := 0
	call := func(tool, input, result, twin string) []string {
		n++
		at := start.Add(time.Duration(n) * time.Minute).Format(time.RFC3339)
		return []string{
			claudeLine(repo, fmt.Sprintf(`"type":"assistant","uuid":"a%d","parentUuid":"u%d","timestamp":%q,"message":{"id":"msg_%[1]d","role":"assistant","model":"claude-x","content":[{"type":"tool_use","id":"toolu_%[1]d","name":%[4]q,"input":%[5]s}]}`, n, n-1, at, tool, input)),
			claudeLine(repo, fmt.Sprintf(`"type":"user","uuid":"u%[1]d","parentUuid":"a%[1]d","timestamp":%[2]q,"toolUseResult":%[3]s,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%[1]d","content":%[4]q}]}`, n, at, twin, result)),
		}
	}
	read := func(name, text, result string, from, total int) {
		path := filepath.Join(repo, name)
		twin, _ := json.Marshal(map[string]any{"type": "text", "file": map[string]any{"filePath": path, "content": text, "startLine": from, "numLines": strings.Count(text, "\n") + 1, "totalLines": total}})
		lines = append(lines, call("Read", fmt.Sprintf(`{"file_path":%q}`, path), result, string(twin))...)
	}
	read("a.go", "one\ntwo\nthree", "     1→one\n     2→two\n     3→three", 1, 3)
	read("part.go", "five\nsix", "     5→five\n     6→six", 5, 9)
	lines = append(lines, call("Edit", fmt.Sprintf(`{"file_path":%q,"old_string":"two","new_string":"zwei"}`, repo+"/a.go"), "updated",
		fmt.Sprintf(`{"filePath":%q,"originalFile":"one\ntwo\nthree\n"}`, repo+"/a.go"))...)
	lines = append(lines, call("Write", fmt.Sprintf(`{"file_path":%q,"content":"secret\n"}`, repo+"/sub/new.go"), "created", `"x"`)...)
	b.session(".claude/projects/-repo/"+claudeID+".jsonl", lines...)
	file := func(name, text string, minutes int) {
		t.Helper()
		b.write("repo/"+name, text)
		at := start.Add(time.Duration(minutes) * time.Minute)
		must(t, os.Chtimes(filepath.Join(repo, name), at, at))
	}
	same := func() {
		file("a.go", "one\nzwei\nthree\n", 60) // touched: its text is what the session wrote
		file("part.go", "1\n2\n3\n4\nfive\nsix\n7\n8\n9\n", 0)
		file("sub/new.go", "secret\n", 0)
		file("other.go", "x\n", 60)
	}
	stale := func(command string) result {
		t.Helper()
		return b.shell("cd repo && CLAUDE_CODE_SESSION_ID=" + claudeID + " ctxfs stale " + command)
	}
	for _, mounted := range []bool{false, true} {
		same()
		if mounted {
			b.mount()
		}
		if r := stale(""); r.code != 0 || r.out != "" {
			t.Errorf("mounted %v: touched only: exit %d\n%v", mounted, r.code, r)
		}
		if r := stale("--guard a.go part.go " + repo + "/sub/new.go"); r.code != 0 || r.out != "" || r.said() != "" {
			t.Errorf("--guard of what has not changed: exit %d\n%v", r.code, r)
		}
		if r := stale("--guard other.go not/there.go"); r.code != 0 || r.out != "" || strings.Count(r.err, "has not seen") != 2 {
			t.Errorf("--guard of what was never seen: exit %d\n%v", r.code, r)
		}

		file("a.go", "one\nzwei\nthree\nghp_0123456789abcdefghijABCDEFGHIJ456789\n", 60)
		file("part.go", "new\n1\n2\n3\n4\nfive\nsix\n7\n8\n9\n", 60)
		const listed = "changed  2026-05-12T02:00:00Z  a.go\n"
		const diff = "@@ -1,3 +1,4 @@\n one\n zwei\n three\n+[REDACTED:github]\n"
		r := stale("")
		if r.code != exitProblems || r.out != listed+"changed  2026-05-12T02:00:00Z  part.go (not in the lines that were seen)\n" {
			t.Errorf("exit %d\n%v", r.code, r)
		}
		r = stale("--diff")
		if r.code != exitProblems || !strings.HasPrefix(r.out, listed+"--- "+repo+"/a.go\tas it was seen 2026-05-12T01:03:00Z\n+++ "+repo+"/a.go\tnow, modified 2026-05-12T02:00:00Z\n"+diff) || strings.Contains(r.out, "456789") {
			t.Errorf("--diff: exit %d\n%v", r.code, r)
		}
		fstest.ContainsNot(t, stale("--diff part.go").exits(t, exitProblems).out, "a.go", "+new")
		r = stale("--guard part.go a.go")
		if want := "changed  2026-05-12T02:00:00Z  a.go: read it again before you edit it, or see what changed: ctxfs stale --diff a.go\n"; r.code != exitStale || r.out != want || r.said() != "" {
			t.Errorf("--guard: exit %d\n%v", r.code, r)
		}
		if r := b.shell("cd / && ctxfs stale --guard --session 0894 " + repo + "/sub/../a.go"); r.code != exitStale {
			t.Errorf("--session: exit %d\n%v", r.code, r)
		}
		must(t, os.MkdirAll(filepath.Join(b.home, "links"), 0o700))
		_ = os.Symlink(repo, filepath.Join(b.home, "links", "shop"))
		_ = os.Symlink("../repo/a.go", filepath.Join(b.home, "links", "other.go"))
		for _, name := range []string{"links/shop/a.go", "links/other.go"} {
			if r := b.shell("ctxfs stale --guard --session 0894 " + name); r.code != exitStale {
				t.Errorf("by the name %s: exit %d\n%v", name, r.code, r)
			}
		}
		must(t, os.Remove(filepath.Join(repo, "a.go")))
		must(t, syscall.Mkfifo(filepath.Join(repo, "a.go"), 0o600))
		if r := stale("--guard a.go"); r.code != exitStale {
			t.Errorf("a pipe in its place: exit %d\n%v", r.code, r)
		}
		must(t, os.Remove(filepath.Join(repo, "a.go")))
		if r := stale("--guard a.go"); r.code != exitStale || !strings.HasPrefix(r.out, "deleted  -                     a.go: ") {
			t.Errorf("deleted: exit %d\n%v", r.code, r)
		}
		var report sessions.StaleReport
		r = stale("--json --diff")
		must(t, json.Unmarshal([]byte(r.out), &report))
		if r.code != exitProblems || report.Checked != 3 || len(report.Files) != 2 || !report.Files[1].Elsewhere {
			t.Errorf("--json: exit %d: %+v", r.code, report)
		}
	}
	// The hook in README.md refuses an edit of what has changed, and nothing else.
	text, err := os.ReadFile("../../README.md")
	must(t, err)
	_, block, _ := strings.Cut(string(text), "```json\n{ \"hooks\": { \"PreToolUse\"")
	block, _, _ = strings.Cut(`{ "hooks": { "PreToolUse"`+block, "```")
	var settings struct {
		Hooks map[string][]struct{ Hooks []struct{ Command string } }
	}
	must(t, json.Unmarshal([]byte(block), &settings))
	same()
	file("a.go", "changed\n", 60)
	for name, want := range map[string]int{"a.go": 2, "part.go": 0, "other.go": 0, "new.go": 0} {
		input := fmt.Sprintf(`{"session_id":%q,"hook_event_name":"PreToolUse","tool_name":"Edit","tool_input":{"file_path":%q}}`, claudeID, filepath.Join(repo, name))
		b.write("input", input)
		b.write("hook.sh", settings.Hooks["PreToolUse"][0].Hooks[0].Command+"\n")
		if r := b.shell("sh hook.sh < input"); r.code != want || want == 2 && !strings.Contains(r.err, "read it again") {
			t.Errorf("the hook for %s: exit %d, want %d\n%v", name, r.code, want, r)
		}
	}

	b.refused(exitUsage, []string{"name the files that are to be edited"}, "stale", "--guard")
	b.refused(exitUsage, []string{"one session is compared, not 2"}, "stale", "a", "b")

	// The session goes on, and sees its own write, as soon as it has made it.
	file("a.go", "four\n", 90)
	lines = append(lines, call("Write", fmt.Sprintf(`{"file_path":%q,"content":"four\n"}`, repo+"/a.go"), "updated", `"x"`)...)
	b.session(".claude/projects/-repo/"+claudeID+".jsonl", lines...)
	b.settles("what the session wrote is not outdated", func() bool { return stale("--guard a.go").code == 0 })
}
