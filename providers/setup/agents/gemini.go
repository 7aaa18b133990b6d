package agents

import (
	"path/filepath"

	"ctxfs/providers/setup/edit"
)

// gemini: hooks are in settings.json, what may run without asking is in policies/*.toml,
// where the rule of the highest priority counts: ours has the lowest, so that a user's deny
// stays. Its shell reads all files. Its own tools for files read only folders of the
// workspace; context.includeDirectories would make the mount one, but then the tree of the
// mount is sent with every session, so that nothing is set.
//
// Sources: @google/gemini-cli 0.61.0, docs/hooks/reference.md (a matcher is an expression
// over names of tools, a timeout is in milliseconds), docs/reference/policy-engine.md (rules
// of workspaces have no effect) and getEnvironmentContext and ChatCompressionService.compress in its bundle.
func gemini(p *plan) {
	file := p.file(p.agent.Always)
	user := p.file(p.agent.Hooks.Places)
	there := settings(user)
	if names := texts(there, "context", "fileName"); len(names) > 0 && filepath.IsLocal(names[0]) {
		file = filepath.Join(filepath.Dir(file), names[0])
	}
	p.pointerIn(file, "")

	if is(there, "false", "hooksConfig", "enabled") {
		p.note("hooks are switched off in %s (hooksConfig.enabled), which stays as it is", p.short(user))
	} else {
		p.hooks(user, func(event string) any {
			matcher := map[string]string{
				"BeforeTool": "replace|write_file|edit",
				"AfterTool":  "run_shell_command|mcp_.*",
				// One that is automatic is announced before each request, also where
				// nothing is compressed then.
				"PreCompress": "manual",
			}[event]
			return group{Matcher: matcher, Hooks: []handler{{Name: "ctxfs", Type: "command", Command: p.command(event), Timeout: 1000 * hookSeconds}}}
		})
	}
	if p.Project != "" {
		return
	}
	commands := make([]string, 0, len(Reading()))
	for _, words := range Reading() {
		commands = append(commands, "ctxfs "+words)
	}
	p.change(p.file(p.agent.Permissions), "permissions", edit.File([]byte(
		`# Written by "ctxfs setup gemini"; "ctxfs setup --undo gemini" takes it away again.
# These commands of ctxfs only read. All others ask: call, run, trust and so on.
[[rule]]
toolName = "run_shell_command"
commandPrefix = [`+quoted(commands)+`]
decision = "allow"
priority = 1
`)))
}
