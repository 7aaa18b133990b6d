package pattern

import (
	"slices"
	"strings"
)

// IsProbe reports whether programs look for a name in every folder, on their own: version
// control, package managers, editors, agents, file managers. No placeholder accepts it, so
// that none of them starts a command.
func IsProbe(name string) bool {
	if strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") || strings.HasPrefix(name, "#") {
		return true
	}
	_, found := slices.BinarySearch(probes(), strings.ToLower(name))
	return found
}

// probes returns these names, sorted, in small letters.
func probes() []string {
	return []string{
		"agents.md", "agents.override.md", "autorun.inf", "binding.gyp", "bower.json", "brewfile", "build.bazel", "build.gradle",
		"build.gradle.kts", "build.xml", "bun.lock", "bun.lockb", "cargo.lock", "cargo.toml", "claude.local.md", "claude.md", "cmakelists.txt", "commit_editmsg",
		"compile_commands.json", "compose.yaml", "compose.yml", "composer.json", "copilot-instructions.md", "deno.json", "deno.jsonc",
		"desktop.ini", "dockerfile", "flake.nix", "gemfile", "gemini.md", "gnumakefile", "go.mod", "go.sum", "go.work", "head", "jsconfig.json",
		"justfile", "lerna.json", "makefile", "mix.exs", "module.bazel", "node_modules", "nx.json", "objects", "orig_head", "package-lock.json",
		"package.json", "package.yaml", "packed-refs", "pipfile", "pnpm-lock.yaml", "pnpm-workspace.yaml", "poetry.lock", "pom.xml", "pyproject.toml", "pyrightconfig.json", "rakefile", "readme.md",
		"refs", "requirements.txt", "rush.json", "setup.cfg", "setup.py", "shell.nix", "skill.md", "taskfile.yaml", "taskfile.yml",
		"thumbs.db", "tox.ini", "tsconfig.json", "turbo.json", "vagrantfile", "workspace.bazel", "yarn.lock",
	}
}
