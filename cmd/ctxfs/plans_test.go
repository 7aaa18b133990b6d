package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/plans"
)

// todoSession is a session of Claude Code in a folder, with a list of tasks as "state
// text".
func todoSession(id, cwd string, written time.Time, tasks ...string) string {
	var todos []map[string]string
	for _, task := range tasks {
		state, text, _ := strings.Cut(task, " ")
		todos = append(todos, map[string]string{"content": text, "status": state, "activeForm": text})
	}
	input, _ := json.Marshal(map[string]any{"todos": todos})
	at := written.UTC().Format(time.RFC3339)
	line := func(n int, role, content string) string {
		return fmt.Sprintf(`{"parentUuid":null,"isSidechain":false,"userType":"external","cwd":%q,"sessionId":%q,"version":"2.1.0","type":%q,"message":{"role":%q,"content":%s},"uuid":"%s-%d","timestamp":%q}`,
			cwd, id, role, role, content, id, n, at) + "\n"
	}
	return line(1, "user", `"plan the work"`) +
		line(2, "assistant", `[{"type":"tool_use","id":"toolu_`+id[:8]+`","name":"TodoWrite","input":`+string(input)+`}]`) +
		line(3, "user", `[{"type":"tool_result","tool_use_id":"toolu_`+id[:8]+`","content":"Todos have been modified successfully"}]`)
}

// TestPlans: what agents have planned is in the mount, on the command line, in a search
// and in HERE.md, until a later session has done it.
func TestPlans(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.write("src/shop/.git/HEAD", "ref: refs/heads/main\n")
	b.write("src/shop/.kiro/specs/login/tasks.md", "- [ ] 1. write the login form\n")
	shop := filepath.Join(b.home, "src/shop")
	begun := time.Now().Add(-time.Hour)
	b.write(".claude/projects/-src-shop/0a000000-0000-4000-8000-000000000001.jsonl",
		todoSession("0a000000-0000-4000-8000-000000000001", shop, begun, "completed write the cart", "in_progress test the cart with umlauts: ü", "pending ship the cart"))
	b.write(".claude/plans/bold-fox.md", "# Rewrite the checkout\n\nOne step after another.\n")
	if got := b.ok("plans", "--in", shop); !strings.Contains(got, "no plans") && !strings.Contains(got, "lists and plans") {
		t.Errorf("before anything is read: %s", got)
	}

	b.mount()
	all := []string{"[-] test the cart with umlauts: ü", "[ ] ship the cart"}
	if r := b.run("plans"); r.code != 0 || !containsAll(r.out, all) && !strings.Contains(r.err, "sessions are still being read, there may be more") {
		t.Errorf("at once after the mount: %v", r)
	}
	b.settles("the command has them", func() bool { return containsAll(b.ok("plans"), all) })
	open := func() string { return b.sh("cat .agentctx/plans/OPEN.md") }
	b.settles("the session's tasks", func() bool { return strings.Contains(open(), "[-] test the cart with umlauts: ü — claude-code, ") })
	b.settles("the project's", func() bool { return strings.Contains(open(), "[ ] 1. write the login form — kiro, ") })
	list := b.sh("cat .agentctx/plans/shop/claude-code-plan_the_work.md")
	if want := []string{"state: open\n", "session: \"transcripts/by-id/0a000000-0000-4000-8000-000000000001\"\n", "project: \"" + shop + "\"\n", "- [x] write the cart ("}; !containsAll(list, want) {
		t.Errorf("the list: %s", list)
	}
	b.shows("plans/elsewhere/claude-code-Rewrite_the_checkout.md", "kind: plan\n", "One step after another.")
	b.shows("plans/INDEX.md", "shop/kiro-login.md — plan open, 1 of 1 open, ", "(not trusted)")
	fstest.Contains(t, b.sh("cat .agentctx/transcripts/by-id/0a000000-0000-4000-8000-000000000001/transcript.md"), "plan the work")
	here := b.sh("ctxfs here --page src/shop")
	if !containsAll(here, []string{"## Open tasks", "test the cart with umlauts: ü (begun, claude-code, ", "../../plans/", "a list in the project (kiro, "}) || strings.Contains(here, "login form") {
		t.Errorf("HERE.md: %s", here)
	}
	fstest.Contains(t, b.ok("find", "--in", "plans", "rewrite checkout"), "plans/elsewhere/claude-code-Rewrite_the_checkout.md")
	var answer plans.Answer
	if err := json.Unmarshal([]byte(b.ok("plans", "--json", "--in", filepath.Join(shop, ".kiro"))), &answer); err != nil || len(answer.Open) != 3 || len(answer.Plans) != 2 || answer.Open[0].Project != shop {
		t.Errorf("plans --json: %+v, %v", answer, err)
	}
	fstest.Contains(t, b.ok("plans"), "~/src/shop:\n", "  [-] test the cart with umlauts: ü — claude-code, ", "(not trusted)", "  plans/shop/kiro-login.md — plan open (not trusted)\n")

	// A later session does what was left.
	b.write(".claude/projects/-src-shop/0b000000-0000-4000-8000-000000000002.jsonl",
		todoSession("0b000000-0000-4000-8000-000000000002", shop, begun.Add(time.Minute), "completed 1. Test the cart, with umlauts: ü", "completed Ship the cart."))
	b.settles("they are done", func() bool { return !strings.Contains(open(), "the cart") })
	b.settles("on the page of the project, too", func() bool { return !strings.Contains(b.sh("ctxfs here --page src/shop"), "test the cart") })
	must(t, os.Remove(filepath.Join(b.home, ".claude/projects/-src-shop/0b000000-0000-4000-8000-000000000002.jsonl")))
	b.settles("that session is deleted", func() bool { return strings.Contains(open(), "[ ] ship the cart — claude-code, ") })
	b.refused(exitFailed, []string{"there is no folder ~/gone"}, "plans", "--in", filepath.Join(b.home, "gone"))

	// A command without a background process shows the same.
	before := open()
	b.ok("unmount")
	b.inside.daemons.Wait() // what it keeps is on disk
	if got := b.ok("cat", "plans/OPEN.md"); got != before {
		t.Errorf("without a mount:\n%s\nit was\n%s", got, before)
	}
}
