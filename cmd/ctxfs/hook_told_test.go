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
	fstest.Eventually(t, "the page", func() bool { return strings.Contains(b.read("workspaces/repo/HERE.md"), "Sessions") })

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
	if text := start("resume"); strings.Contains(text, "Zebras") {
		t.Errorf("the same is told again: %s", text)
	}
	if text := prompt(); text != "" {
		t.Errorf("where nothing has happened: %s", text)
	}

	b.write("repo/cart.go", "package cart // by somebody else\n")
	b.sh("cd repo && ctxfs note 'The zebra test is flaky'")
	b.sh("cd repo && (ctxfs run -- sh -c 'echo no zebra; exit 3' || true)")
	b.shows("terminals/INDEX.md", "no zebra")
	all := prompt()
	fstest.Contains(t, all, "`cart.go` changed", "and not by it", claudeID+".diff", `"The zebra test is flaky"`, "exit 3", "/terminals/1/commands/1.txt")
	if text := prompt(); text != "" {
		t.Errorf("the same is told again: %s", text)
	}

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
