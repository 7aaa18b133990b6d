package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ctxfs/fs/fstest"
)

// TestSetupAsked: at a terminal it shows coloured differences and asks, for all or for each
// agent.
func TestSetupAsked(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	need(t, "script")
	b.world()
	was := snapshot(t, b.home)
	at := func(keys, command string) string {
		t.Helper()
		return b.sh("printf '" + keys + "' | script -qec 'env TERM=xterm " + command + "' /dev/null")
	}
	out := at(`n\n`, "ctxfs setup")
	fstest.Contains(t, out, "\x1b[32m+", "[y/N/a]", "nothing was written")
	sameFiles(t, "no", was, snapshot(t, b.home))
	if out := at(`n\n`, "NO_COLOR=1 ctxfs setup codex"); strings.Contains(out, "\x1b[3") || !strings.Contains(out, "[y/N]") {
		t.Errorf("%q", out)
	}
	at(`a\nn\ny\nn\nn\nn\n`, "ctxfs setup claude-code codex")
	if got := snapshot(t, filepath.Join(b.home, ".claude")); len(got) != 2 {
		t.Errorf("Claude Code was refused: %v", got)
	}
	if _, err := os.Stat(filepath.Join(b.home, ".codex/AGENTS.md")); err != nil {
		t.Error(err)
	}
	at(`y\n`, "ctxfs setup --undo")
	sameFiles(t, "--undo", was, snapshot(t, b.home))
}

// TestSetupMeanwhile: what somebody has written while the question was open is shown with
// the change, and asked about again; it is never overwritten.
func TestSetupMeanwhile(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.world()
	settings := filepath.Join(b.home, ".claude/settings.json")
	w := b.open("setup", "claude-code")
	w.sees("[y/N]")
	must(t, os.WriteFile(settings, []byte("{\n  \"theirs\": 1\n}\n"), 0o600))
	w.types("y\r")
	w.sees("a file was changed in the meantime")
	w.sees("\"theirs\": 1,")
	w.sees("write it? [y/N] ")
	w.types("y\r")
	fstest.Equal(t, w.wait(), exitOK)
	if text, err := os.ReadFile(settings); err != nil || !containsAll(string(text), []string{"\"theirs\": 1,", "hook claude-code"}) {
		t.Errorf("%s %v", text, err)
	}
	b.ok("setup", "--undo")
	if text, err := os.ReadFile(settings); err != nil || string(text) != "{\n  \"theirs\": 1\n}\n" {
		t.Errorf("%s %v", text, err)
	}
}

// TestSetupService: the unit is written, switched on and off by systemctl, and goes again.
func TestSetupService(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	log := filepath.Join(b.dir, "systemctl.log")
	b.write("bin/systemctl", "#!/bin/sh\necho \"$@\" >> "+log+`
case $2 in
enable) [ ! -e `+log+`.broken ] && touch `+log+`.enabled ;;
disable) rm `+log+`.enabled ;;
is-enabled) [ -e `+log+`.enabled ] ;;
esac
`)
	must(t, os.Chmod(filepath.Join(b.home, "bin/systemctl"), 0o755))
	was := snapshot(t, b.home)
	b.setenv("PATH", filepath.Join(b.home, "bin")+":"+filepath.Dir(b.program())+":"+os.Getenv("PATH"))
	// A unit of somebody's is not switched on.
	b.write(".config/systemd/user/ctxfs.service", "[Unit]\n")
	if r := b.run("setup", "service"); r.code == 0 || !strings.Contains(r.err+r.out, "stays as it is") {
		t.Errorf("somebody's unit: %v", r)
	}
	if calls, err := os.ReadFile(log); err == nil {
		t.Errorf("somebody's unit: %s", calls)
	}
	must(t, os.RemoveAll(filepath.Join(b.home, ".config")))
	must(t, os.WriteFile(log+".broken", nil, 0o600))
	b.refused(exitFailed, []string{"the unit is there, but systemctl --user enable"}, "setup", "service")
	must(t, os.Remove(log+".broken"))
	b.ok("setup", "service") // finishes what the first time could not
	b.ok("setup", "service")
	unit, err := os.ReadFile(filepath.Join(b.home, ".config/systemd/user/ctxfs.service"))
	if err != nil || !containsAll(string(unit), []string{"ExecStart=\"" + b.program() + "\" mount\n", "Environment=\"PATH=" + b.home + "/bin:"}) {
		t.Errorf("%s %v", unit, err)
	}
	b.ok("setup", "--undo", "service")
	if calls, err := os.ReadFile(log); err != nil || string(calls) != "--user daemon-reload\n--user enable --now ctxfs.service\n"+
		"--user daemon-reload\n--user enable --now ctxfs.service\n--user daemon-reload\n--user enable --now ctxfs.service\n--user disable --now ctxfs.service\n--user daemon-reload\n" {
		t.Errorf("%s %v", calls, err)
	}
	sameFiles(t, "--undo", was, snapshot(t, b.home))
	b.setenv("PATH", filepath.Dir(b.program()))
	r := b.run("setup", "service").exits(t, exitFailed)
	fstest.Contains(t, r.err, "no systemd here", "then: ctxfs setup service")
	fstest.ContainsNot(t, r.out, "nothing to change")
}

// TestSetupKilled: whenever the real program is killed while it sets up, undoing restores every byte, and doing it again
// finishes it.
func TestSetupKilled(t *testing.T) {
	t.Parallel()
	b := realBox(t)
	b.world()
	was := snapshot(t, b.home)
	b.ok("setup", "--yes")
	with := snapshot(t, b.home)
	b.ok("setup", "--undo")
	journal := filepath.Join(b.state, "ctxfs", "setup.json")
	for range 6 {
		cmd := b.command(t.Context(), b.program(), "setup", "--yes")
		must(t, cmd.Start())
		b.ok("wait", "file", journal) // it has begun: it is somewhere between its first file and its last, or at its end
		_ = cmd.Process.Signal(syscall.SIGKILL)
		_ = cmd.Wait()
		b.ok("setup", "--undo")
		sameFiles(t, "killed and undone", was, snapshot(t, b.home))
	}
	b.ok("setup", "--yes")
	sameFiles(t, "done again", with, snapshot(t, b.home))
}

// TestSetupDiskFull has the real program in a mount namespace: on a full disk, and where the journal cannot be written, each file stays
// as it was, and the others are written.
func TestSetupDiskFull(t *testing.T) {
	t.Parallel()
	need(t, "unshare")
	if os.Getuid() != 0 {
		t.Skip("only root can make a small file system")
	}
	b := realBox(t)
	b.write(".codex/config.toml", "model = \"o3\"\n")
	b.write("script", `
set -e
fill() { mkdir -p "$1"; mount -t tmpfs -o size=64k full "$1"; echo '{"mine": 1}' > "$1/settings.json"; cat /dev/zero > "$1/zero" 2>/dev/null || :; }
fill ~/.claude
ctxfs setup claude-code codex || echo "setup: $?"
cat ~/.claude/settings.json; ls -A ~/.claude
ctxfs setup --undo
fill "$XDG_STATE_HOME"
ctxfs setup codex || echo "setup: $?"
ls -A ~/.codex
`)
	r := b.do("timeout", "100", "unshare", "-m", "bash", "-c", "cd ~ && . ./script")
	if r.code != 0 || !containsAll(r.out, []string{"made ~/.codex/AGENTS.md", "setup: 1\n{\"mine\": 1}\nsettings.json\nzero\n", "removed ~/.codex/AGENTS.md", "setup: 1\nconfig.toml\n"}) ||
		!containsAll(r.err, []string{"~/.claude/CLAUDE.md stays as it is: ", "no space left on device"}) {
		t.Errorf("exit %d\n%v", r.code, r)
	}
}
