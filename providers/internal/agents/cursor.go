package agents

// cursor describes Cursor: the editor and its program for the terminal.
//
// Sources: cursor.com/docs/context/mcp, /context/skills, /context/rules, /context/commands, /context/subagents, /agent/modes (plans),
// /agent/hooks, /cli/reference/parameters; sessions as package cursor has them.
func cursor() Agent {
	return Agent{
		ID: "cursor", Name: "Cursor", Home: "~/.cursor/", Programs: []string{"cursor", "cursor-agent"},
		Session: []Variable{{Name: "CURSOR_TRANSCRIPT_PATH", HooksOnly: true}}, Marks: []Variable{{Name: "CURSOR_AGENT"}},
		MCP: MCP{
			Places: Places{User: []Path{"~/.cursor/mcp.json"}, Project: []string{".cursor/mcp.json"}},
			Syntax: JSONC, Key: "mcpServers",
		},
		ToolNames: []string{"mcp_{server}_{tool}"},
		Skills: Skills{
			Places: Places{User: []Path{"~/.cursor/skills"}, Project: []string{".cursor/skills"}},
			Also: Places{
				User:    []Path{SharedSkills, "${CLAUDE_CONFIG_DIR:-~/.claude}/skills", "${CODEX_HOME:-~/.codex}/skills"},
				Project: []string{sharedProjectSkills, ".claude/skills", ".codex/skills"},
			},
			Nested: true,
		},
		Commands:  Places{User: []Path{"~/.cursor/commands/**/*.md"}, Project: []string{".cursor/commands/**/*.md"}},
		Subagents: Places{User: []Path{"~/.cursor/agents/**/*.md"}, Project: []string{".cursor/agents/**/*.md"}},
		Rules: Rules{
			Places: Places{Project: []string{".cursor/rules/**/*.mdc", ".cursorrules", "AGENTS.md", "CLAUDE.md"}},
			Nested: []string{".cursor/rules/**/*.mdc", "AGENTS.md"},
		},
		Always: Places{Project: []string{"AGENTS.md"}},
		Permissions: Places{
			User:    []Path{"${CURSOR_CONFIG_DIR:-${XDG_CONFIG_HOME}/cursor}/cli-config.json", "~/.cursor/cli-config.json"},
			Project: []string{".cursor/cli.json"},
		},
		Sandbox: Places{User: []Path{"~/.cursor/sandbox.json"}, Project: []string{".cursor/sandbox.json"}},
		Plans: Plans{
			Lists: Places{User: []Path{"~/.cursor/plans/*.plan.md"}, Project: []string{".cursor/plans/*.plan.md"}},
		},
		Hooks: Hooks{
			Places: Places{User: []Path{"~/.cursor/hooks.json"}, Project: []string{".cursor/hooks.json"}},
			Events: []string{"sessionStart", "beforeSubmitPrompt", "preToolUse", "postToolUse", "postToolUseFailure", "preCompact"},
		},
		Sessions: []Path{"~/.cursor/projects", "~/.cursor/chats", support + "Cursor/User/globalStorage"},
		State:    []Path{"~/.cursor", xdgConfig + "cursor"},
		Resume:   []string{"cursor-agent", "--resume", SessionID},
	}
}
