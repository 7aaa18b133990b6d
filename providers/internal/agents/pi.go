package agents

// pi describes the coding agent of badlogic/pi-mono. PI_CODING_AGENT_DIR moves all that
// it keeps.
//
// Source: packages/coding-agent/README.md of badlogic/pi-mono.
func pi() Agent {
	const home = "${PI_CODING_AGENT_DIR:-~/.pi/agent}/"
	files := []string{"AGENTS.md", "CLAUDE.md"}
	return Agent{
		ID: "pi", Name: "Pi", Home: home,
		Session:  []Variable{{Name: "PI_SESSION_ID"}},
		Skills:   Skills{Places: Places{User: []Path{home + "skills"}, Project: []string{".pi/skills"}}},
		Commands: Places{User: []Path{home + "prompts/*.md"}, Project: []string{".pi/prompts/*.md"}},
		Rules:    Rules{Places: Places{User: []Path{home + "AGENTS.md"}, Project: files}, Nested: files, Above: true},
		Sessions: []Path{home + "sessions"},
		Resume:   []string{"pi", "--session", SessionID},
	}
}
