package agents

// zed describes the editor Zed with its agent.
//
// Sources: zed.dev/docs/ai/mcp, /ai/rules; sessions as its reader has them.
func zed() Agent {
	files := []string{
		".rules", ".cursorrules", ".windsurfrules", ".clinerules", ".github/copilot-instructions.md",
		"AGENT.md", "AGENTS.md", "CLAUDE.md", "GEMINI.md",
	}
	return Agent{
		ID: "zed", Name: "Zed", Home: xdgConfig + "zed/", Programs: []string{"zed", "zeditor"},
		MCP: MCP{
			Places: Places{User: []Path{xdgConfig + "zed/settings.json"}, Project: []string{".zed/settings.json"}},
			Syntax: JSONC, Key: "context_servers",
		},
		Rules: Rules{Places: Places{User: []Path{xdgConfig + "zed/AGENTS.md"}, Project: files}},
		// It reads the first one only.
		Always:   Places{User: []Path{xdgConfig + "zed/AGENTS.md"}, Project: files},
		Sessions: []Path{onLinux + xdgData + "zed/threads", onDarwin + library + "Zed/threads"},
	}
}
