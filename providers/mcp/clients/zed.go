package clients

import (
	"ctxfs/providers/internal/jsonc"
	"ctxfs/providers/internal/settings"
	"ctxfs/providers/internal/syntax"
)

// zed is Zed: the settings of the user and of a project, with servers below
// "context_servers". Older ones nest the command in an object.
//
// Source of the format: zed.dev/docs/ai/mcp.
func zed() client {
	return client{
		name:    "zed",
		files:   func(s surroundings) []place { return userFiles(s.config("zed", "settings.json")) },
		project: []string{".zed/settings.json"},
		parse:   jsonc.Parse,
		find:    below("context_servers"),
		entry: func(k *keys, d *entry, x *expander) {
			if command, _ := k.value.Get("command"); command.Kind == syntax.Object {
				nested := &keys{value: command}
				nested.process(d, x, "path", "env")
				k.fault = nested.fault
			} else {
				k.process(d, x, "command", "env")
			}
			k.remote(d, x, "url", "headers")
			k.enabled(d, "enabled")
			d.choose("")
			if d.Command == "" && d.URL == "" && (k.has("settings") || k.text("source") == "extension") {
				k.fail(k.value, "it belongs to an extension of Zed, which alone can start it: "+
					"configure its command in ctxfs's config.toml as [mcp.servers.%s]", settings.Key(d.Name))
			}
		},
	}
}
