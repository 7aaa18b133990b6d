package mcp

import "path/filepath"

// claudeCode is Claude Code's user scope: the top level of ~/.claude.json.
//
// Source of the format: code.claude.com/docs/en/mcp.
func claudeCode() agent {
	return agent{
		name:    "claude-code",
		scope:   "user",
		file:    func(home string) string { return filepath.Join(home, ".claude.json") },
		servers: "mcpServers",
		dialect: shellDialect,
		entry: func(e *entry, d *definition, x *expander) {
			e.common(d, x)
			if wrong := d.choose(e.text("type")); wrong != "" {
				e.fail(e.value, "%s", wrong)
			}
			if e.text("headersHelper") != "" {
				d.notes = append(d.notes, "`headersHelper` is a command, which ctxfs does not run: put the headers into `headers`")
			}
		},
	}
}
