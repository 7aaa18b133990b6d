package clients

import (
	"strings"

	"ctxfs/providers/internal/jsonc"
	"ctxfs/providers/mcp/config"
)

// editors are VS Code and what is built from it, by the names of their folders
// of settings.
func editors() []string { return []string{"Code", "Code - Insiders", "VSCodium"} }

// vscode is VS Code: the mcp.json of the user's profile and .vscode/mcp.json of
// a project, with servers below "servers".
//
// Source of the format: code.visualstudio.com/docs/copilot/reference/mcp-configuration.
func vscode() client {
	return client{
		name: "vscode",
		files: func(s surroundings) (places []place) {
			for _, editor := range editors() {
				places = append(places, userFiles(s.application(editor, "User", "mcp.json")...)...)
			}
			return places
		},
		project: []string{".vscode/mcp.json"},
		parse:   jsonc.Parse,
		find:    below("servers"),
		dialect: vscodeDialect,
		entry:   vscodeEntry,
	}
}

func vscodeEntry(k *keys, d *entry, x *expander) {
	k.common(d, x)
	k.choose(d, k.text("type"))
	if scheme, _, _ := strings.Cut(d.URL, "://"); scheme == "unix" || scheme == "pipe" {
		k.fail(k.value, "its url is a socket (%s), which ctxfs does not speak with", scheme)
	}
	if d.Transport == config.Stdio {
		k.envFile(d, x)
	}
}
