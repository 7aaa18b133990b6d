package mcp

import "path/filepath"

// cursor is Cursor's user scope: ~/.cursor/mcp.json. It ignores "type": an
// entry with a command is a process, one with a url an HTTP server.
//
// Source of the format: cursor.com/docs/context/mcp.
func cursor() agent {
	return agent{
		name:    "cursor",
		scope:   "user",
		file:    func(home string) string { return filepath.Join(home, ".cursor", "mcp.json") },
		servers: "mcpServers",
		dialect: cursorDialect,
		entry: func(e *entry, d *definition, x *expander) {
			e.common(d, x)
			d.choose("")
			if d.transport == stdio {
				e.envFile(d, x)
			}
		},
	}
}
