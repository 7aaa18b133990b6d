package mcp

import (
	"path/filepath"
	"slices"
	"strings"

	"ctxfs/providers/internal/jsonc"
	"ctxfs/providers/internal/syntax"
)

// claudePlugins are the plugins of Claude Code: each that is installed and
// switched on has servers in .mcp.json, with or without "mcpServers" around
// them, or in .claude-plugin/plugin.json.
//
// Source of the format: code.claude.com/docs/en/plugins-reference.
func claudePlugins() Client {
	return Client{
		name: "claude-code",
		files: func(s surroundings) (places []place) {
			for _, p := range installedPlugins(s) {
				for _, file := range []string{".mcp.json", ".claude-plugin/plugin.json"} {
					places = append(places, place{path: filepath.Join(p.root, file), scope: scopePlugin, plugin: p})
				}
			}
			return places
		},
		parse: jsonc.Parse,
		find: func(r *reader, file syntax.Value) error {
			servers, ok := file.Get("mcpServers")
			switch {
			case ok && servers.Kind == syntax.Object:
				return r.read(servers, "mcpServers")
			case !ok && filepath.Base(r.path) == ".mcp.json":
				return r.read(file, filepath.Base(r.path))
			}
			return nil
		},
		dialect: shellDialect,
		entry: func(k *keys, d *entry, x *expander) {
			claudeEntry(k, d, x)
			d.notes = append(d.notes, "it comes with the plugin "+x.extra[pluginName]+" of Claude Code")
		},
	}
}

// plugin is a plugin that is installed.
type plugin struct {
	name       string // "plugin@marketplace"
	root, data string
}

// pluginName stands among a plugin's variables for its name.
const pluginName = ""

// variables are those that the entries of a plugin may use.
func (p plugin) variables() map[string]string {
	if p.root == "" {
		return nil
	}
	return map[string]string{"CLAUDE_PLUGIN_ROOT": p.root, "CLAUDE_PLUGIN_DATA": p.data, pluginName: p.name}
}

// claudeFolder is a path in Claude Code's folder of settings.
func claudeFolder(s surroundings, path ...string) string {
	if dir, ok := s.lookup("CLAUDE_CONFIG_DIR"); ok && filepath.IsAbs(dir) {
		return filepath.Join(append([]string{dir}, path...)...)
	}
	if path[0] == ".claude.json" {
		return s.at(path...)
	}
	return s.at(append([]string{".claude"}, path...)...)
}

// pluginFiles are the files that say which plugins there are.
func pluginFiles(s surroundings) (installed, settings string) {
	return claudeFolder(s, "plugins", "installed_plugins.json"), claudeFolder(s, "settings.json")
}

// installedPlugins are the plugins that are installed and switched on. A file
// that cannot be read names none: whatever is wrong with it, Claude Code tells.
func installedPlugins(s surroundings) (found []plugin) {
	installed, settings := pluginFiles(s)
	read := func(path string) syntax.Value {
		text, _, err := readRegular(path)
		if err != nil {
			return syntax.Value{}
		}
		file, _ := jsonc.Parse(text)
		return file
	}
	plugins, _ := read(installed).Get("plugins")
	on, _ := read(settings).Get("enabledPlugins")
	for _, m := range plugins.Members {
		if enabled, ok := on.Get(m.Name); !ok || enabled.Text != "true" {
			continue
		}
		entries := m.Value.Items // one for each scope in which it is installed
		if m.Value.Kind == syntax.Object {
			entries = []syntax.Value{m.Value}
		}
		for _, e := range entries {
			root, _ := e.Get("installPath")
			known := slices.ContainsFunc(found, func(p plugin) bool { return p.root == root.Text })
			if root.Kind != syntax.Text || !filepath.IsAbs(root.Text) || known || s.hidden(root.Text) {
				continue
			}
			id := strings.Map(func(r rune) rune {
				if r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
					return r
				}
				return '-'
			}, m.Name)
			found = append(found, plugin{name: m.Name, root: filepath.Clean(root.Text), data: claudeFolder(s, "plugins", "data", id)})
		}
	}
	return found
}
