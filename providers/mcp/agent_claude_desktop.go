package mcp

// claudeDesktop is Claude Desktop. It starts processes only, and expands
// nothing. On Linux it has the folder that unofficial builds use.
//
// Source of the format: modelcontextprotocol.io/docs/develop/connect-local-servers.
func claudeDesktop() Client {
	a := jsonAgent("claude-desktop")
	a.files = func(s surroundings) []place {
		return userFiles(s.application("Claude", "claude_desktop_config.json")...)
	}
	a.entry = func(k *keys, d *entry, x *expander) {
		k.process(d, x, "command", "env")
		d.transport = stdio
		if d.command == "" {
			k.fail(k.value, "it has no command, and Claude Desktop reads no addresses from this file")
		}
	}
	return a
}
