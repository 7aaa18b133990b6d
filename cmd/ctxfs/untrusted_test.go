package main

import (
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// TestNothingPushed: of what a project that is not trusted tells agents, no page or hook of
// ours says more than names: rules, skills, commands, subagents, memories, plans and notes. What somebody
// asks for is marked. After `ctxfs trust` it is there.
func TestNothingPushed(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	const evil = "zebra" // the word that is in all that the project says
	shop := filepath.Join(b.home, "src/shop")
	b.write("src/shop/.git/HEAD", "ref: refs/heads/main\n")
	for name, text := range map[string]string{
		"AGENTS.md": "# Obey the zebra\n\nSend zebra home.\n", "CLAUDE.md": "Zebra: @docs/z.md\n", "docs/z.md": "A zebra.\n", "GEMINI.md": "zebra\n",
		".cursor/rules/a.mdc":             "---\ndescription: zebra zebra\nalwaysApply: true\n---\nzebra\n",
		".github/copilot-instructions.md": "zebra\n", "api/AGENTS.md": "# Nested zebra\n",
		".claude/skills/paint/SKILL.md": "---\nname: paint\ndescription: Paints a zebra when asked\n---\nzebra\n",
		".claude/commands/go.md":        "---\ndescription: a zebra goes\n---\nzebra\n", ".claude/agents/rev.md": "---\nname: rev\ndescription: zebra reviewer\n---\nzebra\n",
		".kiro/specs/login/tasks.md": "- [ ] feed the zebra\n", ".cursor/plans/z.plan.md": "# A zebra plan\n\n- [ ] zebra\n",
		".claude/agent-memory/rev/MEMORY.md": "The zebra is remembered.\n",
		".agents/skills/other/SKILL.md":      "---\nname: other\ndescription: Another zebra\n---\nzebra\n",
	} {
		b.write("src/shop/"+name, text)
	}
	b.session(".claude/projects/-s/"+claudeID+".jsonl", claudeLine(shop, `"type":"user","uuid":"u1","timestamp":"2026-05-12T01:00:00Z","message":{"role":"user","content":"fix the cart"}`))
	b.write(".config/ctxfs/config.toml", "[workspaces]\ndirs = [\"~/src/shop\"]\n")
	b.mount()
	b.sh("cd src/shop && CLAUDECODE=1 ctxfs note 'a zebra was here'")
	page := b.mnt("workspaces/shop/HERE.md")
	b.settles("the page", func() bool { return strings.Contains(b.sh("cat "+page+" || true"), "AGENTS.md` (not trusted)") })
	b.shows("rules/INDEX.md", "shop/api-AGENTS.md")

	pushed := func() string {
		agent := b.agentIn(shop, nil)
		must(t, agent.Close()) // or its gateway would keep the process
		_ = agent.process.Wait()
		return strings.Join([]string{
			b.ok("prompt"), b.sh("cat " + b.mnt("AGENTS.md")), b.sh("cat " + b.mnt("STATUS.md")), b.sh("cat " + page), b.ok("here", "--page", shop),
			b.sh("cd src/shop/api && ctxfs here --json"), b.ok("status"), agent.hello.Instructions,
			b.hook("claude-code", "", `{"session_id":"`+claudeID+`","cwd":"`+shop+`","hook_event_name":"SessionStart","source":"startup"}`).out,
			b.hook("claude-code", "", `{"session_id":"`+claudeID+`","cwd":"`+shop+`","hook_event_name":"PreCompact","trigger":"auto"}`).out,
			b.sh("cat " + b.mnt("workspaces/INDEX.md")),
		}, "\n=====\n")
	}
	if text := pushed(); strings.Contains(strings.ToLower(text), evil) || !strings.Contains(text, "AGENTS.md` (not trusted)") {
		t.Errorf("what is pushed:\n%s", text)
	}
	// Whoever asks is told, and that it is not trusted.
	for _, line := range strings.Split(b.ok("find", "zebra"), "\n") {
		if strings.Contains(strings.ToLower(line), evil) && strings.Contains(line, " — ") && !strings.Contains(line, "not trusted") {
			t.Errorf("a match without a mark: %s", line)
		}
	}
	b.shows("rules/INDEX.md", "(not trusted: ctxfs trust ~/src/shop)")
	b.shows("rules/shop/AGENTS.md", "trusted: no\n", "zebra")

	b.ok("trust", filepath.Join(shop, "api"))
	b.shows("workspaces/shop/HERE.md", "Send zebra home", `"a zebra was here"`)
	b.ok("trust", "--revoke", shop)
	b.settles("the page without it", func() bool { return !strings.Contains(strings.ToLower(b.sh("cat "+page)), evil) })
	if text := pushed(); strings.Contains(strings.ToLower(text), evil) {
		t.Errorf("what is pushed after the trust was withdrawn:\n%s", text)
	}

	// A page that was kept from when it was trusted is not shown after a restart.
	b.ok("trust", shop)
	b.shows("workspaces/shop/HERE.md", "Send zebra home")
	b.ok("unmount")
	b.inside.endDaemons()
	b.ok("trust", "--revoke", shop)
	b.mount()
	fstest.ContainsNot(t, b.sh("cat "+page), "Send zebra home", "was here")
	b.settles("the page after a restart without it", func() bool { return !strings.Contains(strings.ToLower(b.sh("cat "+page)), evil) })
}
