package agents

// gemini describes the Gemini CLI of Google. GEMINI_CLI_HOME is the folder that
// contains its own folder .gemini.
//
// Sources: geminicli.com/docs/tools/mcp-server, /cli/skills, /cli/custom-commands,
// /core/subagents, /extensions/reference, /cli/gemini-md,
// /hooks, /cli/session-management, /cli/plan-mode.
func gemini() Agent {
	const home = "${GEMINI_CLI_HOME:-~}/.gemini/"
	return Agent{
		ID: "gemini", Name: "Gemini CLI", Home: home, Programs: []string{"gemini"},
		Session: []Variable{{Name: "GEMINI_SESSION_ID", HooksOnly: true}}, Marks: []Variable{{Name: "GEMINI_CLI"}},
		MCP: MCP{
			Places: Places{
				System:  []Path{"${GEMINI_CLI_SYSTEM_SETTINGS_PATH:-/etc/gemini-cli/settings.json}"},
				User:    []Path{home + "settings.json"},
				Project: []string{".gemini/settings.json"},
			},
			Syntax: JSONC, Key: "mcpServers",
		},
		ToolNames: []string{"mcp_{server}_{tool}", "{server}__{tool}"},
		Skills: Skills{
			Places:    Places{User: []Path{home + "skills"}, Project: []string{".gemini/skills"}},
			Also:      Places{User: []Path{SharedSkills}, Project: []string{sharedProjectSkills}},
			AlsoFirst: true,
		},
		Commands:  Places{User: []Path{home + "commands/**/*.toml"}, Project: []string{".gemini/commands/**/*.toml"}},
		Subagents: Places{User: []Path{home + "agents/*.md"}, Project: []string{".gemini/agents/*.md"}},
		Plugins:   []Path{home + "extensions"},
		Rules: Rules{
			Places: Places{User: []Path{home + "GEMINI.md", home + "extensions/*/GEMINI.md"}, Project: []string{"GEMINI.md"}},
			Nested: []string{"GEMINI.md"}, Above: true, Imports: 5,
			Settings: Places{
				System: []Path{"${GEMINI_CLI_SYSTEM_SETTINGS_PATH:-/etc/gemini-cli/settings.json}"},
				User:   []Path{home + "settings.json"}, Project: []string{".gemini/settings.json"},
			},
		},
		Always:      Places{User: []Path{home + "GEMINI.md"}, Project: []string{"GEMINI.md"}},
		Permissions: Places{User: []Path{home + "policies/ctxfs.toml"}},
		Plans: Plans{
			Texts: Places{User: []Path{home + "tmp/*/*/plans/*.md", home + "tmp/*/plans/*.md"}},
		},
		Memory: Places{User: []Path{home + "GEMINI.md", home + "tmp/*/memory"}},
		Hooks: Hooks{
			Places: Places{User: []Path{home + "settings.json"}, Project: []string{".gemini/settings.json"}},
			Events: []string{"SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "PreCompress"},
		},
		Sessions: []Path{home + "tmp"},
		State:    []Path{home},
		Resume:   []string{"gemini", "--resume", SessionID},
	}
}
