package clients

import (
	"path/filepath"
	"slices"
)

// copilot is the Copilot CLI. In a project it reads Claude Code's .mcp.json.
//
// Source of the format: docs.github.com/en/copilot/how-tos/copilot-cli.
func copilot() client {
	a := jsonAgent("copilot")
	a.files = func(s surroundings) []place {
		return userFiles(filepath.Join(s.folder("COPILOT_HOME", ".copilot"), "mcp-config.json"))
	}
	a.entry = func(k *keys, d *entry, x *expander) {
		vscodeEntry(k, d, x)
		if tools := k.texts("tools"); !slices.Contains(tools, "*") {
			d.Tools.Allow = tools
		}
	}
	return a
}
