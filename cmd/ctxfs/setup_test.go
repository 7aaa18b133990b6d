package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSetupShell: one line is written and taken out again; the rest of the file,
// its mode and a link to it stay as they are.
func TestSetupShell(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	rc, real := filepath.Join(b.home, ".bashrc"), filepath.Join(b.home, "dotfiles")
	const text = "# mine\nalias l='ls -l'\nno line feed at the end"
	b.writeMode("dotfiles", text, 0o640)
	read := func(path string) string {
		t.Helper()
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if err := os.Symlink("dotfiles", rc); err != nil {
		t.Fatal(err)
	}
	b.env = append(b.env, "SHELL=/usr/bin/bash")

	line := b.ok("setup", "shell", "--print")
	if got := read(real); got != text {
		t.Errorf("--print has written: %q", got)
	}
	out := b.ok("setup", "shell")
	if !containsAll(out, []string{"~/.bashrc", strings.TrimSpace(line), "undo: ctxfs setup shell --shell bash --remove"}) {
		t.Errorf("%s", out)
	}
	if got := read(real); got != line+text {
		t.Errorf("%q", got)
	}
	if out := b.ok("setup", "shell", "--shell", "bash"); !strings.Contains(out, "has the line already") {
		t.Errorf("%s", out)
	}
	if got := read(real); got != line+text {
		t.Errorf("written twice: %q", got)
	}
	b.ok("setup", "shell", "--remove")
	if got := read(real); got != text {
		t.Errorf("%q", got)
	}
	if out := b.ok("setup", "shell", "--remove"); !strings.Contains(out, "no line of ctxfs") {
		t.Errorf("%s", out)
	}
	if target, err := os.Readlink(rc); err != nil || target != "dotfiles" {
		t.Errorf("the link is now %q, %v", target, err)
	}
	if info, err := os.Stat(real); err != nil || info.Mode() != 0o640 {
		t.Errorf("the mode is now %v, %v", info.Mode(), err)
	}

	b.ok("setup", "shell", "--shell", "fish")
	if got := read(filepath.Join(b.home, ".config/fish/config.fish")); !strings.HasPrefix(got, "if status is-interactive;") {
		t.Errorf("%q", got)
	}
	b.ok("setup", "shell", "--shell", "zsh")
	if got := read(filepath.Join(b.home, ".zshrc")); !strings.HasPrefix(got, "if [[ -o interactive ") {
		t.Errorf("%q", got)
	}
	// Files that were made for the line go with it, unless something else is in them.
	b.ok("setup", "shell", "--shell", "fish") // written twice, made once
	b.ok("setup", "shell", "--shell", "fish", "--remove")
	if _, err := os.Lstat(filepath.Join(b.home, ".config/fish/config.fish")); !os.IsNotExist(err) {
		t.Errorf("config.fish is left: %v", err)
	}
	zshrc := filepath.Join(b.home, ".zshrc")
	must(t, os.WriteFile(zshrc, []byte(read(zshrc)+"alias l=ls\n"), 0o600))
	b.ok("setup", "shell", "--shell", "zsh", "--remove")
	if got := read(zshrc); got != "alias l=ls\n" {
		t.Errorf("%q", got)
	}
	must(t, os.WriteFile(zshrc, nil, 0o600)) // empty, but somebody's
	b.ok("setup", "shell", "--shell", "zsh")
	b.ok("setup", "shell", "--shell", "zsh", "--remove")
	if got := read(zshrc); got != "" {
		t.Errorf("%q", got)
	}
	if files, err := filepath.Glob(filepath.Join(b.home, ".ctxfs-*")); err != nil || len(files) > 0 {
		t.Errorf("left: %q, %v", files, err)
	}

	b.refused(exitUsage, []string{`bash, zsh or fish, not "nu"`}, "setup", "shell", "--shell", "nu")
	b.refused(exitUsage, []string{"unknown command"}, "setup", "shel")
	b.env = append(b.env, "SHELL=/usr/bin/nu")
	b.refused(exitFailed, []string{"$SHELL", "ctxfs setup shell --shell bash"}, "setup", "shell")
	if err := os.Remove(rc); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/none/such", rc); err != nil {
		t.Fatal(err)
	}
	b.refused(exitFailed, []string{"ctxfs setup shell --shell bash --print"}, "setup", "shell", "--shell", "bash")
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
		if code := check(env); code != exitOK {
			t.Errorf("in a terminal with %s: exit %d", env, code)
		}
	}
	for _, env := range []string{
		"CTXFS_TERMINAL=1", "TERM=dumb", "TERM=", "CLAUDECODE=1", "CODEX_SANDBOX=seatbelt", "CURSOR_AGENT=1", "GEMINI_CLI=1",
		"VSCODE_RESOLVING_ENVIRONMENT=1", "SSH_ORIGINAL_COMMAND=rsync", "XDG_STATE_HOME=/proc/none",
	} {
		if code := check(env); code != exitFailed {
			t.Errorf("%s: exit %d", env, code)
		}
	}
	if r := b.run("setup", "shell", "--check"); r.code != exitFailed || r.out+r.err != "" {
		t.Errorf("without a terminal: exit %d, %v", r.code, r)
	}
	if files, err := filepath.Glob(filepath.Join(b.state, "ctxfs", "terminals", "*")); err != nil || len(files) > 0 {
		t.Errorf("left: %v, %v", files, err)
	}
}
