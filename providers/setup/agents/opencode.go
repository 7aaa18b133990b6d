package agents

import (
	_ "embed" // the plugin
	"encoding/json"
	"strings"

	"ctxfs/providers/internal/syntax"
	"ctxfs/providers/setup/edit"
)

// opencode: permissions are in opencode.json. By default it runs all commands and asks
// before it reads outside the project. Of several patterns that fit the last one counts, so
// that nothing is added where a user has decided about all folders.
//
// Sources: opencode-ai 1.18.33, the types of its configuration in @opencode-ai/sdk 1.19.3
// (PermissionConfig: an action, or actions by tool and pattern) and fromConfig in its bundle,
// which expands "~/"; plugins as @opencode-ai/plugin 1.18.33 has them (dist/index.d.ts,
// interface Hooks): all files of the folders plugin and plugins are loaded.
func opencode(p *plan) {
	p.pointer()
	p.change(p.file(p.agent.Hooks.Places), "hooks, as a plugin", edit.File([]byte(p.plugin())))

	file := p.file(p.agent.Permissions)
	there := settings(file)
	permission, _ := there.At("permission")
	outside, _ := permission.At("external_directory")
	pattern := p.mount() + "/**"
	switch {
	case permission.Kind == syntax.Text || outside.Kind == syntax.Text:
		if permission.Text != "allow" && outside.Text != "allow" {
			p.note("the permission for folders outside the project stays as it is in %s: opencode asks or refuses when it reads the mount; to allow it, let external_directory be an object with %q: \"allow\"", p.short(file), pattern)
		}
	default:
		if set, ok := outside.At(pattern); ok && set.Text != "allow" {
			p.note("%q: %q stays in the permissions of %s", pattern, set.Text, p.short(file))
			break
		}
		p.change(file, "permissions", edit.Member([]string{"permission", "external_directory", pattern}, "allow"))
	}
	if bash, ok := permission.At("bash"); ok && bash.Text != "allow" {
		p.note("opencode asks before commands of ctxfs as permission.bash in %s says; nothing is added to it", p.short(file))
	}
}

//go:embed opencode.js
var opencodePlugin string

// plugin returns our plugin, which runs ctxfs by its path, or as PATH has it.
func (p *plan) plugin() string {
	if p.Project != "" {
		return opencodePlugin
	}
	program, _ := json.Marshal(p.Program) // a string always has one
	return strings.Replace(opencodePlugin, `const program = "ctxfs"`, "const program = "+string(program), 1)
}
