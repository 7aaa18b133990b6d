package agents

import (
	"os"
	"path/filepath"
)

// copilot: it has no file in which a folder or a command could be allowed in all projects:
// permissions-config.json has them by project.
//
// Sources: content/copilot/reference/hooks-reference.md and copilot-cli-reference/
// cli-config-dir-reference.md of github/docs, for 1.0.102.
func copilot(p *plan) {
	p.pointer("")
	if p.Project == "" {
		p.note("Copilot CLI asks once in each project before it reads the mount: let it, or start it with --add-dir %s", p.mount())
	}
}

// vscode: user instructions are a file of our own in each edition that is installed.
//
// Source: code.visualstudio.com/docs/copilot/customization/custom-instructions: files
// *.instructions.md in User/prompts; applyTo "**" puts one into every request.
func vscode(p *plan) {
	if p.Project != "" {
		p.pointer("")
		return
	}
	for _, file := range p.in(p.agent.Always) {
		if user := filepath.Dir(filepath.Dir(file)); isFolder(user) {
			p.pointerIn(file, "---\napplyTo: \"**\"\ndescription: where context files are\n---\n\n")
		}
	}
}

// isFolder reports whether a folder is there.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
