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
	"ctxfs/providers/mcp/oauthtest"
)

// contextOf returns what Claude Code adds to the context of a session for the answer of a hook.
func contextOf(t *testing.T, r result) string {
	t.Helper()
	var out struct {
		HookSpecificOutput struct {
			HookEventName, AdditionalContext, PermissionDecision, PermissionDecisionReason string
		}
	}
	if r.code != 0 || r.err != "" {
		t.Fatalf("exit %d\n%v", r.code, r)
	}
	if r.out != "" && json.Unmarshal([]byte(r.out), &out) != nil {
		t.Fatalf("no JSON: %s", r.out)
	}
	return out.HookSpecificOutput.AdditionalContext
}

// TestHooksTell: what a session of Claude Code is told over its life, each thing once.
func TestHooksTell(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	repo := filepath.Join(b.home, "repo")
	must(t, os.MkdirAll(filepath.Join(repo, ".git"), 0o700))
	b.write("repo/cart.go", "package cart\n")
	seen := time.Now().Add(-time.Hour).UTC()
	must(t, os.Chtimes(filepath.Join(repo, "cart.go"), seen.Add(-time.Hour), seen.Add(-time.Hour)))
	at := func(n int) string { return seen.Add(time.Duration(n) * time.Minute).Format(time.RFC3339) }
	b.session(".claude/projects/-repo/"+claudeID+".jsonl",
		claudeLine(repo, fmt.Sprintf(`"type":"user","uuid":"u0","parentUuid":null,"timestamp":%q,"message":{"role":"user","content":"Fix the cart"}`, at(0))),
		claudeLine(repo, fmt.Sprintf(`"type":"assistant","uuid":"a1","parentUuid":"u0","timestamp":%q,"message":{"id":"msg_1","role":"assistant","model":"claude-x","content":[{"type":"tool_use","id":"toolu_1","name":"Read","input":{"file_path":%q}}]}`, at(1), repo+"/cart.go")),
		claudeLine(repo, fmt.Sprintf(`"type":"user","uuid":"u1","parentUuid":"a1","timestamp":%q,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"1\tpackage cart\n"}]}`, at(2))))
	b.write(".config/ctxfs/config.toml", "[workspaces]\ndirs = [\"~/repo\"]\n")
	b.mount()
	b.sh("ctxfs trust repo; ctxfs remember 'Zebras are striped' --user || ctxfs remember 'Zebras are striped'")
	b.shows("memory/SUMMARY.md", "Zebras are striped")
	b.shows("workspaces/repo/HERE.md", "# repo")
	b.shows("workspaces/repo/HERE.md", "Sessions")

	input := func(event, more string) string {
		return `{"session_id":"` + claudeID + `","cwd":"` + repo + `","hook_event_name":"` + event + `"` + more + `}`
	}
	start := func(source string) string {
		return contextOf(t, b.hook("claude-code", "SessionStart", input("SessionStart", `,"source":"`+source+`"`)))
	}
	prompt := func() string {
		return contextOf(t, b.hook("claude-code", "UserPromptSubmit", input("UserPromptSubmit", `,"prompt":"go on"`)))
	}
	text := start("startup")
	fstest.Contains(t, text, "From ctxfs", "no instructions of the user", b.mnt("workspaces/repo/HERE.md"), "# repo")
	if strings.Count(text, "Zebras are striped") != 1 {
		t.Errorf("what is remembered is told %d times:\n%s", strings.Count(text, "Zebras are striped"), text)
	}
	fstest.ContainsNot(t, start("resume"), "Zebras")
	fstest.Equal(t, prompt(), "", "where nothing has happened")

	b.write("repo/cart.go", "package cart // by somebody else\n")
	b.sh("cd repo && ctxfs note 'The zebra test is flaky'")
	b.sh("cd repo && (ctxfs run -- sh -c 'echo no zebra; exit 3' || true)")
	b.shows("terminals/INDEX.md", "no zebra")
	all := prompt()
	fstest.Contains(t, all, "`cart.go` changed", "and not by it", claudeID+".diff", `"The zebra test is flaky"`, "exit 3", "/terminals/1/commands/1.txt")
	fstest.Equal(t, prompt(), "", "the same is told again")

	text = start("compact")
	fstest.Contains(t, text, "# repo", "Full history of this session", b.mnt("transcripts/by-id", claudeID, "transcript.md"))
	fstest.Contains(t, b.sh("cat "+b.mnt("transcripts/by-id", claudeID, "transcript.md")), "Fix the cart")
	r := b.hook("claude-code", "PreCompact", input("PreCompact", `,"trigger":"auto","custom_instructions":null`))
	if !strings.HasPrefix(r.out, "End the summary with this line, word for word:\nFull history of this session") {
		t.Errorf("before a compaction: %v", r)
	}

	// What each has cost is counted, and survives a kill.
	b.ok("unmount", "--all")
	fstest.Contains(t, b.ok("hook", "--log"), "start", "memory", "changes", "notes", "terminals", "history", "TOKENS", claudeID)
}

// TestHooksOfServers: that a server waits for an answer or wants a login is told with the
// next message, once, also after a restart of the process; what is switched off is not.
func TestHooksOfServers(t *testing.T) {
	t.Parallel()
	b := askers(t)
	b.write("repo/.git/HEAD", "ref: refs/heads/main\n")
	s := oauthtest.New(t)
	b.servers["guarded"] = map[string]any{"url": s.URL}
	b.configure()
	b.mount()
	b.server("guarded", "needs-auth")
	prompt := func(session string) string {
		return contextOf(t, b.hook("claude-code", "UserPromptSubmit", fmt.Sprintf(`{"session_id":%q,"cwd":"%s/repo","hook_event_name":"UserPromptSubmit","prompt":"go on"}`, session, b.home)))
	}
	const login = "The MCP server guarded wants a login, which only the user can give: "
	first := prompt("s1")
	fstest.Contains(t, first, login, "ctxfs auth guarded")
	id, _ := b.asked(loginForm)
	second := prompt("s1")
	fstest.Contains(t, second, "An MCP server waits: question "+id, "ctxfs answer "+id)
	fstest.ContainsNot(t, second, login)
	// On a loaded machine the page to begin with may be made only now.
	fstest.ContainsNot(t, prompt("s1"), login, id)
	fstest.Contains(t, prompt("s2"), login, id)
	b.ok("unmount", "--all")
	b.mount()
	b.server("guarded", "needs-auth")
	fstest.ContainsNot(t, prompt("s1"), login, id)
	b.ok("unmount", "--all")
	b.write(".config/ctxfs/config.toml", "[hooks]\noff = [\"servers\"]\n")
	b.mount()
	b.server("guarded", "needs-auth")
	fstest.ContainsNot(t, prompt("s3"), login)
}

// TestHooksOfTasks: what is open on a session's list is told after hours of silence, once.
func TestHooksOfTasks(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	shop := filepath.Join(b.home, "src/shop")
	b.write("src/shop/.git/HEAD", "ref: refs/heads/main\n")
	const id = "0a000000-0000-4000-8000-000000000001"
	begun := time.Now().Add(-6 * time.Hour).UTC()
	b.write(".claude/projects/-src-shop/"+id+".jsonl", todoSession(id, shop, begun, "completed write the cart", "in_progress test the cart", "pending ship the cart"))
	ledger := filepath.Join(b.state, "ctxfs", "hooks", "told.jsonl")
	must(t, os.MkdirAll(filepath.Dir(ledger), 0o700))
	must(t, os.WriteFile(ledger, fmt.Appendf(nil, "{\"format\":1}\n{\"at\":%q,\"session\":\"claude-code/%s\",\"moment\":\"prompt\",\"started\":true,\"turn\":%[1]q}\n", begun.Format(time.RFC3339), id), 0o600))
	b.mount()
	prompt := func() string {
		return contextOf(t, b.hook("claude-code", "UserPromptSubmit", fmt.Sprintf(`{"session_id":%q,"cwd":%q,"hook_event_name":"UserPromptSubmit","prompt":"go on"}`, id, shop)))
	}
	b.settles("the tasks", func() bool { return strings.Contains(b.ok("plans"), "ship the cart") })
	text := prompt()
	fstest.Contains(t, text, "Open on this session's own list, silent since "+begun.Format("2006-01-02 15:04"), "test the cart", "ship the cart")
	fstest.ContainsNot(t, text, "write the cart")
	fstest.Equal(t, prompt(), "", "again")
}
