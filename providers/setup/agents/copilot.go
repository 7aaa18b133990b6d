package agents

import (
	"encoding/json"
	"path/filepath"

	known "ctxfs/providers/internal/agents"
	"ctxfs/providers/setup/edit"
)

// copilot: hooks are in a file of our own. It has no file in which a folder or a command
// could be allowed in all projects: permissions-config.json has them by project.
//
// Sources: content/copilot/reference/hooks-reference.md and copilot-cli-reference/
// cli-config-dir-reference.md of github/docs, for 1.0.102.
func copilot(p *plan) {
	p.pointer()
	copilotHooks(p)
	if p.Project == "" {
		p.note("Copilot CLI asks once in each project before it reads the mount: let it, or start it with --add-dir %s", p.mount())
	}
}

// copilotHooks adds the file that Copilot CLI and VS Code both read: events are named as in
// Copilot CLI, and VS Code takes these and bash, too, but no matchers. What a hook is given
// tells which of them it is.
func copilotHooks(p *plan) {
	type hook struct {
		Type    string `json:"type"`
		Matcher string `json:"matcher,omitempty"`
		Bash    string `json:"bash"`
		Timeout int    `json:"timeoutSec"`
	}
	events := make(map[string][]hook)
	both := *p
	both.agent = known.ByID("copilot")
	for _, event := range both.agent.Hooks.Events {
		h := hook{Type: "command", Bash: both.command(event), Timeout: hookSeconds}
		if event == "preToolUse" {
			h.Matcher = "create|edit|str_replace_editor|apply_patch"
		}
		events[event] = []hook{h}
	}
	text, err := json.MarshalIndent(struct {
		Version int               `json:"version"`
		Hooks   map[string][]hook `json:"hooks"`
	}{1, events}, "", "  ")
	if err != nil {
		panic(err) // it is made of strings and numbers
	}
	p.change(p.file(p.agent.Hooks.Places), "hooks", edit.File(append(text, '\n')))
}

// vscode: user instructions are a file of our own in each edition that is installed. It also
// runs the hooks in ~/.claude/settings.json.
//
// Sources: code.visualstudio.com/docs/copilot/customization/custom-instructions (files
// *.instructions.md in User/prompts; applyTo "**" puts one into every request) and
// docs/agent-customization/hooks.md of microsoft/vscode-docs.
func vscode(p *plan) {
	copilotHooks(p)
	if p.Project != "" {
		p.pointer()
		return
	}
	editions := 0
	for _, file := range p.in(p.agent.Always) {
		if user := filepath.Dir(filepath.Dir(file)); isFolder(user) {
			p.pointerIn(file, "---\napplyTo: \"**\"\ndescription: where context files are\n---\n\n")
			editions++
		}
	}
	if editions == 0 {
		p.note("VS Code has no folder of settings yet: start it once, then set it up again for the pointer in its instructions")
	}
}
