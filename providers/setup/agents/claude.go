package agents

import (
	"slices"
	"strings"

	"ctxfs/providers/setup/edit"
)

// claudeCode: hooks and permissions are in settings.json, the user's or the project's.
//
// Sources: @anthropic-ai/claude-code 2.1.330, the schema of settings in its bundle: hooks
// by event with groups of matcher (names of tools with "|" between them, or an expression)
// and hooks, a timeout in seconds; rules of permissions such as Bash(PREFIX:*),
// Read(~/FOLDER/**) and Read(//FOLDER/**), where a deny wins; additionalDirectories, which
// load no skills, but are mounted into its sandbox to be written to, so that a mount that
// hangs would hold up every command there; sandbox.excludedCommands, which still ask. On
// Linux its sandbox cannot allow one socket (network.allowUnixSockets is for macOS only),
// and allowAllUnixSockets would open all. Settings with comments are left out whole.
func claudeCode(p *plan) {
	p.pointer()
	p.strict = true
	file := p.file(p.agent.Permissions)
	p.hooks(file, func(event string) any {
		matcher := map[string]string{
			"PreToolUse":  "Edit|MultiEdit|Write|NotebookEdit",
			"PostToolUse": "Bash|mcp__.*",
		}[event]
		return group{Matcher: matcher, Hooks: []handler{{Type: "command", Command: p.command(event), Timeout: hookSeconds}}}
	})

	there := settings(file)
	sandboxed := is(there, "true", "sandbox", "enabled")
	refused := append(texts(there, "permissions", "deny"), texts(there, "permissions", "ask")...)
	var edits []edit.Edit
	allow := func(rules ...string) {
		for _, rule := range rules {
			edits = append(edits, edit.Element([]string{"permissions", "allow"}, rule))
		}
	}
	folder := p.mount()
	if strings.HasPrefix(folder, "/") {
		folder = "/" + folder // one slash is the folder of the settings
	}
	for _, rule := range refused {
		if strings.HasPrefix(rule, "Read("+folder) || strings.HasPrefix(rule, "Bash(ctxfs") {
			p.note("%s stays in %s, and wins over what is allowed", rule, p.short(file))
		}
	}
	if !slices.Contains(refused, "Read("+folder+"/**)") {
		allow("Read(" + folder + "/**)")
		if p.Project == "" && !sandboxed {
			edits = append(edits, edit.Element([]string{"permissions", "additionalDirectories"}, p.Mount))
		}
	}
	all := []string{"Bash(ctxfs)", "Bash(ctxfs:*)", "Bash(ctxfs *)"}
	if !slices.ContainsFunc(all, func(rule string) bool { return slices.Contains(refused, rule) }) {
		for _, words := range Reading() {
			if rule := "Bash(ctxfs " + words + ":*)"; !slices.Contains(refused, rule) {
				allow(rule)
			}
		}
	}
	p.change(file, "permissions", edits...)

	if sandboxed && p.Project == "" {
		edits = nil
		for _, words := range append(Reading(), connecting()...) {
			edits = append(edits, edit.Element([]string{"sandbox", "excludedCommands"}, "ctxfs "+words+":*"))
		}
		p.change(file, "ctxfs reaches its process from the sandbox", edits...)
	}
}
