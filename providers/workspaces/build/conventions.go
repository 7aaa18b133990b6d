package build

import (
	"path"
	"slices"
	"strings"

	"ctxfs/providers/internal/jsonc"
)

// convention is what a file in a project means for everyone who knows the tool.
type convention struct {
	files    []string // one of these
	commands map[Purpose]string
}

func conventions() []convention {
	return []convention{
		{[]string{"go.mod", "go.work"}, map[Purpose]string{Build: "go build ./...", Test: "go test ./...", Lint: "go vet ./..."}},
		{[]string{".golangci.yml", ".golangci.yaml", ".golangci.toml"}, map[Purpose]string{Lint: "golangci-lint run"}},
		{[]string{"Cargo.toml"}, map[Purpose]string{Build: "cargo build", Test: "cargo test"}},
		{[]string{"clippy.toml", ".clippy.toml"}, map[Purpose]string{Lint: "cargo clippy"}},
		{[]string{"gradlew"}, map[Purpose]string{Build: "./gradlew build", Test: "./gradlew test"}},
		{[]string{"mvnw"}, map[Purpose]string{Build: "./mvnw package", Test: "./mvnw test"}},
		{[]string{"CMakeLists.txt"}, map[Purpose]string{Build: "cmake -B build && cmake --build build", Test: "ctest --test-dir build"}},
		{[]string{"meson.build"}, map[Purpose]string{Build: "meson setup build && meson compile -C build", Test: "meson test -C build"}},
		{[]string{"configure"}, map[Purpose]string{Build: "./configure && make"}},
		{[]string{"Gemfile"}, map[Purpose]string{Install: "bundle install"}},
		{[]string{".rspec"}, map[Purpose]string{Test: "bundle exec rspec"}},
		{[]string{"composer.json"}, map[Purpose]string{Install: "composer install"}},
		{[]string{"phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"}, map[Purpose]string{Test: "vendor/bin/phpunit"}},
		{[]string{"mix.exs"}, map[Purpose]string{Install: "mix deps.get", Build: "mix compile", Test: "mix test"}},
		{[]string{"Package.swift"}, map[Purpose]string{Build: "swift build", Test: "swift test"}},
		{[]string{"build.zig"}, map[Purpose]string{Build: "zig build", Test: "zig build test"}},
		{[]string{"MODULE.bazel", "WORKSPACE", "WORKSPACE.bazel"}, map[Purpose]string{Build: "bazel build //...", Test: "bazel test //..."}},
		{[]string{"stack.yaml"}, map[Purpose]string{Build: "stack build", Test: "stack test"}},
		{[]string{"cabal.project"}, map[Purpose]string{Build: "cabal build all", Test: "cabal test all"}},
		{[]string{"dune-project"}, map[Purpose]string{Build: "dune build", Test: "dune test"}},
		{[]string{"build.sbt"}, map[Purpose]string{Build: "sbt compile", Test: "sbt test"}},
		{[]string{"pubspec.yaml"}, map[Purpose]string{Test: "dart test"}},
		{[]string{".pre-commit-config.yaml"}, map[Purpose]string{Lint: "pre-commit run --all-files"}},
	}
}

// conventions adds what files mean by convention.
func (f *folder) conventions() {
	for _, c := range conventions() {
		if name := f.first(c.files...); name != "" {
			for _, p := range purposes() {
				f.add(p, fromConvention, c.commands[p], name, 0, "")
			}
		}
	}
	if name := f.first("build.gradle.kts", "build.gradle", "settings.gradle.kts", "settings.gradle"); name != "" && !f.has("gradlew") {
		f.add(Build, fromConvention, "gradle build", name, 0, "")
		f.add(Test, fromConvention, "gradle test", name, 0, "")
	}
	if f.has("pom.xml") && !f.has("mvnw") {
		f.add(Build, fromConvention, "mvn package", "pom.xml", 0, "")
		f.add(Test, fromConvention, "mvn test", "pom.xml", 0, "")
	}
	if f.has("Rakefile") && !f.has(".rspec") {
		f.add(Test, fromConvention, "bundle exec rake", "Rakefile", 0, "")
	}
	if f.has("composer.json") {
		if doc, err := jsonc.Parse([]byte(f.text("composer.json"))); err == nil {
			f.scripts(doc, "scripts", "composer run ", "composer.json")
		}
	}
	if i := slices.IndexFunc(f.files, func(name string) bool {
		return slices.Contains([]string{".sln", ".slnx", ".csproj", ".fsproj", ".vbproj"}, path.Ext(name))
	}); i >= 0 {
		f.add(Build, fromConvention, "dotnet build", f.files[i], 0, "")
		f.add(Test, fromConvention, "dotnet test", f.files[i], 0, "")
	}
}

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
