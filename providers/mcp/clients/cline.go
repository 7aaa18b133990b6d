package clients

import (
	"cmp"
	"time"
)

// cline is Cline: its file is in the storage of the editor that it extends. An
// address without a type means SSE.
//
// Source of the format: docs.cline.bot/mcp.
func cline() client {
	a := jsonAgent("cline")
	a.files = func(s surroundings) []place {
		file := []string{"User", "globalStorage", "saoudrizwan.claude-dev", "settings", "cline_mcp_settings.json"}
		var paths []string
		for _, editor := range append(editors(), "Cursor", "Windsurf") {
			paths = append(paths, s.application(append([]string{editor}, file...)...)...)
		}
		for _, server := range []string{".vscode-server", ".vscode-server-insiders", ".cursor-server"} {
			paths = append(paths, s.at(append([]string{server, "data"}, file...)...))
		}
		return userFiles(append(paths, s.at(".cline", "data", "settings", "cline_mcp_settings.json"))...)
	}
	a.entry = func(k *keys, d *entry, x *expander) {
		k.common(d, x)
		kind := cmp.Or(k.text("type"), k.text("transportType"))
		if kind == "" && d.Command == "" && d.URL != "" {
			kind = "sse"
		}
		k.choose(d, kind)
		d.CallTimeout = k.duration("timeout", time.Second)
	}
	return a
}
