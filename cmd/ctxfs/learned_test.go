package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// learnFrom writes sessions of two agents in which a tool of the zoo was used after
// wants that share no word with it, and one in which a call of it was denied.
func (b *box) learnFrom() {
	b.Helper()
	b.learnFromClaude("11111111-1111-4111-8111-111111111111", "the dog next door is starving")
	b.learnFromClaude("22222222-2222-4222-8222-222222222222", "starving penguins everywhere, token ghp_16C7e42F292c6912E7710c838347Ae178B4a")
	b.session(".pi/agent/sessions/--work--/2026-05-12T01-02-27-657Z_"+piID+".jsonl",
		fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":"2026-05-12T01:02:27.657Z","cwd":%q}`, piID, b.home),
		`{"type":"message","id":"m1","timestamp":"2026-05-12T01:03:01Z","message":{"role":"user","content":[{"type":"text","text":"a starving tortoise waits"}]}}`,
		`{"type":"message","id":"m2","parentId":"m1","timestamp":"2026-05-12T01:03:02Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"ctxfs call zoo feed_animal --animal lion"}}]}}`)
}

// learnFromClaude writes a session of Claude Code in which feed_animal was used.
func (b *box) learnFromClaude(id, want string) {
	b.Helper()
	line := func(rest string) string {
		return fmt.Sprintf(`{"sessionId":%q,"cwd":%q,"version":"2.1.132","isSidechain":false,%s}`, id, b.home, rest)
	}
	b.session(".claude/projects/-home/"+id+".jsonl",
		line(fmt.Sprintf(`"type":"user","uuid":"u1-%s","parentUuid":null,"timestamp":"2026-05-12T01:02:27Z","message":{"role":"user","content":%q}`, id, want)),
		line(fmt.Sprintf(`"type":"assistant","uuid":"u2-%s","parentUuid":"u1-%s","timestamp":"2026-05-12T01:02:30Z","message":{"id":"msg_1","role":"assistant","model":"claude-x","content":[{"type":"tool_use","id":"toolu_1","name":"mcp__zoo__feed_animal","input":{"animal":"lion"}}]}`, id, id)),
		line(fmt.Sprintf(`"type":"user","uuid":"u3-%s","parentUuid":"u2-%s","timestamp":"2026-05-12T01:02:31Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"fed"}]}`, id, id)))
}

// TestLearned: a tool is found by what was wanted in sessions before it was used, in
// the mount and by commands; that can be read, forgotten for good and switched off,
// has no secrets, survives a kill, and stays in its home.
func TestLearned(t *testing.T) {
	t.Parallel()
	b := zoo(t, "")
	b.learnFrom()
	b.mount()
	b.ready("zoo")
	found := func() string { return b.run("find", "-n", "1", "--in", "mcps", "starving").out }
	page := func() string {
		text, err := os.ReadFile(b.mnt("find/LEARNED.md"))
		must(t, err)
		return string(text)
	}
	b.settles("it has learned", func() bool { return strings.Contains(page(), "## zoo/feed_animal (tool)\n3 used") })
	if got := found(); !strings.HasPrefix(got, "nothing good; nearest:\nzoo/feed_animal(") && !strings.HasPrefix(got, "zoo/feed_animal(") {
		t.Errorf("find: %q", got)
	}
	text := page()
	fstest.Contains(t, text, "## zoo/feed_animal (tool)\n3 used, last 2026-05-12", "- the dog next door is starving 2026-05-12 transcripts/by-id/11111111-1111-4111-8111-111111111111\n", "a starving tortoise waits", "[REDACTED:")
	fstest.Equal(t, b.sh("ls "+b.mnt("find")), "LEARNED.md\nREADME.md\n", "find/ has")
	fstest.Contains(t, b.sh("ls "+b.mnt("find/mcps/starving")), "feed_animal")
	for _, place := range []string{b.cache, b.state, b.mnt("find")} {
		fstest.Equal(t, b.shell("grep -rl ghp_16C7 "+place).out, "", "the secret is in")
	}

	// What is listed is for machines, too, and by name.
	var topics []struct {
		Server, Name string
		Uses         int
		Wants        []struct{ Want string }
	}
	if err := json.Unmarshal([]byte(b.ok("learned", "--json", "zoo")), &topics); err != nil || len(topics) != 1 || topics[0].Name != "feed_animal" || len(topics[0].Wants) != 3 {
		t.Errorf("learned --json: %+v, %v", topics, err)
	}
	b.refused(exitFailed, []string{`nothing was learned of "zoo/fed_animal"`, "did you mean zoo/feed_animal?"}, "learned", "zoo/fed_animal")
	if got := b.ok("__complete", "learned", "--forget", ""); !strings.HasPrefix(got, "zoo/feed_animal\nall\n") {
		t.Errorf("completion: %q", got)
	}

	// Another process, and one after a kill, knows it.
	b.kill()
	b.settles("a command finds it without a background process", func() bool { return strings.Contains(found(), "zoo/feed_animal") })
	b.mount()
	b.settles("it is found after a kill", func() bool { return strings.Contains(found(), "zoo/feed_animal") })

	// What is forgotten is not learned again.
	fstest.Equal(t, b.ok("learned", "--forget", "zoo/feed_animal"), "forgot what was wanted before 3 uses of zoo/feed_animal\n")
	b.learnFromClaude("33333333-3333-4333-8333-333333333333", "nothing of interest")
	b.ok("unmount")
	b.inside.daemons.Wait()
	must(t, os.RemoveAll(b.cache))
	b.mount()
	b.settles("the sessions are read again", func() bool {
		_, err := os.Stat(filepath.Join(b.cache, "ctxfs/find/learned.jsonl"))
		return err == nil && strings.Contains(b.run("find", "interest").out, "nothing of interest")
	})
	if got := found(); strings.Contains(got, "feed_animal") || strings.Contains(page(), "starving") {
		t.Errorf("after forgetting: %q\n%s", got, page())
	}

	// One line switches it off, and deletes it.
	b.write(".config/ctxfs/config.toml", "[find]\nlearn = false\n")
	b.settles("it is switched off", func() bool { return strings.Contains(page(), "switched off") })
	if _, err := os.Stat(filepath.Join(b.cache, "ctxfs/find/learned.jsonl")); !os.IsNotExist(err) {
		t.Errorf("what was learned is still there: %v", err)
	}
}

// TestServeLearns: what a client of the gateway searches for before it calls a tool is
// learned, and in the log of calls without secrets; not where learning is switched off.
func TestServeLearns(t *testing.T) {
	t.Parallel()
	b := zoo(t, "")
	a := b.agent()
	b.ok("wait", "server", "zoo", "ready")
	_, _ = a.ask("find", map[string]any{"query": "famished creatures ghp_16C7e42F292c6912E7710c838347Ae178B4a"})
	a.says(false, []string{"lion"}, "call", callOf("zoo", "feed_animal", map[string]any{"animal": "lion"}))
	if log := b.callLog(); !strings.Contains(log, `"wanted":"famished creatures [`) || strings.Contains(log, "ghp_") {
		t.Errorf("the log of calls: %s", log)
	}
	b.settles("it is learned", func() bool { return strings.Contains(b.ok("learned"), "famished creatures") })
	b.write(".config/ctxfs/config.toml", "[find]\nlearn = false\n")
	b.settles("it is switched off", func() bool { return b.run("learned").out == "" })
	_, _ = a.ask("find", map[string]any{"query": "peckish beasts"})
	a.says(false, []string{"zebra"}, "call", callOf("zoo", "feed_animal", map[string]any{"animal": "zebra"}))
	fstest.ContainsNot(t, b.callLog(), "peckish")
}
