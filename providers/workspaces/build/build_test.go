package build

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ctxfs/fs/fstest"
)

// project makes a folder with files, "name" and "content" in turn.
func project(t testing.TB, files ...string) string {
	t.Helper()
	root := t.TempDir()
	for pair := range slices.Chunk(files, 2) {
		path := filepath.Join(root, pair[0])
		fstest.Must(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(pair[1]), 0o600)))
	}
	return root
}

func TestRead(t *testing.T) {
	for name, c := range map[string]struct {
		files []string
		want  []string
	}{
		"npm": {
			[]string{"package.json", "{\n\"scripts\": {\n\"build\": \"tsc\",\n\"test\": \"jest\",\n\"test:unit\": \"jest unit\",\n\"lint\": \"eslint .\",\n\"check\": \"tsc --noEmit\",\n\"dev\": \"vite\",\n\"deploy\": \"rm -rf /\",\n\"test:watch\": \"jest --watch\"}}", "package-lock.json", "{}"},
			[]string{"install: `npm install` (package-lock.json)", "build: `npm run build` (package.json:3)", "test: `npm test` (package.json:4)", "test: `npm run test:unit` (package.json:5)", "lint: `npm run lint` (package.json:6)", "lint: `npm run check` (package.json:7)", "run: `npm run dev` (package.json:8)"},
		},
		"pnpm": {
			[]string{"package.json", `{"scripts": {"test": "turbo test"}, "packageManager": "pnpm@9.1.0"}`, "yarn.lock", ""},
			[]string{"install: `pnpm install` (package.json)", "test: `pnpm test` (package.json:1)"},
		},
		"bun and no test": {
			[]string{"package.json", `{"scripts": {"test": "echo \"Error: no test specified\" && exit 1", "build": "x"}}`, "bun.lock", ""},
			[]string{"install: `bun install` (bun.lock)", "build: `bun run build` (package.json:1)"},
		},
		"deno": {
			[]string{"deno.jsonc", "{ // tasks\n\"tasks\": {\"dev\": \"deno run main.ts\",},}"},
			[]string{"test: `deno test` (deno.jsonc)", "run: `deno task dev` (deno.jsonc:2)"},
		},
		"go with make": {
			[]string{"go.mod", "module x", "Makefile", ".PHONY: test\nVAR := x\n# all that must pass\ntest: deps\n\tgo test ./...\nbuild: ## the program\n\tgo build\ndocker-push:\n\tdocker\n%.o: %.c\n\tcc\n"},
			[]string{"build: `make build` (Makefile:6: the program)", "build: `go build ./...` (go.mod)", "test: `make test` (Makefile:4: all that must pass)", "test: `go test ./...` (go.mod)", "lint: `go vet ./...` (go.mod)"},
		},
		"go.work": {
			[]string{"go.work", "go 1.26\nuse ./one\n"},
			[]string{"build: `go build ./...` (go.work)", "test: `go test ./...` (go.work)", "lint: `go vet ./...` (go.work)"},
		},
		"a make that tests all": {
			[]string{"go.mod", "module x", "Makefile", "all: fmt test # both\nfmt:\n\tgofmt -l .\nlint:\n\tgolangci-lint run\ntest:\n\tgo test ./...\n"},
			[]string{"build: `go build ./...` (go.mod)", "test: `make test` (Makefile:6)", "test: `go test ./...` (go.mod)", "lint: `make lint` (Makefile:4)", "lint: `make fmt` (Makefile:2)", "lint: `go vet ./...` (go.mod)"},
		},
		"a make that builds all": {
			[]string{"Makefile", "all: libx.so tools\n"}, []string{"build: `make all` (Makefile:1)"},
		},
		"a script that npm install runs": {
			[]string{"package.json", `{"scripts": {"install": "node-gyp-build", "test": "node --test"}}`},
			[]string{"install: `npm install` (package.json)", "test: `npm test` (package.json:1)"},
		},
		"mypy that knows its files": {
			[]string{"pyproject.toml", "[tool.mypy]\nfiles = [\"src\"]\n"}, []string{"lint: `mypy` (pyproject.toml)"},
		},
		"cargo": {
			[]string{"Cargo.toml", "[workspace]\n"},
			[]string{"build: `cargo build` (Cargo.toml)", "test: `cargo test` (Cargo.toml)"},
		},
		"uv": {
			[]string{"pyproject.toml", "[project]\nname = \"x\"\n[dependency-groups]\ndev = [\"pytest>=8\"]\n[tool.ruff]\n[tool.mypy]\n", "uv.lock", ""},
			[]string{"install: `uv sync` (uv.lock)", "test: `uv run pytest` (pyproject.toml)", "lint: `uv run ruff check` (pyproject.toml)", "lint: `uv run mypy .` (pyproject.toml)"},
		},
		"poetry, tox, nox": {
			[]string{"pyproject.toml", "[tool.poetry]\nname = \"x\"\n[tool.pytest.ini_options]\n", "tox.ini", "[tox]\n", "noxfile.py", "import nox\n"},
			[]string{"install: `poetry install` (pyproject.toml)", "test: `tox` (tox.ini)", "test: `nox` (noxfile.py)", "test: `poetry run pytest` (pyproject.toml)"},
		},
		"django": {
			[]string{"manage.py", "", "requirements.txt", "django==5\n"},
			[]string{"install: `pip install -r requirements.txt` (requirements.txt)", "test: `python manage.py test` (manage.py)", "run: `python manage.py runserver` (manage.py)"},
		},
		"just, task, mise": {
			[]string{"justfile", "# the tests\ntest target='all':\n  x\n_private:\nbuild:\n", "Taskfile.yml", "version: 3\ntasks:\n  lint:\n    desc: all linters\n    cmds: [x]\n", "mise.toml", "[tasks.dev]\nrun = \"x\"\n"},
			[]string{"build: `just build` (justfile:5)", "test: `just test` (justfile:2: the tests)", "lint: `task lint` (Taskfile.yml:4: all linters)", "run: `mise run dev` (mise.toml:1)"},
		},
		"gradle": {
			[]string{"settings.gradle.kts", "", "gradlew", ""},
			[]string{"build: `./gradlew build` (gradlew)", "test: `./gradlew test` (gradlew)"},
		},
		"maven": {
			[]string{"pom.xml", ""},
			[]string{"build: `mvn package` (pom.xml)", "test: `mvn test` (pom.xml)"},
		},
		"cmake":                          {[]string{"CMakeLists.txt", ""}, []string{"build: `cmake -B build && cmake --build build` (CMakeLists.txt)", "test: `ctest --test-dir build` (CMakeLists.txt)"}},
		"ruby":                           {[]string{"Gemfile", "", ".rspec", "", "Rakefile", ""}, []string{"install: `bundle install` (Gemfile)", "test: `bundle exec rspec` (.rspec)"}},
		"rake":                           {[]string{"Gemfile", "", "Rakefile", ""}, []string{"install: `bundle install` (Gemfile)", "test: `bundle exec rake` (Rakefile)"}},
		"php":                            {[]string{"composer.json", `{"scripts": {"test": "phpunit", "cs": "x"}}`}, []string{"install: `composer install` (composer.json)", "test: `composer run test` (composer.json:1)"}},
		"elixir":                         {[]string{"mix.exs", ""}, []string{"install: `mix deps.get` (mix.exs)", "build: `mix compile` (mix.exs)", "test: `mix test` (mix.exs)"}},
		"dotnet":                         {[]string{"Shop.csproj", ""}, []string{"build: `dotnet build` (Shop.csproj)", "test: `dotnet test` (Shop.csproj)"}},
		"a manifest that cannot be read": {[]string{"Cargo.toml", "not toml ["}, []string{"build: `cargo build` (Cargo.toml)", "test: `cargo test` (Cargo.toml)"}},
		"folders below": {
			[]string{"backend/go.mod", "", "frontend/package.json", `{"scripts": {"test": "x"}}`, "node_modules/x/package.json", `{"scripts": {"test": "x"}}`, ".hidden/Cargo.toml", ""},
			[]string{"install: in frontend/: `npm install` (package.json)", "build: in backend/: `go build ./...` (go.mod)", "test: in frontend/: `npm test` (package.json:1)", "test: in backend/: `go test ./...` (go.mod)", "lint: in backend/: `go vet ./...` (go.mod)"},
		},
		"hostile": {
			[]string{"package.json", "{\"scripts\": {\"test\\n`whoami`\": \"x\", \"test:\\u001b[31m\": \"x\", \"build\": \"x\"}}", "Makefile", "test: ## with ghp_012345678901234567890123456789abcdef \u202e reversed\n" + strings.Repeat("build", 100) + ":\n"},
			[]string{"install: `npm install` (package.json)", "build: `npm run build` (package.json:1)", "test: `make test` (Makefile:1: with [REDACTED:github] reversed)"},
		},
		"nothing": {nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Read(project(t, c.files...))
			fstest.Must(t, err)
			var got []string
			for _, c := range p {
				got = append(got, c.String())
			}
			fstest.EqualSlices(t, got, c.want, strings.Join(got, "\n\t"))
		})
	}
}

// TestLinks: files outside of the project are not read, nor is what blocks.
func TestLinks(t *testing.T) {
	outside := project(t, "Makefile", "test:\n", "x", "")
	root := project(t, "tools/Taskfile.yml", "tasks:\n  build:\n    cmds: [x]\n")
	for _, err := range []error{
		os.Symlink(filepath.Join(outside, "Makefile"), filepath.Join(root, "Makefile")),
		os.Symlink("tools/Taskfile.yml", filepath.Join(root, "Taskfile.yml")),
		os.Symlink(outside, filepath.Join(root, "away")),
		syscall.Mkfifo(filepath.Join(root, "justfile"), 0o600),
	} {
		fstest.Must(t, err)
	}
	p, err := Read(root)
	if err != nil || len(p) != 1 || p[0].Line != "task build" {
		t.Errorf("got %v, %v", p, err)
	}
	if _, err := Read(filepath.Join(root, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
}

func FuzzFiles(f *testing.F) {
	for _, text := range []string{"test: x ## y\n", `{"scripts": {"test": "x"}}`, "tasks:\n  test:\n    desc: x\n", "[tool.poetry]\n[project]\n"} {
		f.Add(text)
	}
	names := []string{"Makefile", "justfile", "package.json", "Taskfile.yml", "pyproject.toml", "mise.toml", "deno.json", "composer.json"}
	root := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range names {
			fstest.Must(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o600))
		}
		p, err := Read(root)
		fstest.Must(t, err)
		for _, c := range p {
			if strings.ContainsAny(c.String(), "\n\x1b") {
				t.Errorf("not one line: %q", c.String())
			}
		}
	})
}
