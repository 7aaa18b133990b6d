package clients

import "ctxfs/providers/mcp/config"

// cursor is Cursor: ~/.cursor/mcp.json and that of a project. It ignores
// "type": an entry with a command is a process, one with a url an HTTP server.
// Which servers are switched on is not in the file.
//
// Source of the format: cursor.com/docs/context/mcp.
func cursor() client {
	a := jsonAgent("cursor")
	a.files = func(s surroundings) []place { return userFiles(s.at(".cursor", "mcp.json")) }
	a.project = []string{".cursor/mcp.json"}
	a.dialect = editorDialect
	a.entry = func(k *keys, d *entry, x *expander) {
		k.common(d, x)
		k.cursorLogin(d, x)
		d.choose("")
		if d.Transport == config.Stdio {
			k.envFile(d, x)
		}
	}
	return a
}
