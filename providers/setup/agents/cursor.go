package agents

import (
	"strings"

	"ctxfs/providers/setup/edit"
)

// cursor: hooks are in hooks.json. Its user rules are in a database of the editor, so that
// only a hook can point at the mount in all projects; its sandbox reads what sandbox.json
// lists besides the workspace.
//
// Sources: cursor.com/docs/agent/hooks (version 1; an event has a list of command, timeout in
// seconds and matcher, an expression over types of tools), /docs/reference/sandbox, and
// /docs/cli/reference/permissions. permissions.json is left alone: a terminalAllowlist in it
// replaces the one in the editor's settings. So is Shell(...) in cli-config.json: nothing
// says that a redirection to a file would still ask.
func cursor(p *plan) {
	p.pointer()
	if p.Project == "" {
		p.note("Cursor keeps user rules in its settings: put this there (Settings, Rules), for sessions without hooks: %s", oneLine(p.text()))
	}
	if file := p.file(p.agent.Hooks.Places); len(p.agent.Hooks.Events) > 0 {
		if v, ok := settings(file).Get("version"); !ok || v.Text == "1" {
			p.change(file, "hooks", edit.Member([]string{"version"}, 1))
		}
		p.hooks(file, func(event string) any {
			matcher := map[string]string{"preToolUse": "Write", "postToolUse": "Shell|MCP"}[event]
			return struct {
				Command string `json:"command"`
				Timeout int    `json:"timeout"`
				Matcher string `json:"matcher,omitempty"`
			}{p.command(event), hookSeconds, matcher}
		})
	}
	if p.Project != "" {
		return
	}
	p.change(p.file(p.agent.Sandbox), "its sandbox reads the mount", edit.Element([]string{"additionalReadonlyPaths"}, p.Mount))

	file := p.file(p.agent.Permissions)
	if !exists(file) { // Cursor's program writes the whole of it at its first start
		return
	}
	for _, rule := range texts(settings(file), "permissions", "deny") {
		if strings.HasPrefix(rule, "Read("+p.Mount) || strings.HasPrefix(rule, "Read("+p.mount()) {
			p.note("%s stays in %s: reading the mount is refused", rule, p.short(file))
			return
		}
	}
	p.change(file, "permissions", edit.Element([]string{"permissions", "allow"}, "Read("+p.Mount+"/**)"))
}
