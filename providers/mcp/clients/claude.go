package clients

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxfs/providers/internal/jsonc"
	"ctxfs/providers/internal/syntax"
	"ctxfs/providers/mcp/config"
)

// claudeCode is Claude Code: in ~/.claude.json the user's servers are at the
// top level, and those that are the user's in one project (scope local) below
// "projects"; a project's own are in .mcp.json. Of one name local wins over
// project.
//
// Claude's record of which project servers were approved there counts only
// where it says no: what may be started here is said to ctxfs.
//
// Source of the format: code.claude.com/docs/en/mcp.
func claudeCode() client {
	return client{
		name: "claude-code",
		files: func(s surroundings) []place {
			return userFiles(claudeFolder(s, ".claude.json"))
		},
		project: []string{".mcp.json"},
		layers:  true,
		parse:   jsonc.Parse,
		find: func(r *reader, file syntax.Value) error {
			if err := below("mcpServers")(r, file); err != nil || r.scope != config.ScopeUser {
				return err
			}
			projects, _ := file.Get("projects")
			for _, m := range projects.Members {
				folder, ok := r.projectFolder(m.Name)
				if !ok {
					continue
				}
				r.projects = append(r.projects, folder)
				refused, _ := m.Value.Get("disabledMcpjsonServers")
				for _, name := range refused.Items {
					r.refused = append(r.refused, refusal{folder, name.Text, "take it out of `disabledMcpjsonServers` of " + folder + " in " + r.path})
				}
				servers, ok := m.Value.Get("mcpServers")
				if !ok {
					continue
				}
				if err := r.readIn(servers, "mcpServers", config.ScopeLocal, folder); err != nil {
					return err
				}
			}
			return nil
		},
		dialect: shellDialect,
		entry:   claudeEntry,
	}
}

func claudeEntry(k *keys, d *entry, x *expander) {
	k.common(d, x)
	k.claudeLogin(d, x)
	k.choose(d, k.text("type"))
	d.CallTimeout = k.duration("timeout", time.Millisecond)
	if k.text("headersHelper") != "" {
		d.Notes = append(d.Notes, "`headersHelper` is a command, which ctxfs does not run: put the headers into `headers`")
	}
}

// claudePlugins are the plugins of Claude Code: each that is installed and
// switched on has servers in .mcp.json, with or without "mcpServers" around
// them, or in .claude-plugin/plugin.json.
//
// Source of the format: code.claude.com/docs/en/plugins-reference.
func claudePlugins() client {
	return client{
		name: "claude-code",
		files: func(s surroundings) (places []place) {
			for _, p := range installedPlugins(s) {
				for _, file := range []string{".mcp.json", ".claude-plugin/plugin.json"} {
					places = append(places, place{path: filepath.Join(p.root, file), scope: config.ScopePlugin, plugin: p})
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
			d.Notes = append(d.Notes, "it comes with the plugin "+x.extra[pluginName]+" of Claude Code")
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

// claudeDesktop is Claude Desktop. It starts processes only, and expands
// nothing. On Linux it has the folder that unofficial builds use.
//
// Source of the format: modelcontextprotocol.io/docs/develop/connect-local-servers.
func claudeDesktop() client {
	a := jsonAgent("claude-desktop")
	a.files = func(s surroundings) []place {
		return userFiles(s.application("Claude", "claude_desktop_config.json")...)
	}
	a.entry = func(k *keys, d *entry, x *expander) {
		k.process(d, x, "command", "env")
		d.Transport = config.Stdio
		if d.Command == "" {
			k.fail(k.value, "it has no command, and Claude Desktop reads no addresses from this file")
		}
	}
	return a
}
