package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// TestSetupShell: one line is written and taken out again; the rest of the file, its mode
// and a link to it stay as they are.
func TestSetupShell(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	rc, real := filepath.Join(b.home, ".bashrc"), filepath.Join(b.home, "dotfiles")
	const text = "# mine\nalias l='ls -l'\nno line feed at the end"
	b.writeMode("dotfiles", text, 0o640)
	read := func(path string) string {
		t.Helper()
		text, err := os.ReadFile(path)
		must(t, err)
		return string(text)
	}
	must(t, os.Symlink("dotfiles", rc))
	b.env = append(b.env, "SHELL=/usr/bin/bash")

	fstest.Contains(t, b.ok("setup", "shell", "--dry-run"), "change ~/.bashrc", "(a link to ~/dotfiles)", "+if [[ $- == *i*")
	fstest.Equal(t, read(real), text, "--dry-run has written")
	fstest.Contains(t, b.ok("setup", "shell"), "changed ~/.bashrc", "undo: ctxfs setup --undo shell")
	with := read(real)
	if !strings.HasPrefix(with, "if [[ $- == *i*") || !strings.HasSuffix(with, "\n"+text) {
		t.Errorf("%q", with)
	}
	fstest.Contains(t, b.ok("setup", "shell", "--shell", "bash"), "nothing to change")
	fstest.Equal(t, read(real), with, "written twice")
	b.ok("setup", "shell", "--shell", "fish")
	if got := read(filepath.Join(b.home, ".config/fish/config.fish")); !strings.HasPrefix(got, "if status is-interactive;") {
		t.Errorf("%q", got)
	}
	zshrc := filepath.Join(b.home, ".zshrc")
	b.ok("setup", "shell", "--shell", "zsh")
	if got := read(zshrc); !strings.HasPrefix(got, "if [[ -o interactive ") {
		t.Errorf("%q", got)
	}
	must(t, os.WriteFile(zshrc, []byte(read(zshrc)+"alias l=ls\n"), 0o600))

	b.ok("setup", "--undo", "shell", "--shell", "bash")
	fstest.Equal(t, read(real), text)
	if target, err := os.Readlink(rc); err != nil || target != "dotfiles" {
		t.Errorf("the link is now %q, %v", target, err)
	}
	if info, err := os.Stat(real); err != nil || info.Mode() != 0o640 {
		t.Errorf("the mode is now %v, %v", info.Mode(), err)
	}
	b.ok("setup", "--undo", "shell")
	if _, err := os.Lstat(filepath.Join(b.home, ".config/fish")); !os.IsNotExist(err) {
		t.Errorf("the folder of fish is left: %v", err)
	}
	fstest.Equal(t, read(zshrc), "alias l=ls\n")
	fstest.Contains(t, b.ok("setup", "--undo", "shell"), "nothing to undo")

	b.refused(exitUsage, []string{`bash, zsh or fish, not "nu"`}, "setup", "shell", "--shell", "nu")
	for name, meant := range map[string]string{"gemini-cli": "gemini", "copilot-cli": "copilot", "claude": "claude-code", "claude-code,codex": "claude-code codex"} {
		b.refused(exitUsage, []string{"did you mean: ctxfs setup " + meant + "\n"}, "setup", name)
	}
	b.refused(exitUsage, []string{`cannot set up "shel"`, "did you mean: ctxfs setup shell"}, "setup", "shel")
	b.env = append(b.env, "SHELL=/usr/bin/nu")
	b.refused(exitFailed, []string{"$SHELL", "ctxfs setup shell --shell bash"}, "setup", "shell")
	must(t, os.Remove(rc))
	must(t, os.Symlink("/none/such", rc))
	b.refused(exitFailed, []string{"it is a link to /none/such, which does not exist"}, "setup", "shell", "--shell", "bash")
}

// TestRecordable: what the line in a shell's file asks before it gives the shell
// up.
func TestRecordable(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	need(t, "script")
	check := func(env string) int {
		return b.do("script", "-qec", "env TERM=xterm "+env+" ctxfs setup shell --check", "/dev/null").code
	}
	for _, env := range []string{"A=1", "CODEX_HOME=/x"} {
		fstest.Equal(t, check(env), exitOK, "in a terminal with", env)
	}
	for _, env := range []string{
		"CTXFS_TERMINAL=1", "TERM=dumb", "TERM=", "CLAUDECODE=1", "CODEX_SANDBOX=seatbelt", "CURSOR_AGENT=1", "GEMINI_CLI=1",
		"VSCODE_RESOLVING_ENVIRONMENT=1", "SSH_ORIGINAL_COMMAND=rsync", "XDG_STATE_HOME=/proc/none",
	} {
		fstest.Equal(t, check(env), exitFailed, env)
	}
	if r := b.run("setup", "shell", "--check"); r.code != exitFailed || r.out+r.err != "" {
		t.Errorf("without a terminal: exit %d, %v", r.code, r)
	}
	if files, err := filepath.Glob(filepath.Join(b.state, "ctxfs", "terminals", "*")); err != nil || len(files) > 0 {
		t.Errorf("left: %v, %v", files, err)
	}
}
