package agents

import (
	"bytes"
	"slices"
	"strings"

	"ctxfs/providers/setup/edit"
)

// codex: hooks are in hooks.json, what may run without asking is in rules/*.rules. What a
// rule allows runs outside the sandbox, and so reaches the background process; of several
// rules for a command the strictest counts, so that a user's "prompt" or "forbidden" stays.
// Its sandbox lets all files be read, unless a permission profile says otherwise.
//
// Sources: @openai/codex 0.169.0 (`codex execpolicy check --rules FILE`, `codex features
// list`: hooks are stable), codex-rs/execpolicy/README.md and codex-rs/hooks of openai/codex,
// developers.openai.com/codex/hooks and /permissions.
func codex(p *plan) {
	// It reads the first of them that has something in it.
	files := p.in(p.agent.Always)
	i := slices.IndexFunc(files, func(f string) bool { return len(bytes.TrimSpace(content(f))) > 0 })
	if i < 0 {
		i = len(files) - 1
	}
	p.pointerIn(files[i], "")
	p.hooks(p.file(p.agent.Hooks.Places), func(event string) any {
		matcher := map[string]string{
			"PreToolUse":  "apply_patch|Edit|Write",
			"PostToolUse": "Bash|mcp__.*",
		}[event]
		return group{Matcher: matcher, Hooks: []handler{{Type: "command", Command: p.command(event), Timeout: hookSeconds}}}
	})
	if len(p.agent.Hooks.Events) > 0 {
		p.note("Codex runs new hooks only after you have looked at them: type /hooks in it once")
	}
	p.change(p.file(p.agent.Permissions), "permissions", edit.File([]byte(codexRules())))

	for line := range strings.Lines(string(content(p.file(p.agent.MCP.Places)))) {
		switch name, _, _ := strings.Cut(line, "="); strings.TrimSpace(name) {
		case "default_permissions":
			p.note("config.toml has a permission profile: add %q = \"read\" to its filesystem, if it does not read the whole disk", p.mount())
		case "codex_hooks", "hooks", "features.hooks":
			if strings.Contains(line, "false") {
				p.note("hooks are switched off in config.toml, which stays as it is: %s", strings.TrimSpace(line))
			}
		}
		if strings.HasPrefix(strings.TrimSpace(line), "[[hooks.") {
			p.note("config.toml has hooks, too; Codex runs both, and says at its start that one place would do")
		}
	}
}

// codexRules returns a file of rules.
func codexRules() string {
	var words, afterMemory []string
	for _, command := range Reading() {
		if rest, ok := strings.CutPrefix(command, "memory "); ok {
			afterMemory = append(afterMemory, rest)
		} else {
			words = append(words, command)
		}
	}
	return `# Written by "ctxfs setup codex"; "ctxfs setup --undo codex" takes it away again.
# These commands of ctxfs only read. All others ask: call, run, trust and so on.
prefix_rule(
    pattern = ["ctxfs", [` + quoted(words) + `]],
    decision = "allow",
    justification = "reads what ctxfs shows",
    match = ["ctxfs find 'create issue'", "ctxfs here --page"],
    not_match = ["ctxfs call github create_issue", "ctxfs run -- ls", "ctxfs trust ."],
)
prefix_rule(
    pattern = ["ctxfs", "memory", [` + quoted(afterMemory) + `]],
    decision = "allow",
    justification = "reads what ctxfs shows",
    match = ["ctxfs memory show NAME"],
    not_match = ["ctxfs memory accept NAME"],
)
`
}
