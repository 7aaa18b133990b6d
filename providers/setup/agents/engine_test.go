package agents_test

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/setup"
	"ctxfs/providers/setup/agents"
)

// TestAllAtOnce: all agents of a home, which share files and have links to dotfiles, are set
// up, set up again, which changes nothing, and restored to the byte, one of them first.
func TestAllAtOnce(t *testing.T) {
	home := t.TempDir()
	files := map[string]string{
		"dotfiles/CLAUDE.md":                        "# Ada\r\n\r\nTabs.",
		"dotfiles/settings.json":                    "{\n    \"model\": \"opus\"\n}\n",
		".codex/config.toml":                        "model = \"gpt\"\n",
		".codex/hooks.json":                         "{\"hooks\": {\"Stop\": []}}",
		".gemini/settings.json":                     "",
		".config/opencode/opencode.jsonc":           "// mine\n{ \"theme\": \"x\", }\n",
		".copilot/config.json":                      "{}",
		".cursor/hooks.json":                        "{\"version\":1,\"hooks\":{\"stop\":[{\"command\":\"a\"}]}}\n",
		".config/Code/User/settings.json":           "{}",
		".config/Claude/claude_desktop_config.json": "{\"mcpServers\": {}}",
		".config/zed/settings.json":                 "{}",
		".config/amp/settings.json":                 "{}",
		".config/goose/config.yaml":                 "extensions: {}\n",
		".codeium/windsurf/mcp_config.json":         "{}",
		"Documents/Cline/Rules/mine.md":             "Two spaces.\n",
		".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json": "{}",
	}
	for name, text := range files {
		fstest.Must(t, os.MkdirAll(filepath.Dir(filepath.Join(home, name)), 0o755))
		fstest.Must(t, os.WriteFile(filepath.Join(home, name), []byte(text), 0o600))
	}
	fstest.Must(t, os.Mkdir(filepath.Join(home, ".claude"), 0o755))
	for _, name := range []string{"CLAUDE.md", "settings.json"} {
		fstest.Must(t, os.Symlink("../dotfiles/"+name, filepath.Join(home, ".claude", name)))
	}
	before := everything(t, home)

	h := setup.Home{
		Machine: agents.Machine{
			Home: home, OS: "linux", Program: "/usr/local/bin/ctxfs", Mount: filepath.Join(home, ".agentctx"),
			LookupEnv: func(string) (string, bool) { return "", false },
		},
		Journal: filepath.Join(t.TempDir(), "setup.json"),
		Targets: agents.All(),
	}
	var ids []string
	found, err := h.Find()
	fstest.Must(t, err)
	for _, f := range found {
		if f.Where == "" {
			t.Errorf("%s was not found", f.ID)
		}
		ids = append(ids, f.ID)
	}
	do := func(p setup.Plan, err error) (writes int) {
		t.Helper()
		fstest.Must(t, err)
		for _, f := range p.Files {
			if err := h.Do(t.Context(), f); err != nil {
				t.Errorf("%s: %v", f.Path, err)
			}
			if f.Does != "" {
				writes++
			}
		}
		return writes
	}
	if n := do(h.Plan(ids, agents.Options{})); n < len(ids) {
		t.Errorf("%d files were written for %d agents", n, len(ids))
	}
	set := everything(t, home)
	if n := do(h.Plan(ids, agents.Options{})); n > 0 {
		t.Errorf("a second time %d files were written", n)
	}
	do(h.PlanUndo([]string{"claude-code"}, agents.Options{}))
	fstest.Contains(t, everything(t, home)["dotfiles/CLAUDE.md"], "ctxfs: begin")
	do(h.Plan(ids, agents.Options{}))
	if again := everything(t, home); !maps.Equal(again, set) {
		t.Errorf("set up again it is not the same:\n%q\n%q", again, set)
	}
	do(h.PlanUndo(nil, agents.Options{}))
	if after := everything(t, home); !maps.Equal(after, before) {
		t.Errorf("it is not as it was:\n%q\n%q", after, before)
	}
}

// everything returns all files, folders and links of a folder, by name.
func everything(t *testing.T, root string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		text := []byte(nil)
		switch {
		case e.Type() == os.ModeSymlink:
			var target string
			target, err = os.Readlink(path)
			text = []byte(target)
		case !e.IsDir():
			text, err = os.ReadFile(path)
		}
		all[name] = info.Mode().String() + " " + string(text)
		return err
	})
	fstest.Must(t, err)
	return all
}
