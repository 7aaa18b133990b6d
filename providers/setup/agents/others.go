package agents

import (
	"os"
	"path/filepath"
	"strings"

	"ctxfs/providers/setup/edit"
)

// goose reads .goosehints of its folder, and AGENTS.md in a project. By default it runs all
// commands (GOOSE_MODE auto), and permission.yaml has tools, not commands.
//
// Source: documentation/docs/guides/context-engineering/using-goosehints.md and
// /guides/goose-permissions.md of block/goose.
func goose(p *plan) { p.pointer() }

// amp: its threads are not on the machine; its plugins are programs in TypeScript of an
// interface that is not documented in its package, and permissions match a command as a
// whole by "*", which redirections would fit, too. So it gets the pointer only.
//
// Source: ampcode.com/manual (AGENTS.md, permissions).
func amp(p *plan) {
	p.pointer()
	p.note("Amp asks before commands as its permissions say; nothing is added to them")
}

// maxGlobalRules is how many bytes of its global rules Windsurf reads.
const maxGlobalRules = 6000

// windsurf has one file with the user's rules. Of its hooks the model reads only why one
// refuses a call, by exit code 2; other codes let it go on.
//
// Sources: docs.windsurf.com/windsurf/cascade/memories and /cascade/hooks.
func windsurf(p *plan) {
	p.pointer()
	file := p.file(p.agent.Always)
	if info, err := os.Stat(file); p.Project == "" && err == nil && info.Size()+int64(len(p.text())) > maxGlobalRules {
		p.note("Windsurf reads %d characters of %s, which are used up: what is beyond is not read", maxGlobalRules, p.short(file))
	}
	p.hooks(p.file(p.agent.Hooks.Places), func(event string) any {
		return struct {
			Command string `json:"command"`
			Shown   bool   `json:"show_output"`
		}{p.bare(event), false}
	})
}

// zed asks before commands as agent.tool_permissions of its settings say, which match a whole
// line by expressions; nothing is added to them.
//
// Source: zed.dev/docs/ai/rules and /docs/ai/tool-permissions.
func zed(p *plan) { p.pointer() }

// cline reads all files of its folder of rules, and runs the program that has the name of an
// event in its folder of hooks. There is one for each event: one that is there already stays.
//
// Sources: docs.cline.bot/customization/cline-rules and /customization/hooks; @cline/core
// 0.0.86, listHookConfigFiles.
func cline(p *plan) {
	p.pointer()
	folder := p.file(p.agent.Hooks.Places)
	for _, event := range p.agent.Hooks.Events {
		file := filepath.Join(folder, event)
		body := "#!/bin/sh\n# Written by \"ctxfs setup cline\"; \"ctxfs setup --undo cline\" takes it away again.\n" + p.command(event) + "\n"
		if exists(file) && !strings.Contains(string(content(file)), p.mark(event)) {
			p.note("%s is a hook of your own and stays; let it run %q for what ctxfs says then", p.short(file), p.command(event))
			continue
		}
		p.change(file, "a hook", edit.File([]byte(body)))
		p.changes[len(p.changes)-1].Mode = 0o755
	}
}

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
