package check

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/rules/locate"
	"ctxfs/providers/rules/scope"
)

// findings writes a file of a project that also has src/main.go, src/api/cart.ts and
// docs/style.md, and returns what is found in it, a line each: "line kind what".
func findings(t *testing.T, name, text string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	fstest.Must(t, err)
	for file, text := range map[string]string{"src/main.go": "x", "src/api/cart.ts": "x", "docs/style.md": "Use tabs.\n", name: text} {
		path := filepath.Join(root, file)
		fstest.Must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		fstest.Must(t, os.WriteFile(path, []byte(text), 0o600))
	}
	finder := locate.New(locate.Options{Machine: agents.Machine{Home: "/nowhere", OS: "linux", LookupEnv: func(string) (string, bool) { return "", false }}})
	found, _ := finder.For(root, filepath.Join(root, filepath.Dir(name)))
	var places []scope.Place
	for _, p := range found {
		if p.File.Path == filepath.Join(root, name) {
			places = append(places, p)
		}
	}
	if len(places) == 0 {
		t.Fatalf("%s is no rule", name)
	}
	project := Project{
		Root: root, Files: []string{name, "src/main.go", "src/api/cart.ts", "docs/style.md"},
		Exists: func(path string) bool { _, err := os.Stat(path); return err == nil },
	}
	var lines []string
	for _, f := range project.Rule(places) {
		if f.Fix == "" || f.File != filepath.Join(root, name) || strings.Contains(f.What, "\n") {
			t.Errorf("finding %+v", f)
		}
		lines = append(lines, fmt.Sprintf("%d %s %s", f.Line, f.Kind, f.What))
	}
	return strings.Join(lines, "\n")
}

func TestFindings(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"AGENTS.md", "# Rules\n\nAmounts are integer cents. See [style](docs/style.md) and `src/main.go`.\n", ""},
		{"AGENTS.md", strings.Repeat("Use tabs.\n", 500), ""},
		{"AGENTS.md", strings.Repeat("Use tabs.\n", 501), "501 long it has 501 lines; models follow less than 500"},
		{"AGENTS.md", "  \n", "0 vague it has no text"},

		{"AGENTS.md", "# Style\n\n- Format code properly\n", "3 vague \"Format code properly\" can be followed in any way"},
		{"AGENTS.md", "- Always write clean, maintainable code.\n", "1 vague \"write clean, maintainable code\" can be followed in any way"},
		{"AGENTS.md", "Follow best practices.\n\n```\nFollow best practices.\n```\n", "1 vague \"Follow best practices\" can be followed in any way"},
		{"AGENTS.md", "Handle errors gracefully\n", "1 vague \"Handle errors gracefully\" can be followed in any way"},
		{"AGENTS.md", "Handle errors gracefully: wrap them with %w.\n", "1 vague \"Handle errors gracefully\" can be followed in any way"},
		{"AGENTS.md", "Run `npm test` before you commit. Keep handlers in src/api.\n", ""},

		{"AGENTS.md", "See [style](docs/gone.md).\n", "1 missing docs/gone.md is not there"},
		{"AGENTS.md", "See `src/api/gone.ts`, `other/gone.ts`, `/tmp/x/gone.ts`, `src/<name>/x.go`, `src/*.go` and [web](https://x.org/a.md).\n", "1 missing src/api/gone.ts is not there"},
		// What real ones say, and is no fault.
		{"AGENTS.md", "Tests mirror sources: `src/api/cart.py` → `src/api/test_cart.py`.\n", ""},
		{"AGENTS.md", "Components live beside their tests, e.g. `src/components/Button.tsx`.\n", ""},
		{"AGENTS.md", "Save the plan to `docs/plans/today.md`; the report goes to `dist/report.html`.\n", ""},
		{"AGENTS.md", "Handlers: `api/cart.ts`. Name them `src/api/your-handler.ts` or `src/foo/x.ts`.\n", ""},
		{"AGENTS.md", "Run `go test ./src/...`, `pytest path/to/test.py::TestX -xvs` and `npm run gulp compile-extensions`.\n", ""},
		{"AGENTS.md", "- Prefer deep equals comparisons whenever possible.\n- Use whole words in names when possible\n- Write clear comments for complex logic, avoid unnecessary comments\n- Follow existing patterns in the codebase\n", ""},
		{"AGENTS.md", "   ```rust\n   see `src/gone/x.rs`\n   ```\n", ""},
		{"AGENTS.md", strings.Repeat("Use tabs, not spaces, in all of the files of this project and everywhere else, too.\n", 450), "0 long it has 37.8 KB; Codex reads 32.8 KB"},
		{"AGENTS.md", "See [a](#b), [c](mailto:x@y.z), [d](docs/style.md#e \"f\") and [g](/docs/style.md).\n", ""},
		{"CLAUDE.md", "@docs/style.md\n@docs/gone.md\n@alice and `@docs/no.md`\n", "2 missing the import @docs/gone.md is not there"},
		{"CLAUDE.md", "@CLAUDE.md\n", "1 broken the import @CLAUDE.md is not read: it imports itself"},
		{"CLAUDE.md", "See @../../../../etc/passwd.md for it\n", "1 broken the import @../../../../etc/passwd.md is not read: it is outside of its project"},

		{".cursor/rules/a.mdc", "---\nglobs: src/**/*.go,*.ts\n---\nX.\n", ""},
		{".cursor/rules/a.mdc", "---\nglobs: \"*.go\"\nalwaysApply: true\n---\nX.\n", "1 globs alwaysApply is true, so that its globs mean nothing"},
		{".cursor/rules/a.mdc", "---\nglobs: \"*.py\"\n---\nX.\n", "1 globs no file of the project matches *.py: it never holds"},
		{".cursor/rules/a.mdc", "---\nglobs: \"src/[a.go\"\n---\nX.\n", "1 globs the glob \"src/[a.go\" is not well-formed: it matches nothing"},
		{".cursor/rules/a.mdc", "---\npaths: \"*.go\"\n---\nX.\n", "1 globs Cursor does not know paths, which is of Claude Code and Cline"},
		{".cursor/rules/a.mdc", "---\nglobs: [\"src/**\", \"!src/**\"]\n---\nX.\n", "1 globs \"src/**\" and \"!src/**\" contradict each other"},
		{".cursor/rules/a.mdc", "---\nalwaysApply: yes\n---\nX.\n", "1 globs alwaysApply is neither true nor false: \"yes\""},
		{".claude/rules/a.md", "---\nglobs: \"*.go\"\n---\nX.\n", "1 globs Claude Code does not know globs, which is of Cursor and Windsurf"},
		{".claude/rules/a.md", "---\npaths: \"../other/**\"\n---\nX.\n", "1 globs the glob \"../other/**\" leads out of the project: it matches nothing"},
		{".github/instructions/a.instructions.md", "---\napplyTo: \"*.go\"\n---\nX.\n", "1 globs no file of the project matches *.go: it never holds"},
		{".github/instructions/a.instructions.md", "---\napplyTo: \"**/*.go\"\n---\nX.\n", ""},
		{".windsurf/rules/a.md", "---\ntrigger: glob\n---\nX.\n", "1 globs its trigger is glob, and it has no globs: it never holds"},
		{".windsurf/rules/a.md", "---\ntrigger: always_on\nglobs: \"*.go\"\n---\nX.\n", "1 globs its trigger is always_on, so that its globs mean nothing"},
		{".windsurf/rules/a.md", "---\ntrigger: model_decision\n---\nX.\n", "1 vague the model decides about it by its description, which is missing"},
		{".windsurf/rules/a.md", "---\ntrigger: always\n---\nX.\n", "1 globs Windsurf has no trigger \"always\""},
		{".windsurf/rules/a.md", "---\ntrigger: manual\n---\n" + strings.Repeat("Twelve bytes", 1001) + "\n", "0 long it has 12013 characters; Windsurf reads 12000"},
		{".clinerules/a.md", "---\npaths: []\n---\nX.\n", "1 globs an empty list of paths means never"},
		{".clinerules/a.md", "---\npaths: [unclosed\n---\nX.\n", "1 broken a value in the front matter must be quoted to be YAML"},
		{".kiro/steering/a.md", "---\ninclusion: fileMatch\n---\nX.\n", "1 globs its inclusion is fileMatch, and it has no fileMatchPattern: it never holds"},
		{".kiro/steering/a.md", "---\ninclusion: always\nfileMatchPattern: \"*.go\"\n---\nX.\n", "1 globs it has a fileMatchPattern, and its inclusion is not fileMatch: it means nothing"},
		{".claude/rules/a.md", "---\npaths: \"*.go\"\nX.\n", "1 broken the front matter is not closed by a line ---"},
	} {
		fstest.Equal(t, findings(t, c.name, c.text), c.want, c.name, c.text)
	}
}

// TestManyFindings of a kind are cut: a hostile file fills no screen.
func TestManyFindings(t *testing.T) {
	got := findings(t, "AGENTS.md", strings.Repeat("Follow best practices.\n", 400))
	fstest.Equal(t, strings.Count(got, "\n")+1, maxFindings, "findings")
}
