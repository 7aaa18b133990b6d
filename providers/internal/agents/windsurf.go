package agents

// windsurf describes the editor Windsurf. Its sessions are not on disk in a known
// form.
//
// Source: docs.windsurf.com/windsurf/cascade/mcp, /cascade/memories, /cascade/skills,
// /cascade/workflows, /cascade/modes (plans).
func windsurf() Agent {
	return Agent{
		ID: "windsurf", Name: "Windsurf", Home: "~/.codeium/windsurf/", Programs: []string{"windsurf"},
		MCP: MCP{
			Places: Places{User: []Path{"~/.codeium/windsurf/mcp_config.json"}},
			Syntax: JSONC, Key: "mcpServers",
		},
		Skills:   Skills{Places: Places{User: []Path{"~/.codeium/windsurf/skills"}, Project: []string{".windsurf/skills"}}},
		Commands: Places{User: []Path{"~/.codeium/windsurf/global_workflows/*.md"}, Project: []string{".windsurf/workflows/*.md"}},
		Rules: Rules{
			Places: Places{
				System:  []Path{onLinux + "/etc/windsurf/rules/*.md", onDarwin + "/Library/Application Support/Windsurf/rules/*.md"},
				User:    []Path{"~/.codeium/windsurf/memories/global_rules.md"},
				Project: []string{".windsurf/rules/**/*.md", ".windsurfrules", "AGENTS.md", "agents.md"},
			},
			Nested: []string{".windsurf/rules/**/*.md", "AGENTS.md", "agents.md"},
		},
		Always: Places{User: []Path{"~/.codeium/windsurf/memories/global_rules.md"}, Project: []string{"AGENTS.md"}},
		Hooks: Hooks{
			Places: Places{User: []Path{"~/.codeium/windsurf/hooks.json"}, Project: []string{".windsurf/hooks.json"}},
			Events: []string{"pre_write_code"},
		},
		Plans:  Plans{Texts: Places{User: []Path{"~/.windsurf/plans/*.md"}, Project: []string{".windsurf/plans/*.md"}}},
		Memory: Places{User: []Path{"~/.codeium/windsurf/memories"}},
	}
}
