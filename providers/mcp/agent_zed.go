package mcp

import (
	"ctxfs/providers/internal/jsonc"
	"ctxfs/providers/internal/syntax"
)

// zed is Zed: the settings of the user and of a project, with servers below
// "context_servers". Older ones nest the command in an object.
//
// Source of the format: zed.dev/docs/ai/mcp.
func zed() agent {
	return agent{
		name:    "zed",
		files:   func(s surroundings) []place { return userFiles(s.config("zed", "settings.json")) },
		project: []string{".zed/settings.json"},
		parse:   jsonc.Parse,
		find:    below("context_servers"),
		entry: func(e *entry, d *definition, x *expander) {
			if command, _ := e.value.Get("command"); command.Kind == syntax.Object {
				nested := &entry{value: command}
				nested.process(d, x, "path", "env")
				e.fault = nested.fault
			} else {
				e.process(d, x, "command", "env")
			}
			e.remote(d, x, "url", "headers")
			e.enabled(d, "enabled")
			d.choose("")
			if d.command == "" && d.url == "" && (e.has("settings") || e.text("source") == "extension") {
				e.fail(e.value, "it belongs to an extension of Zed, which alone can start it: "+
					"configure its command in ctxfs's config.toml as [mcp.servers.%s]", tomlKey(d.name))
			}
		},
	}
}
