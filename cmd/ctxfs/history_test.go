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

// The sessions of the tests: of Pi and Codex in ~/work, of Claude Code in
// ~/repo, which is a repository.
const (
	piID     = "11111111-2222-4333-8444-555555555555"
	codexID  = "0199a213-81c0-7800-8aa1-bbab2a035a53"
	claudeID = "08940314-9e93-46b1-a598-06bada65ed55"
)

// newHistoryBox is a box with three sessions; Codex's is the newest in its folder.
func newHistoryBox(t *testing.T) *box {
	b := newBox(t)
	work, repo := filepath.Join(b.home, "work"), filepath.Join(b.home, "repo")
	must(t, os.MkdirAll(filepath.Join(work, "sub"), 0o700))
	must(t, os.MkdirAll(filepath.Join(repo, ".git"), 0o700))
	must(t, os.MkdirAll(filepath.Join(repo, "a", "b"), 0o700))
	logs := []string{
		b.session(".pi/agent/sessions/--work--/2026-05-12T01-02-27-657Z_"+piID+".jsonl",
			fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":"2026-05-12T01:02:27.657Z","cwd":%q}`, piID, work),
			`{"type":"message","id":"m1","timestamp":"2026-05-12T01:03:01Z","message":{"role":"user","content":[{"type":"text","text":"Mend the flaky test"}]}}`,
			`{"type":"message","id":"m2","parentId":"m1","timestamp":"2026-05-12T01:03:02Z","message":{"role":"assistant","content":[{"type":"text","text":"I look at the pelican."}]}}`),
		b.session(".codex/sessions/2026/05/12/rollout-2026-05-12T03-02-27-"+codexID+".jsonl",
			fmt.Sprintf(`{"timestamp":"2026-05-12T01:02:28.000Z","type":"session_meta","payload":{"id":%q,"timestamp":"2026-05-12T01:02:28.000Z","cwd":%q,"originator":"codex_cli_rs","cli_version":"0.118.0","source":"cli"}}`, codexID, work),
			`{"timestamp":"2026-05-12T01:02:29.000Z","type":"event_msg","payload":{"type":"user_message","message":"Rename the flag"}}`,
			`{"timestamp":"2026-05-12T01:02:29.001Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Rename the flag"}]}}`,
			`{"timestamp":"2026-05-12T01:02:31.000Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Renamed it."}]}}`),
		b.session(".claude/projects/-repo/"+claudeID+".jsonl",
			claudeLine(repo, `"type":"user","uuid":"u1","parentUuid":null,"timestamp":"2026-05-12T01:02:27Z","message":{"role":"user","content":"Find the leak"}`),
			claudeLine(repo, `"type":"assistant","uuid":"u2","parentUuid":"u1","timestamp":"2026-05-12T01:02:30Z","message":{"id":"msg_1","role":"assistant","model":"claude-x","content":[{"type":"text","text":"It is in the pool."}]}`)),
	}
	for i, log := range logs {
		at := time.Date(2026, 5, 12, 2, i, 0, 0, time.UTC)
		must(t, os.Chtimes(log, at, at))
	}
	return b
}

func claudeLine(cwd, rest string) string {
	return fmt.Sprintf(`{"sessionId":%q,"cwd":%q,"version":"2.1.132","isSidechain":false,%s}`, claudeID, cwd, rest)
}

// session writes the log of a session, and returns its path.
func (b *box) session(path string, lines ...string) string {
	b.Helper()
	b.write(path, strings.Join(lines, "\n")+"\n")
	return filepath.Join(b.home, path)
}

// history is what `ctxfs history --json` prints.
func (b *box) history(script string) (e sessions.Entry) {
	b.Helper()
	if err := json.Unmarshal([]byte(b.sh(script)), &e); err != nil {
		b.Fatalf("%s: %v", script, err)
	}
	return e
}

// TestHistory finds the session that it is run in, and others, with a background
// process and without one.
func TestHistory(t *testing.T) {
	t.Parallel()
	b := newHistoryBox(t)
	const piTree = "transcripts/pi/work/2026-05-12_Mend-the-flaky-test_11111111"
	for _, running := range []bool{false, true} {
		root := ""
		if running {
			b.mount()
			root = b.mnt() + "/"
		}
		// The environment of the agents.
		for env, want := range map[string]string{
			"PI_SESSION_ID=" + piID:                      root + piTree + "/transcript.md\n",
			"CODEX_THREAD_ID=" + codexID:                 root + "transcripts/codex/work/2026-05-12_Rename-the-flag_0199a213/transcript.md\n",
			"CLAUDE_CODE_SESSION_ID=" + claudeID:         root + "transcripts/claude-code/repo/2026-05-12_Find-the-leak_08940314/transcript.md\n",
			"PI_SESSION_ID=x CODEX_THREAD_ID=" + codexID: root + "transcripts/codex/work/2026-05-12_Rename-the-flag_0199a213/transcript.md\n",
		} {
			r := b.shell("cd repo && " + env + " ctxfs history")
			if r.out != want || r.code != 0 {
				t.Errorf("%s: exit %d\n%v", env, r.code, r)
			}
			if hint := "ctxfs: not mounted; read it: ctxfs cat transcripts/"; running && r.said() != "" || !running && !strings.HasPrefix(r.err, hint) {
				t.Errorf("%s: hint %q", env, r.err)
			}
		}
		b.sh("ctxfs cat $(ctxfs history " + piID[:6] + " 2>/dev/null) | rg -q pelican")

		// The folder, and the repository.
		if r := b.shell("cd work && ctxfs history"); r.code != 0 || !strings.HasPrefix(r.out, root+"transcripts/codex/work/") ||
			!strings.Contains(r.err, "ctxfs: no agent says which session this is; this is the newest of 2 in ~/work\n") {
			t.Errorf("in the folder: exit %d\n%v", r.code, r)
		}
		if r := b.shell("cd repo/a/b && ctxfs history"); r.code != 0 || !strings.HasPrefix(r.out, root+"transcripts/claude-code/repo/") || strings.Contains(r.err, "newest") {
			t.Errorf("in the repository: exit %d\n%v", r.code, r)
		}
		b.sh("rm -f link; ln -s work link; cd link && ctxfs history 2>/dev/null | rg -q transcripts/codex/work/")
		fstest.Contains(t, b.shell("cd work/sub && ctxfs history").exits(t, exitFailed).err, "ctxfs: no agent says which session this is, and none is known that began in "+b.home+"/work/sub\n", "\n  name one; list them: ctxfs history --all\n", "PI_SESSION_ID")
		fstest.Contains(t, b.shell("CODEX_THREAD_ID=nobody ctxfs history").exits(t, exitFailed).err, "there is no log of the session of codex that CODEX_THREAD_ID names, nobody\n  it may not be written yet")

		// By name.
		for _, name := range []string{
			piID, "1111", piTree, piTree + "/digest.md", b.mnt(piTree, "transcript.md"), "transcripts/by-id/" + piID,
			".pi/agent/sessions/--work--/2026-05-12T01-02-27-657Z_" + piID + ".jsonl",
		} {
			e := b.history("ctxfs history --json " + name)
			if e.ID != piID || e.Agent != "pi" || e.Title != "Mend the flaky test" || e.CWD != b.home+"/work" || e.By != "name" || e.Mounted != running ||
				e.Path != root+piTree+"/transcript.md" || e.Digest != root+piTree+"/digest.md" || e.Files != root+piTree+"/files.tsv" || e.Tree != piTree ||
				!e.Start.Equal(time.Date(2026, 5, 12, 1, 2, 27, 657e6, time.UTC)) || e.Last.IsZero() || !strings.HasSuffix(e.Log, piID+".jsonl") {
				t.Errorf("%s: %+v", name, e)
			}
		}
		b.refused(exitFailed, []string{"2 sessions are 0", codexID, claudeID, "transcripts/codex/work/"}, "history", "0")
		b.refused(exitFailed, []string{`no session is nobody`, "\n  name it by its id"}, "history", "nobody")
		b.refused(exitUsage, []string{"--all and a session exclude each other"}, "history", "--all", piID)
		b.refused(exitUsage, []string{"--cwd requires --all"}, "history", "--cwd", ".")
		b.refused(exitUsage, []string{"the name of the session is empty"}, "history", "")
		b.refused(exitUsage, []string{"takes at most 1 argument, so \"b\" is one too many"}, "history", "a", "b")

		// All of them, the newest first as soon as it is known when their last words
		// were said.
		for _, id := range []string{piID, codexID, claudeID} {
			b.ok("cat", "transcripts/by-id/"+id+"/transcript.md")
		}
		var all []sessions.Entry
		must(t, json.Unmarshal([]byte(b.ok("history", "--all", "--json")), &all))
		if len(all) != 3 || all[0].ID != piID || all[2].ID != claudeID || all[0].By != "" {
			t.Errorf("--all: %+v", all)
		}
		fstest.Equal(t, b.sh("ctxfs history -a --cwd work | awk '{ print $2, $NF }'"), "AGENT TRANSCRIPT\npi "+root+piTree+"/transcript.md\ncodex "+root+"transcripts/codex/work/2026-05-12_Rename-the-flag_0199a213/transcript.md\n", "--all --cwd")
		if r := b.run("history", "--all", "--cwd", "/nowhere"); r.code != 0 || r.out != "" || !strings.Contains(r.err, "no session of an agent began in /nowhere or below it") {
			t.Errorf("nothing to list: exit %d\n%v", r.code, r)
		}
		if got := b.ok("__complete", "history", "08"); !strings.HasPrefix(got, claudeID+"\tclaude-code Find the leak\n:") {
			t.Errorf("completion: %q", got)
		}
		if got := b.ok("__complete", "stale", ""); strings.Count(got, "\n") != 4 || !strings.HasPrefix(got, piID) {
			t.Errorf("completion of all: %q", got)
		}
	}
	fstest.Equal(t, b.sh("rg -c pelican $(ctxfs history "+piID+")"), "1\n", "rg in the mount")
	b.settles("the session was read", func() bool {
		e := b.history("ctxfs history --json " + piID)
		return e.Events != nil && *e.Events == 3 && e.Last.Equal(time.Date(2026, 5, 12, 1, 3, 2, 0, time.UTC))
	})
	// In another place, and in a copy.
	b.ok("mount", "other")
	b.ok("unmount", b.mnt())
	fstest.Equal(t, b.ok("history", piID), filepath.Join(b.dir, "other", piTree, "transcript.md")+"\n", "mounted elsewhere")
}

// TestHistoryOfTheFirstAgent: where there is none, it says so.
func TestHistoryOfTheFirstAgent(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.refused(exitFailed, []string{"no agent says which session this is", "CLAUDE_CODE_SESSION_ID"}, "history")
	fstest.Equal(t, b.ok("history", "--all", "--json"), "[]\n", "--all --json")
	if got := b.ok("__complete", "history", ""); !strings.HasPrefix(got, ":") {
		t.Errorf("completion: %q", got)
	}
}
