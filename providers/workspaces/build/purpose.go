package build

import (
	"slices"
	"strings"
)

// namedFor returns what a task or script is for by its name, and how it ranks among tasks
// for the same; ok is false if its name does not say.
func namedFor(name string) (p Purpose, more rank, ok bool) {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune(":_-./", r) })
	if len(words) == 0 || slices.ContainsFunc(words, func(w string) bool {
		return slices.Contains([]string{"clean", "deploy", "publish", "release", "push", "upload", "watch", "uninstall", "update", "snapshots", "docker"}, w)
	}) {
		return "", 0, false
	}
	if p, ok = word(words[0]); !ok {
		if p, ok = word(words[len(words)-1]); !ok { // "unit-test"
			return "", 0, false
		}
		return p, variant, true
	}
	switch {
	case len(words) > 1:
		more = variant
	case words[0] == string(p):
		more = itself
	}
	return p, more, true
}

func word(w string) (Purpose, bool) {
	switch w {
	case "install", "setup", "bootstrap", "deps", "dependencies":
		return Install, true
	case "build", "compile", "dist", "bundle", "all", "assemble":
		return Build, true
	case "test", "tests", "check", "unit", "e2e", "spec", "integration", "pytest", "verify", "ci":
		return Test, true
	case "lint", "fmt", "format", "typecheck", "types", "vet", "clippy", "style", "tsc", "mypy", "ruff", "eslint", "prettier":
		return Lint, true
	case "dev", "start", "serve", "run", "server", "develop":
		return Run, true
	}
	return "", false
}
