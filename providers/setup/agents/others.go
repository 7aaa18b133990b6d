package agents

import (
	"os"

	"ctxfs/providers/internal/edit"
)

// goose reads .goosehints of its folder, and AGENTS.md in a project. By default it runs all
// commands (GOOSE_MODE auto), and permission.yaml has tools, not commands.
//
// Source: documentation/docs/guides/context-engineering/using-goosehints.md and
// /guides/goose-permissions.md of block/goose.
func goose(p *plan) { p.pointer("") }

// amp: its threads are not on the machine; its plugins are programs in TypeScript of an
// interface that is not documented in its package, and permissions match a command as a
// whole by "*", which redirections would fit, too. So it gets the pointer only.
//
// Source: ampcode.com/manual (AGENTS.md, permissions).
func amp(p *plan) {
	p.pointer("")
	p.note("Amp asks before commands as its permissions say; nothing is added to them")
}

// maxGlobalRules is how many bytes of its global rules Windsurf reads.
const maxGlobalRules = 6000

// windsurf has one file with the user's rules.
//
// Source: docs.windsurf.com/windsurf/cascade/memories.
func windsurf(p *plan) {
	p.pointer("")
	file := p.file(p.agent.Always)
	if info, err := os.Stat(file); p.Project == "" && err == nil && info.Size()+int64(len(p.text())) > maxGlobalRules {
		p.note("Windsurf reads %d characters of %s, which are used up: what is beyond is not read", maxGlobalRules, p.short(file))
	}
}

// zed asks before commands as agent.tool_permissions of its settings say, which match a whole
// line by expressions; nothing is added to them.
//
// Source: zed.dev/docs/ai/rules and /docs/ai/tool-permissions.
func zed(p *plan) { p.pointer("") }

// cline reads all files of its folder of rules.
//
// Source: docs.cline.bot/customization/cline-rules.
func cline(p *plan) { p.pointer("") }

// claudeDesktop has no shell: it gets the gateway, `ctxfs serve`, as an MCP server.
//
// Source: modelcontextprotocol.io/docs/develop/connect-local-servers.
func claudeDesktop(p *plan) {
	if p.Project != "" {
		p.note("Claude Desktop knows no projects")
		return
	}
	p.change(p.file(p.agent.MCP.Places), "the gateway as an MCP server", edit.Member([]string{p.agent.MCP.Key, "ctxfs"}, struct {
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}{p.Program, []string{"serve"}}).Owned())
	p.note("Claude Desktop reads its configuration when it starts: quit it and start it again")
}
