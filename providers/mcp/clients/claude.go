package clients

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/jsonc"
	"ctxfs/providers/internal/syntax"
	"ctxfs/providers/mcp/config"
)

// claudeCode reads the files of Claude Code: in ~/.claude.json the user's servers
// are at the top level, and those for one project (scope "local") below "projects";
// a project's own are in .mcp.json. For one name, local takes precedence over
// project.
//
// Claude Code's own record of approvals counts only where it rejects a server: what
// may be started here is approved in ctxfs itself.
//
// Source of the format: code.claude.com/docs/en/mcp.
func claudeCode() client {
	return client{
		agent: agents.ByID("claude-code"), layers: true, dialect: claudeDialect, readEntry: readClaude,
		find: func(r *reader, file syntax.Value) error {
			if err := r.below(r, file); err != nil || r.scope != config.ScopeUser {
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
	}
}

// readClaude reads an entry of Claude Code.
func readClaude(k *keys, e *Entry, x *expander) {
	k.common(e, x)
	k.claudeLogin(e, x)
	k.choose(e, k.text("type"))
	e.CallTimeout = k.duration("timeout", time.Millisecond)
	if k.text("headersHelper") != "" {
		e.Notes = append(e.Notes, "`headersHelper` is a command, which ctxfs does not run: put the headers into `headers`")
	}
}

// claudePlugins reads the files of the plugins of Claude Code: each one that is installed and
// enabled has servers in .mcp.json, with or without "mcpServers" around them, or in
// .claude-plugin/plugin.json.
//
// Source of the format: code.claude.com/docs/en/plugins-reference.
func claudePlugins() client {
	return client{
		agent: agents.ByID("claude-code"), dialect: claudeDialect,
		files: func(m machine) (places []place) {
			for _, p := range installedPlugins(m) {
				for _, file := range []string{".mcp.json", ".claude-plugin/plugin.json"} {
					places = append(places, place{path: filepath.Join(p.root, file), scope: config.ScopePlugin, plugin: p})
				}
			}
			return places
		},
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
		readEntry: func(k *keys, e *Entry, x *expander) {
			readClaude(k, e, x)
			e.Notes = append(e.Notes, "it comes with the plugin "+x.extra[pluginName]+" of Claude Code")
		},
	}
}

// plugin is a plugin that is installed.
type plugin struct {
	name       string // "plugin@marketplace"
	root, data string
}

// pluginName is the key of the plugin's name among its variables.
const pluginName = ""

// variables returns the variables that the entries of a plugin may use.
func (p plugin) variables() map[string]string {
	if p.root == "" {
		return nil
	}
	return map[string]string{"CLAUDE_PLUGIN_ROOT": p.root, "CLAUDE_PLUGIN_DATA": p.data, pluginName: p.name}
}

// claudeFolder returns the folder with Claude Code's plugins and settings.
func claudeFolder(m machine) string { return m.Path(agents.ByID("claude-code").Home) }

// pluginFiles returns the files that say which plugins there are.
func pluginFiles(m machine) (installed, settings string) {
	folder := claudeFolder(m)
	return filepath.Join(folder, "plugins", "installed_plugins.json"), filepath.Join(folder, "settings.json")
}

// installedPlugins returns the plugins that are installed and enabled. A file that
// cannot be read names none: Claude Code itself reports what is wrong with it.
func installedPlugins(m machine) (found []plugin) {
	installed, settings := pluginFiles(m)
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
	for _, member := range plugins.Members {
		if enabled, ok := on.Get(member.Name); !ok || enabled.Text != "true" {
			continue
		}
		entries := member.Value.Items // one for each scope in which it is installed
		if member.Value.Kind == syntax.Object {
			entries = []syntax.Value{member.Value}
		}
		for _, e := range entries {
			root, _ := e.Get("installPath")
			known := slices.ContainsFunc(found, func(p plugin) bool { return p.root == root.Text })
			if root.Kind != syntax.Text || !filepath.IsAbs(root.Text) || known || m.hidden(root.Text) {
				continue
			}
			id := strings.Map(func(r rune) rune {
				if r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
					return r
				}
				return '-'
			}, member.Name)
			found = append(found, plugin{name: member.Name, root: filepath.Clean(root.Text), data: filepath.Join(claudeFolder(m), "plugins", "data", id)})
		}
	}
	return found
}

// claudeDesktop reads the file of Claude Desktop, which starts only processes, and
// expands nothing.
func claudeDesktop() client {
	return client{
		agent: agents.ByID("claude-desktop"),
		readEntry: func(k *keys, e *Entry, x *expander) {
			k.process(e, x, "command", "env")
			e.Transport = config.Stdio
			if e.Command == "" {
				k.fail(k.value, "it has no command, and Claude Desktop reads no addresses from this file")
			}
		},
	}
}
