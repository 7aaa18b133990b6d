package agents

// crush describes Crush of Charm. Each project has a database of sessions; the list of
// the projects is in the folder of its data.
//
// Sources: the README of charmbracelet/crush and its pull request 2422; sessions
// as its reader has them.
func crush() Agent {
	return Agent{
		ID: "crush", Name: "Crush", Home: xdgConfig + "crush/",
		Session:   []Variable{{Name: "CRUSH_SESSION_ID", HooksOnly: true}},
		ToolNames: []string{"mcp_{server}_{tool}"},
		Skills:    Skills{Places: Places{User: []Path{xdgConfig + "crush/skills"}}},
		Rules: Rules{
			Places: Places{Project: []string{
				".github/copilot-instructions.md", ".cursorrules", ".cursor/rules/**/*", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", "gemini.md",
				"crush.md", "crush.local.md", "Crush.md", "Crush.local.md", "CRUSH.md", "CRUSH.local.md", "AGENTS.md", "agents.md", "Agents.md",
			}},
			Settings: Places{User: []Path{xdgConfig + "crush/crush.json"}, Project: []string{".crush.json", "crush.json"}},
		},
		Sessions: []Path{"${CRUSH_GLOBAL_DATA:-" + xdgData + "crush}"},
		Resume:   []string{"crush", "--session", SessionID},
	}
}
