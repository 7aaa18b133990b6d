package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// TestSetupServers moves an agent's servers into ctxfs's configuration and back: they are
// the same servers in the tree meanwhile, and what is saved is said.
func TestSetupServers(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	const secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyz"
	zoo := stubEntry("", map[string]string{"GITHUB_TOKEN": secret, "FRIEND": "otter otter", "PLACE": "${env:HOME}"})
	text := "// mine\n" + strings.Replace(asJSON(map[string]any{"mcpServers": map[string]any{
		"zoo": zoo, "ctxfs": map[string]any{"command": "ctxfs", "args": []string{"serve"}}, "lost": map[string]any{"command": "${env:NOT_SET}"},
	}}), `"zoo"`, `/* animals */ "zoo"`, 1)
	b.write(".cursor/mcp.json", text)
	agents, own := filepath.Join(b.home, ".cursor/mcp.json"), filepath.Join(b.home, ".config/ctxfs/servers.json")

	b.mount()
	b.ready("zoo")
	tools := b.sh("cd .agentctx/mcps/zoo && cat tools/*")
	if out := b.ok("setup", "cursor", "--servers", "--dry-run"); strings.Contains(out, secret) || strings.Contains(out, "otter") ||
		!containsAll(out, []string{"make ~/.config/ctxfs/servers.json", "change ~/.cursor/mcp.json", "would move 1 server of Cursor: zoo; that saves ", " tokens in each of its requests"}) {
		t.Errorf("--dry-run: %s", out)
	}
	if readFile(t, agents) != text {
		t.Error("--dry-run has written")
	}
	r := b.run("setup", "cursor", "--servers")
	if r.code != 0 || strings.Contains(r.out+r.err, secret) || !containsAll(r.out, []string{"moved 1 server of Cursor: zoo; that saves "}) || !strings.Contains(r.err, `"lost" stays in `) {
		t.Errorf("%v", r)
	}
	if now := readFile(t, agents); strings.Contains(now, "zoo") || !containsAll(now, []string{"// mine", `"serve"`, "lost"}) {
		t.Errorf("%s", now)
	}
	if info, err := os.Stat(own); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	fstest.Eventually(t, "it is told where the entry is", func() bool {
		return strings.Contains(b.ok("config", "--json"), `servers.json`)
	})
	if got := b.sh("cd .agentctx/mcps/zoo && cat tools/*"); got != tools {
		t.Errorf("tools: %s", got)
	}
	if out := b.ok("call", "zoo", "greet", "--who=all"); !strings.Contains(out, "all") {
		t.Errorf("call: %s", out)
	}
	moved := readFile(t, own)
	if out := b.ok("setup", "cursor", "--servers"); !strings.Contains(out, "all is as it should be") || readFile(t, own) != moved {
		t.Errorf("twice: %s", out)
	}
	b.ok("setup", "cursor") // without --servers they stay moved
	if readFile(t, own) != moved {
		t.Error("moved back")
	}
	if out := b.ok("setup", "--undo", "--servers", "cursor"); !containsAll(out, []string{"changed ~/.cursor/mcp.json", "removed ~/.config/ctxfs/servers.json"}) {
		t.Errorf("%s", out)
	}
	if now := readFile(t, agents); now != text {
		t.Errorf("%s", now)
	}
	b.ok("setup", "cursor", "--servers")
	if out := b.ok("setup", "--undo", "cursor", "--dry-run"); strings.Contains(out, "otter") || !strings.Contains(out, "GITHUB_TOKEN") {
		t.Errorf("--undo --dry-run: %s", out)
	}
	b.ok("setup", "--undo", "cursor")
	if now := readFile(t, agents); now != text {
		t.Errorf("%s", now)
	}
	fstest.Eventually(t, "it is the same server", func() bool { return b.shell("cd .agentctx/mcps/zoo && cat tools/*").out == tools })
	if out := b.ok("call", "zoo", "greet", "--who=all"); !strings.Contains(out, "all") {
		t.Errorf("call: %s", out)
	}
}

// TestSetupServersKeepsThem: where one of the two files cannot be written the servers stay
// where they are, and where a command was killed between the two they are shown once.
func TestSetupServersKeepsThem(t *testing.T) {
	t.Parallel()
	b := newUserBox(t)
	b.stub("zoo", "", nil)
	agents, own := filepath.Join(b.home, ".cursor/mcp.json"), filepath.Join(b.home, ".config/ctxfs/servers.json")
	text := readFile(t, agents)
	b.write(".config/ctxfs/config.toml", "")
	must(t, os.Chmod(filepath.Dir(own), 0o500))
	r := b.run("setup", "cursor", "--servers")
	must(t, os.Chmod(filepath.Dir(own), 0o700))
	if r.code != exitFailed || !strings.Contains(r.err, "its servers would be lost") || readFile(t, agents) != text {
		t.Errorf("%v", r)
	}
	must(t, os.Chmod(filepath.Dir(agents), 0o500))
	if r := b.run("setup", "cursor", "--servers"); r.code != exitFailed {
		t.Errorf("%v", r)
	}
	must(t, os.Chmod(filepath.Dir(agents), 0o700))
	if readFile(t, agents) != text {
		t.Error("a file in a read-only folder was changed")
	}
	var found struct {
		Entries []struct{ Name, State string }
	}
	must(t, json.Unmarshal([]byte(b.ok("config", "--json")), &found))
	n := 0
	for _, e := range found.Entries {
		if e.Name == "zoo" && e.State != "passed-over" {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d servers: %+v", n, found)
	}
	b.ok("setup", "cursor", "--servers")
	// Its servers cannot be put back: they stay in ctxfs's file.
	must(t, os.Chmod(filepath.Dir(agents), 0o500))
	if r := b.run("setup", "--undo", "cursor"); r.code != exitFailed || !strings.Contains(readFile(t, own), "zoo") {
		t.Errorf("%v", r)
	}
	must(t, os.Chmod(filepath.Dir(agents), 0o700))
	b.ok("setup", "--undo", "cursor")
	if readFile(t, agents) != text {
		t.Errorf("%s", readFile(t, agents))
	}
	// A damaged file of moved servers moves none back.
	b.ok("setup", "cursor", "--servers")
	moved := readFile(t, agents)
	b.write(".config/ctxfs/servers.json", "{")
	if r := b.run("setup", "cursor", "--servers"); r.code != exitFailed || !strings.Contains(r.err, "servers.json is not valid") || readFile(t, agents) != moved {
		t.Errorf("%v", r)
	}
}

// TestSetupUndoServers: with --servers nothing but the servers is undone.
func TestSetupUndoServers(t *testing.T) {
	t.Parallel()
	b := newUserBox(t)
	b.stub("zoo", "", nil)
	agents := filepath.Join(b.home, ".cursor/mcp.json")
	text := readFile(t, agents)
	b.ok("setup", "claude-code")
	memory := readFile(t, filepath.Join(b.home, ".claude/CLAUDE.md"))
	b.ok("setup", "cursor", "--servers")
	if r := b.run("setup", "--undo", "--servers", "shell"); r.code != exitUsage {
		t.Errorf("%v", r)
	}
	b.ok("setup", "--undo", "--servers")
	if readFile(t, agents) != text {
		t.Errorf("%s", readFile(t, agents))
	}
	if readFile(t, filepath.Join(b.home, ".claude/CLAUDE.md")) != memory {
		t.Error("the pointer is gone, too")
	}
}

// TestSetupServersWithoutJournal: where the journal was lost the servers are put back all the
// same, and what cannot be put back is not deleted.
func TestSetupServersWithoutJournal(t *testing.T) {
	t.Parallel()
	b := newUserBox(t)
	b.stub("zoo", "", nil)
	agents, own := filepath.Join(b.home, ".cursor/mcp.json"), filepath.Join(b.home, ".config/ctxfs/servers.json")
	b.ok("setup", "cursor", "--servers")
	must(t, os.Remove(filepath.Join(b.state, "ctxfs", "setup.json")))
	moved := readFile(t, agents)
	must(t, os.Remove(agents))
	if r := b.run("uninstall", "--yes"); r.code != exitFailed || !strings.Contains(readFile(t, own), "zoo") || !strings.Contains(r.err, ".cursor/mcp.json") {
		t.Errorf("%v", r)
	}
	b.write(".cursor/mcp.json", moved)
	b.ok("setup", "--undo")
	if !strings.Contains(readFile(t, agents), "zoo") || strings.Contains(readFile(t, own), "zoo") {
		t.Errorf("%s\n%s", readFile(t, agents), readFile(t, own))
	}
}
