package agents

// droid describes Factory's agent.
//
// Sources: docs.factory.ai/reference/cli-reference, /cli/configuration/skills.
func droid() Agent {
	return Agent{
		ID: "droid", Name: "Droid", Home: "~/.factory/",
		ToolNames: []string{"{server}___{tool}"},
		Skills:    Skills{Places: Places{User: []Path{"~/.factory/skills"}, Project: []string{".factory/skills"}}},
		Rules:     Rules{Places: Places{User: []Path{"~/.factory/AGENTS.md"}, Project: []string{"AGENTS.md"}}, Nested: []string{"AGENTS.md"}},
		Sessions:  []Path{"~/.factory/sessions"},
		Resume:    []string{"droid", "--resume", SessionID},
	}
}
