package agents

// amp describes Amp of Sourcegraph. AMP_SETTINGS_FILE names another file of settings.
// Since about March 2026 its threads are kept on its server only.
//
// Source: ampcode.com/manual.
func amp() Agent {
	const settings = "${AMP_SETTINGS_FILE:-" + xdgConfig + "amp/settings."
	files := []string{"AGENTS.md", "AGENT.md", "CLAUDE.md"}
	return Agent{
		ID: "amp", Name: "Amp", Home: xdgConfig + "amp/", Programs: []string{"amp"},
		Session: []Variable{{Name: "AMP_CURRENT_THREAD_ID"}},
		MCP: MCP{
			Places: Places{
				User:    []Path{settings + "json}", settings + "jsonc}"},
				Project: []string{".amp/settings.json", ".amp/settings.jsonc"},
			},
			Syntax: JSONC, Key: "amp.mcpServers",
		},
		ToolNames: []string{"mcp__{server}__{tool}"},
		Skills:    Skills{Places: Places{User: []Path{xdgConfig + "agents/skills"}, Project: []string{sharedProjectSkills}}, Also: Places{User: []Path{SharedSkills}}},
		Rules: Rules{
			Places: Places{
				System: []Path{onLinux + "/etc/ampcode/AGENTS.md", onDarwin + "/Library/Application Support/ampcode/AGENTS.md"},
				User:   []Path{xdgConfig + "amp/AGENTS.md", xdgConfig + "AGENTS.md"}, Project: files,
			},
			Nested: files, Above: true,
		},
		// It reads the first one only.
		Always:   Places{User: []Path{xdgConfig + "amp/AGENTS.md"}, Project: files},
		Sessions: []Path{xdgData + "amp/threads"},
		State:    []Path{xdgConfig + "amp", xdgData + "amp", xdgState + "amp", xdgCache + "amp"},
		Resume:   []string{"amp", "threads", "continue", SessionID},
	}
}
