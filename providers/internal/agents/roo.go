package agents

// roo describes Roo Code, an extension of editors.
//
// Sources: docs.roocode.com/features/skills, /features/slash-commands,
// /features/custom-instructions;
// sessions as package cline has them.
func roo() Agent {
	return Agent{
		ID: "roo", Name: "Roo", Home: "~/.roo/",
		ToolNames: []string{"mcp--{server}--{tool}"},
		Skills:    Skills{Places: Places{User: []Path{"~/.roo/skills"}, Project: []string{".roo/skills"}}},
		Commands:  Places{User: []Path{"~/.roo/commands/*.md"}, Project: []string{".roo/commands/*.md"}},
		Rules: Rules{Places: Places{
			User: []Path{"~/.roo/rules-*/**/*", "~/.roo/rules/**/*"},
			Project: []string{
				".roo/rules-*/**/*", ".roorules-*", "AGENTS.md", "AGENT.md", ".roo/rules/**/*", ".roorules", ".clinerules",
			},
		}},
		Sessions: extensionFolders("rooveterinaryinc.roo-cline", "tasks"),
	}
}
