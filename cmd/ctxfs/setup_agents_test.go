package main

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// snapshot returns all below a folder: texts of files, modes, targets of links.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		text := info.Mode().String()
		switch {
		case info.Mode().IsRegular():
			body, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text += " " + string(body)
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			if err != nil {
				return err
			}
			text += " " + to
		}
		all[strings.TrimPrefix(path, dir)] = text
		return nil
	})
	must(t, err)
	return all
}

// sameFiles reports a difference between two snapshots.
func sameFiles(t *testing.T, what string, was, is map[string]string) {
	t.Helper()
	for path := range maps.Keys(was) {
		if is[path] != was[path] {
			t.Errorf("%s: %s is %q, and was %q", what, path, is[path], was[path])
		}
	}
	for path := range maps.Keys(is) {
		if _, ok := was[path]; !ok {
			t.Errorf("%s: %s is new", what, path)
		}
	}
}

// world gives a box files of agents as people have them.
func (b *box) world() {
	b.Helper()
	b.write(".claude/settings.json", "{\n\t\"model\": \"opus\",\n\t\"hooks\": {\n\t\t\"SessionStart\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"say hi\"}]}]\n\t}\n}")
	b.write(".codex/config.toml", "# Codex\r\nmodel = \"o3\"\r\n\r\n[mcp_servers.x]\r\ncommand = \"npx\"\r\n")
	b.write("dotfiles/gemini/settings.json", "{}")
	must(b.T, os.Symlink("dotfiles/gemini", filepath.Join(b.home, ".gemini")))
	b.write(".config/goose/config.yaml", "extensions:\n  developer:\n    enabled: true # mine\n")
}

// TestSetupAgents: what is installed is found, nothing is written without being asked for,
// twice is once, and undoing restores every byte.
func TestSetupAgents(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.world()
	was := snapshot(t, b.home)

	r := b.run("setup")
	if r.code != exitUsage || !containsAll(r.out, []string{"Claude Code (~/.claude)", "not installed: ", "+++ ~/.claude/settings.json"}) ||
		!containsAll(r.err, []string{"nothing was written", "ctxfs setup claude-code", "ctxfs setup --yes"}) {
		t.Errorf("%v", r)
	}
	b.ok("setup", "--dry-run")
	sameFiles(t, "--dry-run", was, snapshot(t, b.home))

	out := b.ok("setup", "--yes")
	fstest.Contains(t, out, "changed ~/.claude/settings.json for Claude Code", "next: ctxfs mount", "undo: ctxfs setup --undo claude-code")
	settings := b.home + "/.claude/settings.json"
	text, err := os.ReadFile(settings)
	if err != nil || !containsAll(string(text), []string{"\t\"model\": \"opus\"", "say hi", "hook claude-code SessionStart"}) {
		t.Errorf("%s %v", text, err)
	}
	with := snapshot(t, b.home)
	fstest.Contains(t, b.ok("setup", "--yes"), "nothing to change")
	sameFiles(t, "twice", with, snapshot(t, b.home))

	var report struct {
		Found []struct{ ID, Where string }
		Files []struct {
			Path, Does string
			Written    bool
		}
	}
	must(t, json.Unmarshal([]byte(b.ok("setup", "--undo", "codex", "gemini", "goose", "--json")), &report))
	if len(report.Found) < 13 || len(report.Files) < 3 || !report.Files[0].Written || report.Files[0].Does == "" {
		t.Errorf("%+v", report)
	}
	must(t, os.WriteFile(settings, []byte(strings.Replace(string(text), "opus", "sonnet", 1)), 0o600))
	b.ok("setup", "--undo")
	was["/.claude/settings.json"] = strings.Replace(was["/.claude/settings.json"], "opus", "sonnet", 1)
	is := snapshot(t, b.home)
	// Where somebody has edited a file, a trailing comma is all that may differ.
	if got := is["/.claude/settings.json"]; !strings.Contains(got, "sonnet") || strings.Contains(got, "ctxfs") || !strings.Contains(got, "say hi") {
		t.Errorf("%s", got)
	}
	delete(was, "/.claude/settings.json")
	delete(is, "/.claude/settings.json")
	sameFiles(t, "--undo", was, is)
}

// TestSetupOfSettingsThatAreNotRead: Claude Code reads nothing of a file with comments, so that
// nothing is written there and nothing is said to be done.
func TestSetupOfSettingsThatAreNotRead(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	settings, text := filepath.Join(b.home, ".claude/settings.json"), "{\n\t\"model\": \"opus\" // mine\n}\n"
	b.write(".claude/settings.json", text)
	for range 2 {
		r := b.run("setup", "claude-code").exits(t, exitFailed)
		fstest.Contains(t, r.err, "~/.claude/settings.json stays as it is: line 2: ", "comments or trailing commas: take them out", "then: ctxfs setup claude-code")
		fstest.ContainsNot(t, r.out, "settings.json", "nothing to change")
		if is, err := os.ReadFile(settings); err != nil || string(is) != text {
			t.Errorf("%s %v", is, err)
		}
	}
	b.write(".claude/settings.json", strings.Replace(text, " // mine", "", 1))
	fstest.Contains(t, b.ok("setup", "claude-code"), "changed ~/.claude/settings.json for Claude Code")
	b.write(".claude/settings.json", strings.Replace(b.sh("cat .claude/settings.json"), "{", "{ // mine", 1))
	if f := b.doctor("setup"); len(f) == 0 || f[0].OK || !strings.Contains(f[0].What, "take them out") {
		t.Errorf("%+v", f)
	}
}

// TestSetupPartly: a file that cannot be changed is named and stays, and the others are
// written. The real program is another user's; root may write everywhere.
func TestSetupPartly(t *testing.T) {
	t.Parallel()
	b := newUserBox(t)
	b.write(".claude/settings.json", "{\n  oops\n}\n")
	b.write(".codex/config.toml", "model = \"o3\"\n")
	must(t, os.Chmod(filepath.Join(b.home, ".codex"), 0o500))
	defer os.Chmod(filepath.Join(b.home, ".codex"), 0o700)
	was := snapshot(t, b.home)
	b.refused(exitFailed, []string{"~/.claude/settings.json stays as it is: line 2", "~/.codex/AGENTS.md stays as it is: write in", "permission denied", "files could not be changed"},
		"setup", "claude-code", "codex")
	if text, err := os.ReadFile(filepath.Join(b.home, ".claude/CLAUDE.md")); err != nil || !strings.Contains(string(text), "agentctx") {
		t.Errorf("%s %v", text, err)
	}
	b.ok("setup", "--undo")
	sameFiles(t, "--undo", was, snapshot(t, b.home))
}

// TestSetupProject: files of a project name no path of this machine, and the home is none.
func TestSetupProject(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.write("work/.git/HEAD", "ref: refs/heads/main\n")
	b.write("work/sub/x", "")
	was := snapshot(t, b.home)
	b.ok("setup", "claude-code", "shell", "--shell", "bash")
	b.sh("cd " + b.home + "/work/sub && ctxfs setup claude-code codex --project")
	for path, text := range snapshot(t, filepath.Join(b.home, "work")) {
		if strings.Contains(text, b.home) {
			t.Errorf("%s: %s", path, text)
		}
	}
	if _, err := os.Stat(filepath.Join(b.home, "work/AGENTS.md")); err != nil {
		t.Error(err)
	}
	b.sh("cd " + b.home + "/work && ctxfs setup --undo --project")
	if is := snapshot(t, filepath.Join(b.home, "work")); len(is) != 5 {
		t.Errorf("%v", is)
	}
	if _, err := os.Stat(filepath.Join(b.home, ".claude/CLAUDE.md")); err != nil {
		t.Errorf("the user's own went, too: %v", err)
	}
	b.ok("setup", "--undo")
	sameFiles(t, "--undo", was, snapshot(t, b.home))
	fstest.Contains(t, b.shell("cd && ctxfs setup codex --project").exits(t, exitFailed).err, "your home folder, not a project")
}
