package agents

// copilot describes the Copilot CLI of GitHub. COPILOT_HOME moves all that it keeps. In
// a project it reads Claude Code's .mcp.json.
//
// Sources: docs.github.com/en/copilot/how-tos/copilot-cli,
// /copilot/how-tos/configure-custom-instructions.
func copilot() Agent {
	const home = "${COPILOT_HOME:-~/.copilot}/"
	files := []string{
		".github/copilot-instructions.md", ".github/instructions/**/*.instructions.md", "AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "GEMINI.md",
	}
	return Agent{
		ID: "copilot", Name: "Copilot CLI", Home: home, Programs: []string{"copilot"},
		Session: []Variable{{Name: "COPILOT_AGENT_SESSION_ID"}},
		MCP: MCP{
			Places: Places{User: []Path{home + "mcp-config.json"}, Project: []string{".mcp.json"}},
			Syntax: JSONC, Key: "mcpServers",
		},
		ToolNames: []string{"{server}-{tool}"},
		Skills: Skills{
			Places: Places{User: []Path{home + "skills"}, Project: []string{".github/skills"}},
			Also:   Places{User: []Path{SharedSkills}, Project: []string{".claude/skills", sharedProjectSkills}},
		},
		Subagents: Places{User: []Path{home + "agents/*.md"}, Project: []string{".github/agents/*.md"}},
		Rules: Rules{
			Places: Places{User: []Path{home + "copilot-instructions.md", home + "instructions/**/*.instructions.md"}, Project: files},
			Nested: files,
		},
		Always: Places{User: []Path{home + "copilot-instructions.md"}, Project: []string{".github/copilot-instructions.md", "AGENTS.md"}},
		Hooks: Hooks{
			Places: Places{User: []Path{home + "hooks/ctxfs.json"}, Project: []string{".github/hooks/ctxfs.json"}},
			Events: []string{"sessionStart", "userPromptSubmitted", "preToolUse", "postToolUse", "postToolUseFailure", "preCompact"},
		},
		Plans: Plans{
			Lists: Places{User: []Path{home + "session-state/*/plan.md", home + "session-state/*/session.db"}},
		},
		Sessions: []Path{home + "session-state"},
		State:    []Path{home, xdgCache + "copilot"},
		Resume:   []string{"copilot", "--resume", SessionID},
	}
}
