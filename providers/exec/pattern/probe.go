package pattern

import (
	"slices"
	"strings"
)

// IsProbe reports whether programs look for a name in every folder, on their own: version
// control, package managers, editors, agents, file managers. No placeholder accepts it, so
// that it starts no command.
func IsProbe(name string) bool {
	name = strings.ToLower(name)
	if strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") || strings.HasPrefix(name, "#") || strings.Contains(name, ".config.") {
		return true
	}
	_, found := slices.BinarySearch(probes(), name)
	return found
}

// probes returns these names, sorted, in small letters.
func probes() []string {
	return []string{
		"__init__.py", "__main__.py", "__pycache__", "_darcs", "_fossil_", "_mtn", "agent.md", "agents.local.md", "agents.md",
		"agents.override.md", "angular.json", "autorun.inf", "binding.gyp", "biome.json", "biome.jsonc", "bower.json", "brewfile",
		"build.bazel", "build.gradle", "build.gradle.kts", "build.rs", "build.sbt", "build.xml", "bun.lock", "bun.lockb",
		"cabal.project", "cargo.lock", "cargo.toml", "chart.yaml", "claude.local.md", "claude.md", "clippy.toml", "cmakelists.txt",
		"cmakepresets.json", "codeowners", "commit_editmsg", "compile_commands.json", "compose.override.yaml", "compose.override.yml",
		"compose.yaml", "compose.yml", "composer.json", "composer.lock", "configure.ac", "configure.in", "conftest.py",
		"containerfile", "copilot-instructions.md", "crush.json", "crush.md", "cscope.files", "cscope.out", "cvs", "default.nix",
		"deno.json", "deno.jsonc", "deps.edn", "desktop.ini", "devbox.json", "directory.build.props", "directory.build.targets",
		"directory.packages.props", "docker-compose.override.yaml", "docker-compose.override.yml", "docker-compose.yaml",
		"docker-compose.yml", "dockerfile", "dune-project", "ehthumbs.db", "environment.yml", "flake.lock", "flake.nix", "folder.jpg",
		"gemfile", "gemfile.lock", "gemini.md", "global.json", "gnumakefile", "go.mod", "go.sum", "go.work", "go.work.sum", "gpath",
		"gradle.properties", "gradlew", "grtags", "gruntfile.js", "gtags", "gulpfile.js", "head", "index.cjs", "index.htm",
		"index.html", "index.js", "index.json", "index.mjs", "index.node", "index.ts", "index.tsx", "jenkinsfile", "jsconfig.json",
		"justfile", "kustomization.yaml", "lerna.json", "license", "license.md", "lost+found", "makefile", "manifest.toml",
		"memory.md", "meson.build", "mise.local.toml", "mise.toml", "mix.exs", "mix.lock", "module.bazel", "module.bazel.lock",
		"mypy.ini", "netlify.toml", "node_modules", "nodemon.json", "npm-shrinkwrap.json", "nuget.config", "nx.json", "objects",
		"opencode.json", "opencode.jsonc", "orig_head", "package-lock.json", "package.json", "package.swift", "package.yaml",
		"packed-refs", "pdm.lock", "pipfile", "pipfile.lock", "pnpm-lock.yaml", "pnpm-workspace.yaml", "podfile", "podfile.lock",
		"poetry.lock", "pom.xml", "procfile", "project.clj", "project.toml", "pyproject.toml", "pyrightconfig.json", "pytest.ini",
		"pyvenv.cfg", "qwen.md", "rakefile", "rcs", "readme", "readme.md", "readme.rst", "readme.txt", "rebar.config", "refs",
		"requirements.txt", "ruff.toml", "rush.json", "rust-toolchain", "rust-toolchain.toml", "rustfmt.toml", "sccs", "sconstruct",
		"settings.gradle", "settings.gradle.kts", "setup.cfg", "setup.py", "shell.nix", "sitecustomize.py", "skaffold.yaml",
		"skill.md", "stack.yaml", "tags", "taskfile.yaml", "taskfile.yml", "thumbs.db", "tiltfile", "tox.ini", "tsconfig.json",
		"turbo.json", "usercustomize.py", "uv.lock", "uv.toml", "vagrantfile", "vercel.json", "warp.md", "workspace.bazel",
		"wrangler.toml", "yarn.lock",
	}
}
