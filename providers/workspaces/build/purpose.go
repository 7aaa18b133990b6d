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

// knownTools says what commands are for, by their first words: a tool, and its subcommands
// with their purposes. Of a subcommand "*" nothing more is asked.
const knownTools = `
ava *=test
bazel build=build test=test run=run
bin/rails test=test server=run
bin/rspec *=test
biome check=lint lint=lint
black *=lint
bun install=install test=test build=build
cabal build=build test=test run=run
cargo build=build test=test nextest=test check=build clippy=lint fmt=lint run=run
cmake --build=build -B=build -S=build
composer install=install test=test
ctest *=test
cypress run=test
dart test=test analyze=lint
deno test=test lint=lint fmt=lint check=lint install=install
dotnet restore=install build=build test=test format=lint run=run
dune build=build test=test runtest=test
eslint *=lint
flake8 *=lint
flutter build=build test=test analyze=lint run=run
go build=build test=test vet=lint run=run
golangci-lint run=lint
gotestsum *=test
gradle build=build assemble=build test=test check=test run=run
jest *=test
meson setup=build compile=build test=test
mix deps.get=install compile=build test=test credo=lint format=lint
mocha *=test
mvn package=build install=build compile=build test=test verify=test
mypy *=lint
ninja *=build
nox *=test
phpunit *=test
playwright test=test
pdm install=install sync=install build=build test=test
pixi install=install
poetry install=install build=build
pre-commit run=lint
prettier *=lint
pyright *=lint
pytest *=test
py.test *=test
rake *=test test=test spec=test build=build
rspec *=test
rubocop *=lint
ruff check=lint format=lint
sbt compile=build test=test
shellcheck *=lint
stack build=build test=test
staticcheck *=lint
swift build=build test=test run=run
tox *=test
tsc *=lint
tsx *=run
uv sync=install build=build
vendor/bin/phpunit *=test
vendor/bin/pest *=test
vitest *=test
zig build=build test=test
`

// tools knows what the commands of well-known tools are for.
type tools map[string]map[string]Purpose

func newTools() tools {
	t := make(tools)
	for line := range strings.Lines(knownTools) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		t[words[0]] = make(map[string]Purpose)
		for _, w := range words[1:] {
			sub, p, _ := strings.Cut(w, "=")
			t[words[0]][sub] = Purpose(p)
		}
	}
	return t
}

// of returns what a command line is for; ok is false if that is not known, or if the line
// is more than a command with arguments: a person could not run it as it is.
func (t tools) of(line string) (p Purpose, ok bool) {
	if strings.ContainsAny(line, "|;<>{}") || strings.Contains(line, "$") || strings.Contains(line, "&&") || strings.HasSuffix(line, "\\") || len(line) > maxLine {
		return "", false
	}
	words := strings.Fields(line)
	for len(words) > 0 && isAssignment(words[0]) {
		words = words[1:]
	}
	return t.ofWords(words)
}

func (t tools) ofWords(words []string) (Purpose, bool) {
	if len(words) == 0 {
		return "", false
	}
	tool := strings.TrimPrefix(words[0], "./")
	rest := slices.DeleteFunc(slices.Clone(words[1:]), func(w string) bool {
		return strings.HasPrefix(w, "-") && w != "--build" && w != "-B" && w != "-S" && w != "-m"
	})
	argument := func(i int) string {
		if i < len(rest) {
			return rest[i]
		}
		return ""
	}
	named := func(name string) (Purpose, bool) {
		p, _, ok := namedFor(name)
		return p, ok
	}
	switch tool {
	case "npm", "pnpm", "yarn", "bun":
		switch a := argument(0); a {
		case "", "ci", "i", "install":
			return Install, a != "" || tool == "yarn"
		case "run", "run-script":
			return named(argument(1))
		case "exec", "dlx":
			return t.ofWords(rest[1:])
		default:
			return named(a)
		}
	case "make", "gmake":
		if argument(0) == "" {
			return Build, true
		}
		return named(argument(0))
	case "just", "task":
		return named(argument(0))
	case "mise", "composer", "deno", "nx", "turbo", "rye", "hatch", "pdm":
		if a := argument(0); a == "run" || a == "task" || a == "run-script" {
			return named(argument(1))
		}
	case "npx", "bunx", "uvx":
		return t.ofWords(rest)
	case "uv", "poetry", "pipenv", "bundle":
		if a := argument(0); a == "run" || a == "exec" {
			return t.ofWords(rest[1:])
		}
		if tool == "bundle" && argument(0) == "install" {
			return Install, true
		}
	case "python", "python3":
		if argument(0) != "-m" {
			return "", false
		}
		if slices.Contains([]string{"unittest", "pytest"}, argument(1)) {
			return Test, true
		}
		return t.ofWords(words[slices.Index(words, "-m")+1:])
	case "pip", "pip3":
		project := func(w string) bool { return strings.HasPrefix(w, "-r") || w == "-e" || strings.HasPrefix(w, ".") }
		return Install, argument(0) == "install" && slices.ContainsFunc(words, project)
	case "gradlew", "mvnw":
		tool = map[string]string{"gradlew": "gradle", "mvnw": "mvn"}[tool]
	}
	subs, known := t[tool]
	if !known {
		return "", false
	}
	for _, w := range rest {
		if p, ok := subs[w]; ok {
			return p, true
		}
		if tool != "gradle" && tool != "mvn" { // which take goals in any order
			break
		}
	}
	p, ok := subs["*"]
	return p, ok
}

// isAssignment reports whether a word sets a variable: CGO_ENABLED=0.
func isAssignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789") == ""
}
