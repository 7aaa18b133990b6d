package agents

import (
	"os"
	"path/filepath"
	"testing"

	"ctxfs/fs/fstest"
)

// TestInstalled: an agent is found by its program in PATH or by a folder of its own; not in
// an empty home, nor by what setup has made for another one.
func TestInstalled(t *testing.T) {
	home := t.TempDir()
	env := map[string]string{"PATH": "bin:" + filepath.Join(home, "bin")}
	m := Machine{Home: home, OS: "linux", LookupEnv: func(name string) (string, bool) { v, ok := env[name]; return v, ok }}
	check := func(id, want string) {
		t.Helper()
		where, ok := find(t, id).Installed(m)
		if want != "" {
			want = filepath.Join(home, want)
		}
		if where != want || ok != (want != "") {
			t.Errorf("%s: %q, %v; want %q", id, where, ok, want)
		}
	}
	for _, a := range All() {
		check(a.ID, "")
	}
	write(t, filepath.Join(home, "bin", "codex"), []byte("#!/bin/sh\n"))
	check("codex", "") // it cannot be run
	fstest.Must(t, os.Chmod(filepath.Join(home, "bin", "codex"), 0o755))
	check("codex", "bin/codex")
	for folder, id := range map[string]string{
		".claude": "claude-code", ".cursor": "cursor", ".gemini": "gemini", ".config/opencode": "opencode", ".config/VSCodium/User": "vscode",
		".config/goose": "goose", ".config/amp": "amp", ".codeium/windsurf": "windsurf", ".config/zed": "zed",
		".config/Code/User/globalStorage/saoudrizwan.claude-dev": "cline", ".config/Claude": "claude-desktop",
	} {
		fstest.Must(t, os.MkdirAll(filepath.Join(home, folder), 0o755))
		check(id, folder)
	}
	write(t, filepath.Join(home, ".copilot", "hooks", "ctxfs.json"), []byte("{}"))
	check("copilot", "")
	write(t, filepath.Join(home, ".copilot", "config.json"), []byte("{}"))
	check("copilot", ".copilot")
}
