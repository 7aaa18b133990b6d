package main

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/terminals/record"
)

// tmux starts a tmux server with a session. Left waits until a client of it has left, which
// must be the last one.
func (b *box) tmux() (do func(args string) string, left func()) {
	b.Helper()
	need(b.T, "tmux")
	b.setenv("TMUX_TMPDIR", b.dir)
	leaves := fstest.NewFIFO(b.T)
	do = func(args string) string { b.Helper(); return b.sh("tmux -L a -f /dev/null " + args) }
	do(`new-session -d -s main -x 80 -y 24 "PS1='$ ' sh" \; set-hook -g client-detached "run-shell 'echo left >` + leaves.Path + `'"`)
	b.Cleanup(func() { b.shell("tmux -L a set-hook -gu client-detached \\; kill-server") }) // nobody listens any more
	return do, func() {
		b.Helper()
		leaves.Line()
		if clients := do("list-clients"); clients != "" {
			b.Errorf("clients are left: %s", clients)
		}
	}
}

// TestTmuxInMount has the panes of a tmux server recorded as the configuration says. It ends
// that and begins it again, and kills the background process: what was recorded stays, tmux
// notices nothing, and the next one goes on.
func TestTmuxInMount(t *testing.T) {
	t.Parallel()
	b := realBox(t) // only a process can be killed with its client of tmux
	tmux, left := b.tmux()
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
	left()
	tmux("send-keys -t main \"echo mea''nwhile\" Enter")
	b.write(config, "[terminals]\ntmux = true\n")
	b.comes("terminals/main-0-0.txt", "meanwhile\n")
	if ids, _ := filepath.Glob(filepath.Join(b.mnt("terminals"), "main*.txt")); len(ids) != 2 { // and the one before
		t.Errorf("terminals: %q", ids)
	}
	signalTo(t, b.pid(), syscall.SIGKILL)
	left()
	b.mount()
	tmux("send-keys -t main \"echo af''ter\" Enter")
	b.comes("terminals/main-0-0.txt", "after\n")
	if log := b.read("terminals/main-0-0.txt"); strings.Count(log, "\nmeanwhile\n") != 1 || strings.Count(log, "\nafter\n") != 1 {
		t.Errorf("log:\n%s", log)
	}
	b.ok("unmount")
	left()
}

// TestTmuxOpened has the panes of tmux recorded by a command.
func TestTmuxOpened(t *testing.T) {
	t.Parallel()
	need(t, "tmux")
	b := newBox(t)
	b.setenv("TMUX_TMPDIR", b.dir)
	b.mount()
	b.refused(exitFailed, []string{"there is no tmux pane to record", "tmux new-session"}, "term", "--tmux")
	b.refused(exitUsage, []string{"--tmux opens no terminal; give it alone"}, "term", "--tmux", "--name", "x")
	tmux, _ := b.tmux()
	if got := b.ok("term", "--tmux"); !strings.Contains(got, "recording %0 as main-0-0\n") {
		t.Errorf("%s", got)
	}
	tmux("send-keys -t main \"echo li''ve\" Enter")
	b.logs("main-0-0", "\nlive\n")
	b.shows("terminals/main-0-0.txt", "\nlive\n")
	b.refused(exitFailed, []string{"main-0-0 is recorded by ctxfs from tmux: only what ctxfs term has opened, or ctxfs run --background, can be attached to"}, "attach", "main-0-0")
	if e := b.ps("main-0-0"); e.Source != record.Tmux || e.File != filepath.Join(b.state, "ctxfs/terminals/main-0-0/part-0001.txt") {
		t.Errorf("ps: %+v", e)
	}
}
