package agents

// vscode describes VS Code with its chat, and what is built from it.
//
// Sources: code.visualstudio.com/docs/copilot/reference/mcp-configuration,
// /copilot/customization/agent-skills, /copilot/customization/custom-instructions;
// /docs/agents/run/memory; sessions as package copilot has them.
func vscode() Agent {
	a := Agent{
		ID: "vscode", Name: "VS Code", Programs: []string{"code", "code-insiders", "codium"},
		MCP: MCP{
			Places: Places{Project: []string{".vscode/mcp.json"}},
			Syntax: JSONC, Key: "servers",
		},
		ToolNames: []string{"mcp_{server}_{tool}"},
		Skills: Skills{
			Places: Places{User: []Path{"~/.copilot/skills"}, Project: []string{".github/skills"}},
			Also: Places{
				User:    []Path{SharedSkills, "${CLAUDE_CONFIG_DIR:-~/.claude}/skills"},
				Project: []string{".claude/skills", sharedProjectSkills},
			},
		},
		Hooks:     copilot().Hooks,
		Commands:  Places{Project: []string{".github/prompts/**/*.prompt.md"}},
		Subagents: Places{Project: []string{".github/agents/*.md", ".github/chatmodes/*.chatmode.md"}},
		Rules: Rules{Places: Places{
			User: []Path{"~/.copilot/instructions/**/*.instructions.md", "~/.claude/rules/**/*.md", "~/.claude/CLAUDE.md"},
			Project: []string{
				".github/copilot-instructions.md", ".github/instructions/**/*.instructions.md", ".claude/rules/**/*.md",
				"AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md",
			},
		}, Settings: Places{Project: []string{".vscode/settings.json"}}},
	}
	a.Always.Project = []string{".github/copilot-instructions.md", "AGENTS.md"}
	for _, editor := range []Path{"Code", "Code - Insiders", "VSCodium"} {
		a.Data = append(a.Data, support+editor+"/User")
		a.Always.User = append(a.Always.User, support+editor+"/User/prompts/ctxfs.instructions.md")
		a.MCP.User = append(a.MCP.User, support+editor+"/User/mcp.json")
		a.Rules.User = append(a.Rules.User, support+editor+"/User/prompts/**/*.instructions.md")
		a.Rules.Settings.User = append(a.Rules.Settings.User, support+editor+"/User/settings.json")
		a.Commands.User = append(a.Commands.User, support+editor+"/User/prompts/*.prompt.md")
		a.Subagents.User = append(a.Subagents.User, support+editor+"/User/prompts/*.agent.md", support+editor+"/User/prompts/*.chatmode.md")
	}
	for _, user := range []Path{
		support + "Code/User", support + "Code - Insiders/User", support + "VSCodium/User", support + "VSCodium - Insiders/User",
		"~/.vscode-server/data/User", "~/.vscode-server-insiders/data/User", "~/.vscodium-server/data/User",
	} {
		a.Memory.User = append(a.Memory.User,
			user+"/globalStorage/github.copilot-chat/memory-tool/memories", user+"/workspaceStorage/*/GitHub.copilot-chat/memory-tool/memories/repo")
		a.Sessions = append(a.Sessions, user+"/workspaceStorage", user+"/globalStorage/emptyWindowChatSessions")
	}
	return a
}
