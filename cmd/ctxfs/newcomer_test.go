package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

// TestNewcomer is the first hour of somebody new, in a home without any of the variables
// that move folders: ctxfs is installed there, set up for two agents, mounted, used in each
// way, updated, undone and uninstalled; and then nothing is left of it.
func TestNewcomer(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b = b.with("XDG_STATE_HOME", "", "XDG_CACHE_HOME", "", "XDG_CONFIG_HOME", "")
	b.stub("zoo", "", nil)
	b.write(".claude/settings.json", "{ // mine\n  \"model\": \"opus\",\n}\n")
	b.write("repo/.git/HEAD", "ref: refs/heads/main\n")
	b.write("repo/cart.go", "package cart\n")
	b.write(".local/bin/other", "mine")
	b.session(".claude/projects/-repo/"+claudeID+".jsonl", claudeLine(filepath.Join(b.home, "repo"),
		fmt.Sprintf(`"type":"user","uuid":"u0","parentUuid":null,"timestamp":%q,"message":{"role":"user","content":"Fix the cart"}`, time.Now().UTC().Format(time.RFC3339))))
	newer := buildVersion(t, "9.9.8")
	was := snapshot(t, b.dir)

	program := filepath.Join(b.home, ".local/bin/ctxfs")
	b.setenv("PATH", filepath.Dir(program)+":"+os.Getenv("PATH"))
	b.sh("cp " + binary() + " " + program)
	if out := b.sh("ctxfs setup claude-code cursor && ctxfs mount"); !containsAll(out, []string{
		"changed ~/.claude/settings.json", "made ~/.claude/CLAUDE.md", "undo: ctxfs setup --undo claude-code cursor", "mounted on ~/.agentctx"}) {
		t.Errorf("%s", out)
	}
	b.ready("zoo")
	fstest.Eventually(t, "what is looked for is found", func() bool {
		return containsAll(b.shell("ctxfs find greet").out, []string{"zoo", "greet"})
	})
	b.sh("ctxfs call zoo greet && ctxfs run -- echo seen")
	fstest.Eventually(t, "the recording", func() bool {
		return containsAll(b.shell("cd .agentctx/terminals && grep -rh seen .").out, []string{"seen"})
	})
	fstest.Eventually(t, "the transcript", func() bool {
		return containsAll(b.shell("cat .agentctx/transcripts/claude-code/*/*/transcript.md .agentctx/transcripts/*/*/transcript.md").out, []string{"Fix the cart"})
	})
	b.write("hook.json", `{"session_id":"`+claudeID+`","hook_event_name":"SessionStart","source":"startup","cwd":"`+b.home+`/repo"}`)
	hook := b.sh(`cd repo && sh -c "$(grep -o '"[^"]* hook claude-code SessionStart' ~/.claude/settings.json | tr -d '"')" < ~/hook.json`)
	if !containsAll(hook, []string{"additionalContext"}) {
		t.Errorf("the hook of the file says: %s", hook)
	}
	b.sh("rm ~/hook.json")
	b.sh("cp " + newer + " " + program + ".new && mv " + program + ".new " + program)
	if out := b.sh("ctxfs mount && cat .agentctx/AGENTS.md && ctxfs --version"); !containsAll(out, []string{"replaced process", "9.9.8", "mcps/"}) {
		t.Errorf("%s", out)
	}
	b.sh("ctxfs setup --undo")
	for _, name := range []string{"h/.claude/settings.json", "h/.cursor/mcp.json"} {
		if is := snapshot(t, b.dir)["/"+name]; is != was["/"+name] {
			t.Errorf("%s is %q", name, is)
		}
	}
	b.sh("ctxfs uninstall --yes")
	sameFiles(t, "uninstalled", was, snapshot(t, b.dir))
}
