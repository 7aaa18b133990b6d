package agents

// extensionFolders returns the folders where an extension of VS Code, or of an
// editor built from it, keeps its files.
func extensionFolders(extension, below Path) (all []Path) {
	for _, editor := range []Path{"Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"} {
		all = append(all, support+editor+"/User/globalStorage/"+extension+"/"+below)
	}
	return all
}

// cline describes Cline: an extension of editors, and a program for the terminal.
//
// Sources: docs.cline.bot/mcp, /customization/skills, /customization/cline-rules;
// sessions as package cline has them.
func cline() Agent {
	const (
		extension = "saoudrizwan.claude-dev"
		settings  = "settings/cline_mcp_settings.json"
		data      = "${CLINE_DATA_DIR:-${CLINE_DIR:-~/.cline}/data}"
	)
	a := Agent{
		ID: "cline", Name: "Cline", Home: "${CLINE_DIR:-~/.cline}/", Programs: []string{"cline"},
		MCP: MCP{
			Places: Places{User: extensionFolders(extension, settings)},
			Syntax: JSONC, Key: "mcpServers",
		},
		Skills:   Skills{Places: Places{User: []Path{"~/.cline/skills"}, Project: []string{".cline/skills"}}},
		Commands: Places{User: []Path{"~/Documents/Cline/Workflows/*.md"}, Project: []string{".clinerules/workflows/*.md"}},
		Rules: Rules{
			Places: Places{
				User: []Path{"~/Documents/Cline/Rules/**/*.md", "~/Cline/Rules/**/*.md", "~/.agents/AGENTS.md"},
				Project: []string{
					".clinerules/**/*.md", ".clinerules/**/*.txt", ".clinerules", ".cursorrules", ".cursor/rules/**/*.mdc",
					".windsurfrules", "AGENTS.md",
				},
			},
			Nested: []string{"AGENTS.md"},
		},
		Always: Places{User: []Path{"~/Documents/Cline/Rules/ctxfs.md"}, Project: []string{"AGENTS.md"}},
		Hooks: Hooks{
			Places: Places{User: []Path{"~/Documents/Cline/Hooks"}, Project: []string{".clinerules/hooks"}},
			Events: []string{"TaskStart", "TaskResume", "UserPromptSubmit", "PostToolUse", "PreCompact"},
		},
		Plans:    Plans{Lists: Places{User: extensionFolders(extension, "tasks/*/focus_chain_taskid_*.md")}},
		Sessions: append(extensionFolders(extension, "tasks"), data+"/tasks", "${CLINE_SESSION_DATA_DIR:-"+data+"/sessions}"),
	}
	a.Data = extensionFolders(extension, "")
	for _, server := range []Path{".vscode-server", ".vscode-server-insiders", ".cursor-server"} {
		a.MCP.User = append(a.MCP.User, "~/"+server+"/data/User/globalStorage/"+extension+"/"+settings)
	}
	a.MCP.User = append(a.MCP.User, "~/.cline/data/"+settings)
	return a
}
