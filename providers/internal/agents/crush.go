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
		Rules:     Rules{Places: Places{Project: []string{"AGENTS.md", "CRUSH.md"}}},
		Sessions:  []Path{"${CRUSH_GLOBAL_DATA:-" + xdgData + "crush}"},
		Resume:    []string{"crush", "--session", SessionID},
	}
}
