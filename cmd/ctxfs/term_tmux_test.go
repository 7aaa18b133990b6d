package main

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// TestTmuxInMount has the panes of a tmux server recorded as the configuration
// says, ends it and begins it again.
func TestTmuxInMount(t *testing.T) {
	t.Parallel()
	need(t, "tmux")
	b := newBox(t)
	b.env = append(b.env, "TMUX_TMPDIR="+b.dir)
	tmux := func(args string) string { return b.sh("tmux -L a -f /dev/null " + args) }
	tmux("new-session -d -s main -x 80 -y 24 \"PS1='$ ' sh\"")
	t.Cleanup(func() { b.shell("tmux -L a kill-server") })
	const config = ".config/ctxfs/config.toml"
	b.write(config, "[terminals]\ntmux = true\n")
	b.mount()
	b.comes("terminals/INDEX.md", "main-0-0")
	tmux("send-keys -t main \"echo li''ve\" Enter")
	b.logs("main-0-0", "\nlive\n")
	b.shows("terminals/main-0-0.txt", "\nlive\n")
	b.shows("STATUS.md", "main-0-0")
	if got := tmux("list-clients -F '#{client_flags}'"); !strings.Contains(got, "read-only") || strings.Count(got, "\n") != 1 {
		t.Errorf("clients: %s", got)
	}
	b.write(config, "[terminals]\ntmux = false\n")
	if !fstest.Becomes(func() bool { return tmux("list-clients") == "" }) {
		t.Error("it goes on though it is switched off")
	}
	tmux("send-keys -t main \"echo mea''nwhile\" Enter")
	b.write(config, "[terminals]\ntmux = true\n")
	b.comes("terminals/main-0-0.txt", "meanwhile\n")
	if ids, _ := filepath.Glob(filepath.Join(b.mnt("terminals"), "main*.txt")); len(ids) != 2 { // and the one before
		t.Errorf("terminals: %q", ids)
	}
	b.ok("unmount")
	if !fstest.Becomes(func() bool { return tmux("list-clients") == "" }) {
		t.Error("its client is left")
	}
}

// TestTmuxKilled kills the background process: what was recorded stays, tmux
// notices nothing, and the next one goes on.
func TestTmuxKilled(t *testing.T) {
	t.Parallel()
	need(t, "tmux")
	b := realBox(t)
	b.env = append(b.env, "TMUX_TMPDIR="+b.dir)
	tmux := func(args string) string { return b.sh("tmux -L a -f /dev/null " + args) }
	tmux("new-session -d -s main -x 80 -y 24 \"PS1='$ ' sh\"")
	t.Cleanup(func() { b.shell("tmux -L a kill-server") })
	b.write(".config/ctxfs/config.toml", "[terminals]\ntmux = true\n")
	b.mount()
	b.comes("terminals/INDEX.md", "main-0-0")
	tmux("send-keys -t main \"echo be''fore\" Enter")
	b.logs("main-0-0", "\nbefore\n")
	b.shows("terminals/main-0-0.txt", "\nbefore\n")
	b.sh("kill -9 " + strconv.Itoa(b.pid()))
	if !fstest.Becomes(func() bool { return tmux("list-clients") == "" }) {
		t.Error("its client lives on")
	}
	b.mount()
	tmux("send-keys -t main \"echo af''ter\" Enter")
	b.comes("terminals/main-0-0.txt", "after\n")
	log := b.sh("cat " + b.mnt("terminals", "main-0-0.txt"))
	if strings.Count(log, "\nbefore\n") != 1 || strings.Count(log, "\nafter\n") != 1 {
		t.Errorf("log:\n%s", log)
	}
}
