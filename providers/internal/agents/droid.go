package agents

// droid describes Factory's agent.
//
// Sources: docs.factory.ai/reference/cli-reference, /cli/configuration/skills,
// /cli/configuration/custom-slash-commands, /cli/configuration/custom-droids.
func droid() Agent {
	return Agent{
		ID: "droid", Name: "Droid", Home: "~/.factory/",
		ToolNames: []string{"{server}___{tool}"},
		Skills:    Skills{Places: Places{User: []Path{"~/.factory/skills"}, Project: []string{".factory/skills"}}},
		Commands:  Places{User: []Path{"~/.factory/commands/*.md"}, Project: []string{".factory/commands/*.md"}},
		Subagents: Places{User: []Path{"~/.factory/droids/*.md"}, Project: []string{".factory/droids/*.md"}},
		Rules:     Rules{Places: Places{User: []Path{"~/.factory/AGENTS.md"}, Project: []string{"AGENTS.md"}}, Nested: []string{"AGENTS.md"}},
		Memory:    Places{User: []Path{"~/.factory/memories.md"}, Project: []string{".factory/memories.md"}},
		Sessions:  []Path{"~/.factory/sessions"},
		Resume:    []string{"droid", "--resume", SessionID},
	}
}
