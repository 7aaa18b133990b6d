package agents

// opencode describes opencode. Of the files in one folder the later ones of its own
// order win, which is why they are in the opposite order here.
//
// Sources: opencode.ai/docs/mcp-servers, /config, /skills, /rules, /cli.
func opencode() Agent {
	const config = xdgConfig + "opencode/"
	files := []string{"AGENTS.md", "CLAUDE.md"}
	settings := Places{
		User: []Path{
			"${OPENCODE_CONFIG_DIR}/opencode.jsonc", "${OPENCODE_CONFIG_DIR}/opencode.json", "${OPENCODE_CONFIG}",
			config + "opencode.jsonc", config + "opencode.json", config + "config.json",
		},
		Project: []string{".opencode/opencode.jsonc", ".opencode/opencode.json", "opencode.jsonc", "opencode.json"},
	}
	return Agent{
		ID: "opencode", Name: "opencode", Home: config,
		Marks:     []Variable{{Name: "OPENCODE"}},
		MCP:       MCP{Places: settings, Syntax: JSONC, Key: "mcp"},
		ToolNames: []string{"{server}_{tool}"},
		Skills:    Skills{Places: Places{User: []Path{config + "skills"}, Project: []string{".opencode/skills"}}},
		Rules: Rules{
			Places: Places{User: []Path{config + "AGENTS.md", "~/.claude/CLAUDE.md"}, Project: files},
			Nested: files, Settings: settings,
		},
		Sessions: []Path{xdgData + "opencode"},
		Resume:   []string{"opencode", "--session", SessionID},
	}
}
