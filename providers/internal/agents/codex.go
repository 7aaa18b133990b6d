package agents

// codex describes Codex of OpenAI. CODEX_HOME moves all that it keeps.
//
// Sources: developers.openai.com/codex/config-reference, /skills, /plugins,
// /subagents, /custom-prompts, /hooks, /cli;
// docs/agents_md.md and codex-rs/memories of openai/codex.
func codex() Agent {
	const home = "${CODEX_HOME:-~/.codex}/"
	files := []string{"AGENTS.override.md", "AGENTS.md"}
	return Agent{
		ID: "codex", Name: "Codex", Home: home, Programs: []string{"codex"},
		Session: []Variable{{Name: "CODEX_THREAD_ID"}}, Marks: []Variable{{Name: "CODEX_SANDBOX"}},
		Prefix: "CODEX_", Settings: []string{"CODEX_HOME"},
		MCP: MCP{
			Places: Places{User: []Path{home + "config.toml"}, Project: []string{".codex/config.toml"}},
			Syntax: TOML, Key: "mcp_servers",
		},
		ToolNames: []string{"mcp__{server}__{tool}", "{server}__{tool}"},
		Skills: Skills{
			Places:     Places{System: []Path{"/etc/codex/skills"}, User: []Path{home + "skills"}, Project: []string{".codex/skills"}},
			Also:       Places{User: []Path{SharedSkills}, Project: []string{sharedProjectSkills}},
			Nested:     true,
			KeepsAll:   true,
			Groups:     []string{".system"},
			Deprecated: true,
		},
		Commands:  Places{User: []Path{home + "prompts/*.md"}},
		Subagents: Places{User: []Path{home + "agents/*.toml"}, Project: []string{".codex/agents/*.toml"}},
		Plugins:   []Path{home + "plugins"},
		Rules: Rules{
			Places:   Places{User: []Path{home + "AGENTS.override.md", home + "AGENTS.md"}, Project: files},
			Nested:   files,
			Settings: Places{User: []Path{home + "config.toml"}, Project: []string{".codex/config.toml"}},
		},
		Always:      Places{User: []Path{home + "AGENTS.override.md", home + "AGENTS.md"}, Project: files},
		Permissions: Places{User: []Path{home + "rules/ctxfs.rules"}, Project: []string{".codex/rules/ctxfs.rules"}},
		Memory:      Places{User: []Path{home + "memories"}},
		Hooks: Hooks{
			Places: Places{User: []Path{home + "hooks.json"}, Project: []string{".codex/hooks.json"}},
			Events: []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact"},
		},
		Sessions: []Path{home + "sessions", home + "archived_sessions"},
		State:    []Path{home},
		Resume:   []string{"codex", "resume", SessionID},
	}
}
