package agents

// kiro describes Kiro's program for the terminal.
//
// Sources: kiro.dev/docs/cli/chat/session-management, /docs/skills,
// /docs/steering, /docs/specs, /docs/cli/experimental/todo-lists; sessions as package kiro has them.
func kiro() Agent {
	return Agent{
		ID: "kiro", Name: "Kiro", Home: "~/.kiro/",
		ToolNames: []string{"@{server}/{tool}", "{server}___{tool}"},
		Skills:    Skills{Places: Places{User: []Path{"~/.kiro/skills"}, Project: []string{".kiro/skills"}}},
		Rules:     Rules{Places: Places{User: []Path{"~/.kiro/steering/**/*.md"}, Project: []string{".kiro/steering/**/*.md", "AGENTS.md"}}},
		Plans: Plans{
			Lists: Places{Project: []string{".kiro/specs/*/tasks.md", ".kiro/cli-todo-lists/*.json"}},
		},
		Sessions: []Path{"~/.kiro/sessions", onLinux + xdgData + "kiro-cli", onDarwin + library + "kiro-cli"},
		Resume:   []string{"kiro-cli", "chat", "--resume-id", SessionID},
	}
}
