package agents

// goose describes Goose. GOOSE_PATH_ROOT moves its data. The variable of its session has
// a name that others use, too.
//
// Sources: block.github.io/goose/docs/guides/config-files, /guides/using-goosehints,
// /guides/goose-cli-commands,
// /guides/context-engineering/plugins, /guides/context-engineering/using-skills; sessions as its reader has them.
func goose() Agent {
	files := []string{"AGENTS.md", ".goosehints"}
	return Agent{
		ID: "goose", Name: "Goose", Home: xdgConfig + "goose/", Programs: []string{"goose"},
		Session: []Variable{{Name: "AGENT_SESSION_ID", With: &Variable{Name: "AGENT", Want: "goose"}}},
		MCP: MCP{
			Places: Places{User: []Path{xdgConfig + "goose/config.yaml"}},
			Syntax: YAML, Key: "extensions",
		},
		ToolNames: []string{"{server}__{tool}"},
		Skills: Skills{
			Places: Places{User: []Path{xdgConfig + "goose/skills"}, Project: []string{".goose/skills"}},
			Also: Places{
				User:    []Path{SharedSkills, xdgConfig + "agents/skills", "${CLAUDE_CONFIG_DIR:-~/.claude}/skills"},
				Project: []string{sharedProjectSkills, ".claude/skills"},
			},
			Deprecated: true,
		},
		Plugins: []Path{"~/.agents/plugins"},
		Rules: Rules{
			Places: Places{User: []Path{xdgConfig + "goose/AGENTS.md", xdgConfig + "goose/.goosehints"}, Project: files},
			Nested: files, Imports: 3,
		},
		Always:   Places{User: []Path{xdgConfig + "goose/.goosehints"}, Project: []string{"AGENTS.md"}},
		Memory:   Places{User: []Path{xdgConfig + "goose/memory"}, Project: []string{".goose/memory"}},
		Sessions: []Path{"${GOOSE_PATH_ROOT}/data/sessions", xdgData + "goose/sessions"},
		State:    []Path{"${GOOSE_PATH_ROOT}", xdgConfig + "goose", xdgData + "goose", xdgState + "goose"},
		Resume:   []string{"goose", "session", "--resume", "--session-id", SessionID},
	}
}
