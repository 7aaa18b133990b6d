package main

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ctxfs/providers/terminals/record"
)

// TestTermInMount: a terminal is in the mount, and goes on without it.
func TestTermInMount(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.mount()
	w := b.terminal("--name", "api")
	w.types("echo be''fore; (exit 4)\r")
	b.shows("terminals/api.txt", "\nbefore\n", "last_exit_code: 4")
	b.shows("terminals/api/failed.txt", "before\n")
	b.shows("terminals/INDEX.md", "api")
	signalTo(t, b.pid(), syscall.SIGKILL)
	w.types("echo mean''while\r")
	w.sees("meanwhile\r\n")
	b.mount()
	b.shows("terminals/api.txt", "\nbefore\n", "\nmeanwhile\n", "last_exit_code: 0")
	if r := b.run("run", "--name", "job", "--", "sh", "-c", "echo out; exit 3"); r.code != 3 {
		t.Errorf("run: %v", r)
	}
	b.shows("terminals/job.txt", "out\n", "last_exit_code: 3")
	b.shows("terminals/job/last.txt", "out\n")
	w.types("exit\r")
	w.wait()
	b.becomes("api", record.Ended)
	b.shows("terminals/api.txt", "meanwhile\n")
}

// TestTermTmuxOpened has the panes of tmux recorded by a command.
func TestTermTmuxOpened(t *testing.T) {
	t.Parallel()
	need(t, "tmux")
	b := newBox(t)
	b.env = append(b.env, "TMUX_TMPDIR="+b.dir)
	b.mount()
	b.refused(exitFailed, []string{"there is no pane of tmux to record", "tmux new-session"}, "term", "--tmux")
	b.refused(exitUsage, []string{"--tmux opens no terminal; give it alone"}, "term", "--tmux", "--name", "x")
	b.sh(`tmux -L a -f /dev/null new-session -d -s main -x 80 -y 24 "PS1='$ ' sh"`)
	t.Cleanup(func() { b.shell("tmux -L a kill-server") })
	if got := b.ok("term", "--tmux"); !strings.Contains(got, "recording %0 as main-0-0\n") {
		t.Errorf("%s", got)
	}
	b.sh(`tmux -L a send-keys -t main "echo li''ve" Enter`)
	b.shows("terminals/main-0-0.txt", "\nlive\n")
	b.refused(exitFailed, []string{"main-0-0 is recorded by ctxfs from tmux: only what ctxfs term has opened can be attached to"}, "attach", "main-0-0")
	if e := b.ps("main-0-0"); e.Source != record.Tmux || e.File != filepath.Join(b.state, "ctxfs/terminals/main-0-0/part-0001.txt") {
		t.Errorf("ps: %+v", e)
	}
}
