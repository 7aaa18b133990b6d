package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
	"ctxfs/providers/stats"
)

// stats returns what ctxfs stats --json prints.
func (b *box) stats(args ...string) (r stats.Report) {
	b.Helper()
	must(b, json.Unmarshal([]byte(b.ok(append([]string{"stats", "--json"}, args...)...)), &r))
	return r
}

// TestStats counts what a server, a skill and a rule take, and calls of a person and an
// agent; with and without a background process, for people and for programs.
func TestStats(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	if got := b.stats(); len(got.Static.Items) != 0 || got.Calls.Calls != 0 || got.Static.Page < 100 || len(got.Problems) != 0 {
		t.Errorf("with nothing: %+v", got)
	}
	if got := b.ok("stats"); !containsAll(got, []string{"0 servers, 0 tools", "Calls of tools: none"}) || strings.Contains(got, "█") {
		t.Errorf("with nothing: %s", got)
	}
	b.write(".claude/CLAUDE.md", "Always run the tests before a commit.\n")
	b.write(".claude/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Reads PDF files.\n---\nlong text\n")
	b.write("tools.json", `[{"name":"greet","description":"`+strings.Repeat("Says hello. ", 400)+`","inputSchema":{"type":"object"}},{"name":"fail","inputSchema":{"type":"object"}}]`)
	b.stub("zoo", "", map[string]string{stubTools: filepath.Join(b.home, "tools.json"), stubResult: filepath.Join(b.home, "result.json")})
	b.servers["broken"] = map[string]any{"command": "no-such-program-here"}
	b.configure()
	b.mount()
	b.ready("zoo")
	b.ok("call", "zoo", "greet")
	agent := b.with("CLAUDECODE", "1", "CLAUDE_CODE_SESSION_ID", "0b0e2bd1-1")
	b.write("result.json", `{"content":[{"type":"text","text":"`+strings.Repeat("long ", 10_000)+`"}]}`)
	agent.ok("call", "zoo", "greet")
	must(t, os.Remove(filepath.Join(b.home, "result.json")))
	if r := agent.run("call", "zoo", "fail"); r.code == 0 {
		t.Error("a failing call worked")
	}
	b.settles("the skill is read", func() bool { return b.stats().Static.Kinds[1].Tokens > 0 })

	running := b.stats()
	s := running.Static
	if s.Agent != "claude-code" || s.Kinds[0].Items != 2 || s.Kinds[0].Unknown != 1 || s.Kinds[0].Tokens < 1200 || s.Kinds[0].Tokens > 1400 || s.Kinds[1].Items != 1 || s.Kinds[2].Items != 1 ||
		s.Injected != s.Kinds[0].Tokens+s.Kinds[1].Tokens+s.Kinds[2].Tokens || s.Tree != s.Page || s.Items[0].Name != "zoo" || s.Items[0].Tree == 0 {
		t.Errorf("static: %+v", s)
	}
	c := running.Calls
	if c.Calls != 3 || c.Failed != 1 || c.Filed != 1 || c.FiledBytes < 49_000 || len(c.Tools) != 2 || c.Tools[0].Tool != "greet" || c.Tools[1].Outcomes["tool-error"] != 1 {
		t.Errorf("calls: %+v", c)
	}
	for args, want := range map[string]int{"--agent claude-code": 2, "--agent codex": 0, "--server zoo": 3, "--server bank": 0, "--since all": 3, "--until 2020-01-01 --since all": 0, "--since 1d": 3} {
		if got := b.stats(append([]string{"calls"}, strings.Fields(args)...)...); got.Calls.Calls != want || got.Static != nil {
			t.Errorf("%s: %d calls", args, got.Calls.Calls)
		}
	}
	rows, err := csv.NewReader(strings.NewReader(b.ok("stats", "static", "--csv"))).ReadAll()
	if err != nil || len(rows) != 5 || rows[0][0] != "kind" || rows[1][0] != "server" || rows[1][1] != "zoo" || rows[1][2] != "2" {
		t.Errorf("CSV: %q, %v", rows, err)
	}
	rows, err = csv.NewReader(strings.NewReader(b.ok("stats", "calls", "--csv"))).ReadAll()
	if err != nil || len(rows) != 3 || rows[1][1] != "greet" || rows[1][2] != "2" {
		t.Errorf("CSV: %q, %v", rows, err)
	}

	if got := running.Files; got.Files != 1 || got.Bytes < 49_000 || got.Results[0].Source != "call" || got.Results[0].Tool != "greet" {
		t.Errorf("files: %+v", got)
	}
	rows, err = csv.NewReader(strings.NewReader(b.ok("stats", "files", "--csv"))).ReadAll()
	if err != nil || len(rows) != 2 || rows[1][1] != "zoo" {
		t.Errorf("CSV: %q, %v", rows, err)
	}
	fstest.Contains(t, b.run("stats", "calls", "--server", "zo").exits(t, 0).err, `no server is called "zo"; did you mean "zoo"?`)

	w := b.open("stats")
	code := w.wait()
	if code != 0 || !containsAll(w.text(), []string{"2 servers, 2 tools", "broken: ", "█", "less.", "zoo/greet", "3 calls", "1 result, "}) {
		t.Errorf("in a terminal: %d, %s", code, w.text())
	}
	for line := range strings.Lines(w.text()) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\r\n")); n > 80 {
			t.Logf("%d columns: %s", n, line) // sentences may be longer, tables are not
			if strings.Contains(line, "█") {
				t.Errorf("a table of %d columns: %s", n, line)
			}
		}
	}

	b.ok("unmount")
	b.inside.daemons.Wait()
	alone := b.stats()
	if alone.Static.Injected != s.Injected || alone.Calls.Calls != 3 || alone.Calls.Tools[0].Median != c.Tools[0].Median {
		t.Errorf("without a process: %+v, %+v", alone.Static, alone.Calls)
	}
	for _, i := range alone.Static.Items {
		if i.Kind == facts.ServerCost && i.Name == "broken" && i.Unknown == "" {
			t.Errorf("%+v", i)
		}
	}

	b.refused(exitUsage, []string{`there is no section "cals"`, "static, calls, files"}, "stats", "cals")
	b.refused(exitUsage, []string{"--csv needs a section"}, "stats", "--csv")
	b.refused(exitUsage, []string{"--csv and --json exclude each other"}, "stats", "calls", "--json", "--csv")
	b.refused(exitUsage, []string{"--since takes 7d"}, "stats", "--since", "soon")
	b.refused(exitUsage, []string{"--until takes a day"}, "stats", "--until", "7d")
	b.refused(exitFailed, []string{"there is no folder"}, "stats", "--in", "/nowhere/at/all")
	fstest.Contains(t, b.ok("__complete", "stats", ""), "static\t", "calls\t", "files\t")
	if got := b.ok("__complete", "stats", "--server", "z"); !strings.HasPrefix(got, "broken\nzoo\n") {
		t.Errorf("completion of servers: %s", got)
	}
}

// TestStatsAgainstOdds: a log that is no log, and a home in which nothing can be written.
func TestStatsAgainstOdds(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.stub("zoo", "", nil)
	must(t, os.MkdirAll(filepath.Join(b.state, "ctxfs/mcp/calls.jsonl"), 0o700))
	r := b.run("stats")
	if r.code != 0 || !containsAll(r.out, []string{"1 server, 0 tools", "zoo: it was never started", "Calls of tools: none"}) || !strings.Contains(r.err, "calls.jsonl") {
		t.Errorf("a folder for a log: %v", r)
	}
	must(t, os.Remove(filepath.Join(b.state, "ctxfs/mcp/calls.jsonl")))
	b.write("x", "")
	nowhere := b.with("XDG_CACHE_HOME", filepath.Join(b.home, "x"), "XDG_STATE_HOME", filepath.Join(b.home, "x"))
	fstest.Contains(t, nowhere.ok("stats"), "zoo: it was never started")
}
