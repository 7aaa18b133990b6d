package agents

// claudeCode describes Claude Code of Anthropic. CLAUDE_CONFIG_DIR moves all that it
// keeps, ~/.claude.json included. Plugins have MCP servers and skills of their
// own.
//
// Sources: code.claude.com/docs/en/mcp, /skills, /memory, /hooks, /settings,
// /cli-reference, /sub-agents, /plugins-reference; the files of tasks as
// docs.rs/claude-wrapper, module tasks, has them; sessions as package claudecode has them.
func claudeCode() Agent {
	const (
		home            = "${CLAUDE_CONFIG_DIR:-~/.claude}/"
		managed         = "/etc/claude-code/"
		managedOnDarwin = "/Library/Application Support/ClaudeCode/"
	)
	files := []string{"CLAUDE.md", ".claude/CLAUDE.md", ".claude/rules/**/*.md", "CLAUDE.local.md", "AGENTS.md", ".claude/AGENTS.md"}
	settings := []string{".claude/settings.local.json", ".claude/settings.json"}
	return Agent{
		ID: "claude-code", Name: "Claude Code", Home: home, Programs: []string{"claude"},
		Session: []Variable{{Name: "CLAUDE_CODE_SESSION_ID"}}, Marks: []Variable{{Name: "CLAUDECODE"}},
		MCP: MCP{
			Places: Places{User: []Path{"${CLAUDE_CONFIG_DIR:-~}/.claude.json"}, Project: []string{".mcp.json"}},
			Syntax: JSONC, Key: "mcpServers",
		},
		ToolNames: []string{"mcp__{server}__{tool}"},
		Skills: Skills{
			Places: Places{System: []Path{onLinux + "/etc/claude-code/.claude/skills", onDarwin + "/Library/Application Support/ClaudeCode/.claude/skills"}, User: []Path{home + "skills"}, Project: []string{".claude/skills"}},
			Nested: true, SystemFirst: true, UserFirst: true,
			Groups: []string{"synced"},
		},
		Commands: Places{User: []Path{home + "commands/**/*.md"}, Project: []string{".claude/commands/**/*.md"}},
		Subagents: Places{
			System:  []Path{onLinux + "/etc/claude-code/.claude/agents/**/*.md", onDarwin + "/Library/Application Support/ClaudeCode/.claude/agents/**/*.md"},
			User:    []Path{home + "agents/**/*.md"},
			Project: []string{".claude/agents/**/*.md"},
		},
		Plugins: []Path{home + "plugins"},
		Rules: Rules{
			Places: Places{
				System: []Path{
					onLinux + managed + "CLAUDE.md", onDarwin + managedOnDarwin + "CLAUDE.md",
					onLinux + managed + ".claude/rules/**/*.md", onDarwin + managedOnDarwin + ".claude/rules/**/*.md",
				},
				User:    []Path{home + "CLAUDE.md", home + "rules/**/*.md"},
				Project: files,
			},
			Nested: files, Above: true, Imports: 4,
			Settings: Places{
				System: []Path{onLinux + managed + "managed-settings.json", onDarwin + managedOnDarwin + "managed-settings.json"},
				User:   []Path{home + "settings.json"}, Project: settings,
			},
		},
		Always:      Places{User: []Path{home + "CLAUDE.md"}, Project: []string{"CLAUDE.md", ".claude/CLAUDE.md", "AGENTS.md"}},
		Permissions: Places{User: []Path{home + "settings.json"}, Project: []string{".claude/settings.json"}},
		Memory: Places{
			User:    []Path{home + "projects/*/memory", home + "agent-memory"},
			Project: []string{".claude/agent-memory", ".claude/agent-memory-local"},
		},
		Plans: Plans{
			Texts: Places{User: []Path{home + "plans/*.md"}},
			Lists: Places{User: []Path{home + "tasks/*/*.json", home + "todos/*.json"}},
		},
		Hooks: Hooks{
			Places: Places{User: []Path{home + "settings.json"}, Project: settings},
			Events: []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PreCompact"},
		},
		Sessions: []Path{home + "projects", "~/.config/claude/projects"},
		State:    []Path{home, "${CLAUDE_CONFIG_DIR:-~}/.claude.json", xdgCache + "claude", xdgCache + "claude-cli-nodejs"},
		Resume:   []string{"claude", "--resume", SessionID},
	}
}
