package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// TestUninstall: after setting up, mounting and working, nothing is left of it in the home
// folder, not even the program, which is the real one.
func TestUninstall(t *testing.T) {
	t.Parallel()
	b := realBox(t)
	b = b.with("XDG_STATE_HOME", "", "XDG_CACHE_HOME", "", "XDG_CONFIG_HOME", "")
	b.world()
	b.write(".local/bin/other", "mine")
	was := snapshot(t, b.home)
	program := filepath.Join(b.home, ".local/bin/ctxfs")
	binaryText, err := os.ReadFile(binary())
	must(t, err)
	must(t, fstest.WriteProgram(program, binaryText, 0o755))
	b.setenv("PATH", filepath.Dir(program)+":"+os.Getenv("PATH"))
	b.sh(`set -e
		ctxfs setup --yes
		ctxfs setup shell --shell bash
		ctxfs mount
		cat ~/.agentctx/AGENTS.md
		ctxfs remember 'The sky is blue here.'
		ctxfs run -- echo hello
		ctxfs find sky`)
	fstest.Contains(t, b.shell("ctxfs uninstall").exits(t, exitUsage).out, "restore ~/.claude/settings.json", "remove ~/.local/state/ctxfs", "remove ~/.local/bin/ctxfs")
	out := b.sh("ctxfs uninstall --yes")
	fstest.Contains(t, out, "unmounted ~/.agentctx", "removed ~/.local/share/ctxfs", "removed ~/.local/bin/ctxfs")
	b.gone()
	b.sh("rm -rf .npm") // of a server that was being started
	sameFiles(t, "uninstall", was, snapshot(t, b.home))
}

// TestUninstallKeeps: with --keep-data what the user has made stays, and so does everything
// where a file cannot be restored.
func TestUninstallKeeps(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.write(".codex/config.toml", "model = \"o3\"\n")
	b.ok("setup", "codex")
	b.ok("remember", "The sky is blue here.")
	agents := filepath.Join(b.home, ".codex/AGENTS.md")
	text, err := os.ReadFile(agents)
	must(t, err)
	must(t, os.WriteFile(agents, []byte(strings.Replace(string(text), "<!-- ctxfs: end -->", "mine", 1)), 0o600))
	b.refused(exitFailed, []string{"~/.codex/AGENTS.md", "has no line", "run ctxfs uninstall again"}, "uninstall", "--yes")
	must(t, os.WriteFile(agents, text, 0o600))
	b.ok("uninstall", "--keep-data", "--yes")
	if _, err := os.Stat(agents); !os.IsNotExist(err) {
		t.Errorf("AGENTS.md is left: %v", err)
	}
	if found, err := filepath.Glob(filepath.Join(b.home, ".local/share/ctxfs/memory/user/*.md")); err != nil || len(found) == 0 {
		t.Errorf("the memory is gone: %v %v", found, err)
	}
}
