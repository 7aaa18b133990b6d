package agents

// opencode describes opencode. Of the files in one folder the later ones of its own
// order win, which is why they are in the opposite order here.
//
// Sources: opencode.ai/docs/mcp-servers, /config, /skills, /commands, /agents, /rules,
// /cli.
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
		ID: "opencode", Name: "opencode", Home: config, Programs: []string{"opencode"},
		Marks:     []Variable{{Name: "OPENCODE"}},
		MCP:       MCP{Places: settings, Syntax: JSONC, Key: "mcp"},
		ToolNames: []string{"{server}_{tool}"},
		Skills: Skills{
			Places: Places{User: []Path{config + "skills"}, Project: []string{".opencode/skills"}},
			Also: Places{
				User:    []Path{"${CLAUDE_CONFIG_DIR:-~/.claude}/skills", SharedSkills},
				Project: []string{".claude/skills", sharedProjectSkills},
			},
			Nested: true,
		},
		Commands: Places{
			User:    []Path{config + "command/**/*.md", config + "commands/**/*.md"},
			Project: []string{".opencode/command/**/*.md", ".opencode/commands/**/*.md"},
		},
		Subagents: Places{
			User:    []Path{config + "agent/**/*.md", config + "agents/**/*.md"},
			Project: []string{".opencode/agent/**/*.md", ".opencode/agents/**/*.md"},
		},
		Rules: Rules{
			Places: Places{User: []Path{config + "AGENTS.md", "~/.claude/CLAUDE.md"}, Project: files},
			Nested: files, Settings: settings,
		},
		// It reads CLAUDE.md only where there is no AGENTS.md.
		Always: Places{
			User:    []Path{config + "AGENTS.md", "~/.claude/CLAUDE.md"},
			Project: files,
		},
		// They are merged; a new one is to have the usual name.
		Permissions: Places{
			User: []Path{
				"${OPENCODE_CONFIG_DIR}/opencode.jsonc", "${OPENCODE_CONFIG_DIR}/opencode.json", "${OPENCODE_CONFIG}",
				config + "opencode.jsonc", config + "opencode.json",
			},
			Project: settings.Project,
		},
		Hooks: Hooks{
			Places: Places{User: []Path{config + "plugins/ctxfs.js"}, Project: []string{".opencode/plugins/ctxfs.js"}},
			Events: []string{"chat.message", "tool.execute.before", "tool.execute.after", "experimental.session.compacting"},
		},
		Plans: Plans{
			Texts: Places{User: []Path{xdgData + "opencode/plans/*.md"}, Project: []string{".opencode/plans/*.md"}},
			Lists: Places{User: []Path{xdgData + "opencode/storage/todo/*.json", xdgData + "opencode/opencode.db"}},
		},
		Sessions: []Path{xdgData + "opencode"},
		State:    []Path{config, xdgData + "opencode", xdgState + "opencode", xdgCache + "opencode"},
		Resume:   []string{"opencode", "--session", SessionID},
	}
}
