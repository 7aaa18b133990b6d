package agents

// claudeDesktop describes Claude Desktop, which has no shell and no sessions on disk. On
// Linux it has the folder that unofficial builds use.
//
// Source: modelcontextprotocol.io/docs/develop/connect-local-servers.
func claudeDesktop() Agent {
	return Agent{
		ID: "claude-desktop", Name: "Claude Desktop", Home: support + "Claude/",
		MCP: MCP{
			Places: Places{User: []Path{support + "Claude/claude_desktop_config.json"}},
			Syntax: JSONC, Key: "mcpServers",
		},
	}
}
