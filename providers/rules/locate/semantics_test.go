package locate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/rules/scope"
)

// home is a home folder with a project in it, src/shop.
type home struct {
	t   testing.TB
	dir string
	env map[string]string
}

func newHome(t testing.TB) *home {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	fstest.Must(t, err)
	h := &home{t: t, dir: dir}
	h.write("src/shop/.git/HEAD", "ref: refs/heads/main\n")
	return h
}

func (h *home) path(name string) string { return filepath.Join(h.dir, name) }

func (h *home) root() string { return h.path("src/shop") }

func (h *home) write(name, text string) {
	h.t.Helper()
	path := h.path(name)
	fstest.Must(h.t, os.MkdirAll(filepath.Dir(path), 0o700))
	if target, ok := strings.CutPrefix(text, "->"); ok {
		fstest.Must(h.t, os.Symlink(target, path))
		return
	}
	fstest.Must(h.t, os.WriteFile(path, []byte(text), 0o600))
}

func (h *home) finder() *Finder {
	return New(Options{Machine: agents.Machine{Home: h.dir, OS: "linux", LookupEnv: func(name string) (string, bool) { v, ok := h.env[name]; return v, ok }}})
}

// holding returns what holds for a path in the project, in order: paths in the project,
// or "~/…" of others; in parentheses what may hold.
func (h *home) holding(agent, path string) string {
	finder := h.finder()
	user, _ := finder.User(h.root())
	project, _ := finder.For(h.root(), filepath.Join(h.root(), path))
	var own []scope.Place
	for _, p := range append(user, project...) {
		if p.Agent == agent && !strings.HasPrefix(p.File.Path, "/etc/") {
			own = append(own, p)
		}
	}
	var names []string
	hold, may := scope.Holding(own, h.root(), filepath.Join(h.root(), path))
	for _, p := range hold {
		names = append(names, h.name(p))
	}
	for _, p := range may {
		names = append(names, "("+h.name(p)+")")
	}
	return strings.Join(names, " ")
}

func (h *home) name(p scope.Place) string {
	if name, ok := strings.CutPrefix(p.File.Path, h.root()+"/"); ok {
		return name
	}
	return "~" + strings.TrimPrefix(p.File.Path, h.dir)
}

// TestDocumentedSemantics: the rules that hold for a path are those that the makers of
// each agent document; the pages are named in tools.go of package scope. A file of a
// case is named by its path in the project, or by "~/" and that in the home folder, with
// its front matter after "=", in one line where ";" ends a line.
func TestDocumentedSemantics(t *testing.T) {
	for _, c := range []struct{ agent, files, path, want string }{
		// Claude Code: code.claude.com/docs/en/memory
		{"claude-code", "CLAUDE.md AGENTS.md", "a.go", "CLAUDE.md"},
		{"claude-code", "~/.claude/CLAUDE.md CLAUDE.md CLAUDE.local.md", "a.go", "~/.claude/CLAUDE.md CLAUDE.md CLAUDE.local.md"},
		{"claude-code", "CLAUDE.md .claude/CLAUDE.md CLAUDE.local.md .claude/rules/x.md", "a.go", "CLAUDE.md .claude/CLAUDE.md .claude/rules/x.md CLAUDE.local.md"},
		{"claude-code", "CLAUDE.md api/CLAUDE.md web/CLAUDE.md", "api/v1/a.go", "CLAUDE.md api/CLAUDE.md"},
		{"claude-code", "CLAUDE.md api/CLAUDE.md", "web/a.go", "CLAUDE.md"},
		{"claude-code", "~/src/CLAUDE.md CLAUDE.md", "a.go", "~/src/CLAUDE.md CLAUDE.md"},
		{"claude-code", ".claude/rules/ts.md=paths: \"src/**/*.ts\"", "src/a/b.ts", ".claude/rules/ts.md"},
		{"claude-code", ".claude/rules/ts.md=paths: \"src/**/*.ts\"", "lib/b.ts", ""},
		{"claude-code", ".claude/rules/ts.md=paths:;  - \"src/**/*.{ts,tsx}\";  - \"lib/**\"", "src/b.tsx", ".claude/rules/ts.md"},
		{"claude-code", ".claude/rules/ts.md=paths: \"src/**/*.{ts,tsx}, lib/**\"", "lib/z", ".claude/rules/ts.md"},
		{"claude-code", ".claude/rules/md.md=paths: \"*.md\"", "docs/a.md", ""},
		{"claude-code", ".claude/rules/md.md=paths: \"*.md\"", "a.md", ".claude/rules/md.md"},
		{"claude-code", ".claude/rules/deep/er/go.md .claude/rules/x.txt", "a.go", ".claude/rules/deep/er/go.md"},
		{"claude-code", "~/.claude/rules/go.md=paths: \"**/*.go\"", "cmd/a.go", "~/.claude/rules/go.md"},
		{"claude-code", "~/.claude/rules/go.md=paths: \"**/*.go\"", "cmd/a.ts", ""},
		{"claude-code", ".claude/rules/md.md=paths: [\"docs [2024/**\", \"*.md\"]", "a.md", ".claude/rules/md.md"},
		{"claude-code", ".claude/rules/md.md=paths: docs/**/*.md", "docs/x/a.md", ".claude/rules/md.md"},
		{"claude-code", ".claude/rules/md.md=paths: [unclosed", "a.go", ".claude/rules/md.md"},
		{"claude-code", "~/.claude/rules/me.md ~/.claude/CLAUDE.md .claude/rules/x.md", "a.go", "~/.claude/CLAUDE.md ~/.claude/rules/me.md .claude/rules/x.md"},
		{"claude-code", "api/.claude/rules/x.md api/CLAUDE.local.md", "api/v1/a.go", "api/.claude/rules/x.md api/CLAUDE.local.md"},
		{"claude-code", ".hidden/CLAUDE.md", ".hidden/a.go", ".hidden/CLAUDE.md"},
		{"claude-code", "claude.md Claude.md", "a.go", ""},
		{"claude-code", "real.md=text .claude/rules/x.md=->../../real.md", "a.go", ".claude/rules/x.md"},
		{"claude-code", "shared/go.md .claude/rules/shared=->../../shared", "a.go", ".claude/rules/shared/go.md"},
		{"claude-code", ".claude/rules/loop=->. .claude/rules/x.md", "a.go", ".claude/rules/x.md"},
		// … its AGENTS.md
		{"claude-code", "AGENTS.md .claude/AGENTS.md api/AGENTS.md web/AGENTS.md", "api/a.go", "AGENTS.md .claude/AGENTS.md api/AGENTS.md"},
		{"claude-code", "AGENTS.md ~/.claude/CLAUDE.md .claude/rules/x.md", "a.go", "~/.claude/CLAUDE.md .claude/rules/x.md AGENTS.md"},
		{"claude-code", "AGENTS.md CLAUDE.local.md", "a.go", "CLAUDE.local.md"},
		{"claude-code", "AGENTS.md .claude/CLAUDE.md api/AGENTS.md", "api/a.go", ".claude/CLAUDE.md"},
		{"claude-code", "AGENTS.md ~/src/CLAUDE.md", "a.go", "~/src/CLAUDE.md"},
		{"claude-code", "~/src/AGENTS.md AGENTS.md api/AGENTS.md api/CLAUDE.md", "api/a.go", "~/src/AGENTS.md AGENTS.md api/CLAUDE.md"},
		{"claude-code", "AGENTS.override.md AGENTS.local.md .agents/AGENTS.md", "a.go", ""},
		// … claudeMdExcludes
		{"claude-code", "CLAUDE.md api/CLAUDE.md .claude/settings.local.json={\"claudeMdExcludes\":[\"**/shop/CLAUDE.md\"]}", "api/a.go", "api/CLAUDE.md"},
		{"claude-code", "CLAUDE.md ~/src/CLAUDE.md .claude/rules/x.md ~/.claude/settings.json={\"claudeMdExcludes\":[\"**/src/CLAUDE.md\"]} .claude/settings.json={\"claudeMdExcludes\":[\"**/.claude/rules/**\"]}", "a.go", "CLAUDE.md"},
		{"claude-code", "real.md=text .claude/rules/x.md=->../../real.md .claude/settings.json={\"claudeMdExcludes\":[\"**/real.md\"]}", "a.go", ""},
		{"claude-code", "AGENTS.md CLAUDE.md .claude/settings.json={\"claudeMdExcludes\":[\"**/CLAUDE.md\"]}", "a.go", "AGENTS.md"},
		// Codex: developers.openai.com/codex/guides/agents-md
		{"codex", "AGENTS.md CLAUDE.md", "a.go", "AGENTS.md"},
		{"codex", "~/.codex/AGENTS.md AGENTS.md api/AGENTS.md web/AGENTS.md", "api/a.go", "~/.codex/AGENTS.md AGENTS.md api/AGENTS.md"},
		{"codex", "AGENTS.override.md AGENTS.md api/AGENTS.md", "api/a.go", "AGENTS.override.md api/AGENTS.md"},
		{"codex", "~/.codex/AGENTS.override.md ~/.codex/AGENTS.md", "a.go", "~/.codex/AGENTS.override.md"},
		{"codex", "~/src/AGENTS.md AGENTS.md", "a.go", "AGENTS.md"},
		{"codex", "AGENTS.override.md=!empty AGENTS.md", "a.go", "AGENTS.md"},
		{"codex", "AGENTS.md=!long api/AGENTS.md", "api/a.go", "AGENTS.md"},
		{"codex", "AGENTS.md .hidden/AGENTS.md", ".hidden/a.go", "AGENTS.md .hidden/AGENTS.md"},
		{"codex", "agents.md Agents.md", "a.go", ""},
		{"codex", "docs/rules.md=text AGENTS.md=->docs/rules.md", "a.go", "AGENTS.md"},
		{"codex", "AGENTS.md packages/a/AGENTS.md packages/b/AGENTS.md packages/a/AGENTS.override.md", "packages/a/src/x.ts", "AGENTS.md packages/a/AGENTS.override.md"},
		{"codex", ".agents.md api/TEAM.md AGENTS.md api/AGENTS.md=!empty ~/.codex/config.toml=project_doc_fallback_filenames=[\"TEAM.md\",\".agents.md\"]", "api/a.go", "AGENTS.md api/TEAM.md"},
		{"codex", ".agents.md ~/.codex/config.toml=project_doc_fallback_filenames=[\"TEAM.md\",\".agents.md\"]", "api/a.go", ".agents.md"},
		{"codex", "AGENTS.md api/AGENTS.md ~/.codex/config.toml=project_doc_max_bytes=8", "api/a.go", "AGENTS.md"},
		{"codex", "AGENTS.md api/AGENTS.md=!long api/v1/AGENTS.md ~/.codex/config.toml=project_doc_max_bytes=65536", "api/v1/a.go", "AGENTS.md api/AGENTS.md api/v1/AGENTS.md"},
		{"codex", "AGENTS.md ~/.codex/AGENTS.md ~/.codex/config.toml=project_doc_max_bytes=0", "a.go", "~/.codex/AGENTS.md"},
		// Cursor: cursor.com/docs/context/rules
		{"cursor", ".cursor/rules/a.mdc=alwaysApply: true", "x/y.ts", ".cursor/rules/a.mdc"},
		{"cursor", ".cursor/rules/a.mdc=alwaysApply: true;globs: \"*.py\"", "y.ts", ".cursor/rules/a.mdc"},
		{"cursor", ".cursor/rules/a.mdc=globs: *.ts,*.tsx;alwaysApply: false", "x/y.tsx", ".cursor/rules/a.mdc"},
		{"cursor", ".cursor/rules/a.mdc=globs: [\"src/**/*.ts\"]", "src/x/y.ts", ".cursor/rules/a.mdc"},
		{"cursor", ".cursor/rules/a.mdc=globs: \"src/**/*.ts\"", "lib/y.ts", ""},
		{"cursor", ".cursor/rules/a.mdc=description: When deploying;globs:;alwaysApply: false", "y.ts", "(.cursor/rules/a.mdc)"},
		{"cursor", ".cursor/rules/a.mdc=alwaysApply: false", "y.ts", "(.cursor/rules/a.mdc)"},
		{"cursor", ".cursor/rules/a.md .cursor/rules/sub/b.mdc=alwaysApply: true", "y.ts", ".cursor/rules/sub/b.mdc"},
		{"cursor", ".cursorrules AGENTS.md CLAUDE.md", "y.ts", ".cursorrules AGENTS.md CLAUDE.md"},
		{"cursor", "AGENTS.md api/AGENTS.md api/CLAUDE.md api/.cursorrules", "api/a.go", "AGENTS.md api/AGENTS.md"},
		{"cursor", "api/.cursor/rules/a.mdc=alwaysApply: true", "web/a.go", ""},
		{"cursor", "api/.cursor/rules/a.mdc=globs: \"**/*.go\"", "api/v1/a.go", "api/.cursor/rules/a.mdc"},
		{"cursor", ".cursor/rules/a.mdc=globs:;  - \"src/**\";  - \"!src/gen/**\"", "src/gen/y.ts", ""},
		{"cursor", ".cursor/rules/a.mdc=description: x;globs: \"*.py\"", "y.ts", ""},
		{"cursor", ".cursor/rules/b.mdc=alwaysApply: true .cursor/rules/a.mdc=alwaysApply: true", "y.ts", ".cursor/rules/a.mdc .cursor/rules/b.mdc"},
		{"cursor", ".cursor/rules/a.mdc=alwaysApply: true api/.cursor/rules/a.mdc=alwaysApply: true", "api/y.ts", ".cursor/rules/a.mdc api/.cursor/rules/a.mdc"},
		// Copilot CLI: docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-custom-instructions
		{"copilot", ".github/copilot-instructions.md AGENTS.md CLAUDE.md GEMINI.md", "a.go", ".github/copilot-instructions.md AGENTS.md CLAUDE.md GEMINI.md"},
		{"copilot", ".github/instructions/a.instructions.md=applyTo: \"**/*.ts,**/*.tsx\"", "x/a.tsx", ".github/instructions/a.instructions.md"},
		{"copilot", ".github/instructions/a.instructions.md=applyTo: \"*.py\"", "x/a.py", ""},
		{"copilot", ".github/instructions/a.instructions.md=applyTo: \"*.py\"", "a.py", ".github/instructions/a.instructions.md"},
		{"copilot", ".github/instructions/a.instructions.md=applyTo: \"**\"", "x/y/z", ".github/instructions/a.instructions.md"},
		{"copilot", ".github/instructions/a.instructions.md=applyTo: \"src/*.py\"", "src/foo/a.py", ""},
		{"copilot", ".github/instructions/a.md .github/instructions/d/b.instructions.md", "a.py", ".github/instructions/d/b.instructions.md"},
		{"copilot", "~/.copilot/copilot-instructions.md ~/.copilot/instructions/go.instructions.md=applyTo: \"**/*.go\"", "x/a.go", "~/.copilot/copilot-instructions.md ~/.copilot/instructions/go.instructions.md"},
		{"copilot", ".github/instructions/a.instructions.md=applyTo: \"*\"", "x/y/z", ".github/instructions/a.instructions.md"},
		{"copilot", ".github/instructions/a.instructions.md=applyTo: \"**\";excludeAgent: \"code-review\"", "z", ".github/instructions/a.instructions.md"},
		{"copilot", "api/.github/instructions/a.instructions.md=applyTo: \"**/*.go\" AGENTS.md api/AGENTS.md", "api/a.go", "AGENTS.md api/.github/instructions/a.instructions.md api/AGENTS.md"},
		// VS Code: code.visualstudio.com/docs/copilot/customization/custom-instructions
		{"vscode", ".github/copilot-instructions.md AGENTS.md api/AGENTS.md", "api/a.go", ".github/copilot-instructions.md AGENTS.md"},
		{"vscode", ".github/instructions/a.instructions.md=description: For APIs", "a.go", "(.github/instructions/a.instructions.md)"},
		{"vscode", ".claude/rules/a.md=paths: [\"**/*.go\"]", "x/a.go", ".claude/rules/a.md"},
		{"vscode", "CLAUDE.md CLAUDE.local.md .claude/CLAUDE.md", "a.go", "CLAUDE.md .claude/CLAUDE.md CLAUDE.local.md"},
		{"vscode", ".github/instructions/a.instructions.md", "a.go", "(.github/instructions/a.instructions.md)"},
		{"vscode", "~/.config/Code/User/prompts/me.instructions.md=applyTo: \"**/*.go\"", "x/a.go", "~/.config/Code/User/prompts/me.instructions.md"},
		{"vscode", "docs/ai/a.instructions.md=applyTo: \"**\" docs/ai/b.md .vscode/settings.json={\"chat.instructionsFilesLocations\":{\"docs/ai\":true}}", "x/a.go", "docs/ai/a.instructions.md"},
		{"vscode", ".github/instructions/a.instructions.md=applyTo: \"**\" ~/.claude/rules/me.md .vscode/settings.json={\"chat.instructionsFilesLocations\":{\".github/instructions\":false,\"~/.claude/rules\":false}}", "x/a.go", ""},
		{"vscode", "docs/a.instructions.md=applyTo: \"**\" ~/.config/Code/User/settings.json={\"chat.instructionsFilesLocations\":{\"docs\":true}} .vscode/settings.json={\"chat.instructionsFilesLocations\":{\"docs\":false}}", "x/a.go", ""},
		// Gemini CLI: geminicli.com/docs/cli/gemini-md, /docs/reference/configuration
		{"gemini", "~/.gemini/GEMINI.md GEMINI.md api/GEMINI.md", "api/a.go", "~/.gemini/GEMINI.md GEMINI.md api/GEMINI.md"},
		{"gemini", "~/src/GEMINI.md api/GEMINI.md AGENTS.md", "web/a.go", ""},
		{"gemini", "GEMINI.md CONTEXT.md api/CONTEXT.md .gemini/settings.json={\"context\":{\"fileName\":\"CONTEXT.md\"}}", "api/a.go", "CONTEXT.md api/CONTEXT.md"},
		{"gemini", "AGENTS.md GEMINI.md ~/.gemini/settings.json={\"context\":{\"fileName\":[\"AGENTS.md\",\"GEMINI.md\"]}}", "a.go", "AGENTS.md GEMINI.md"},
		{"gemini", "GEMINI.md TEAM.md ~/.gemini/settings.json={\"context\":{\"fileName\":\"GEMINI.md\"}} .gemini/settings.json={\"context\":{\"fileName\":\"TEAM.md\"}}", "a.go", "TEAM.md"},
		{"gemini", "~/.gemini/extensions/x/GEMINI.md GEMINI.md", "a.go", "~/.gemini/extensions/x/GEMINI.md GEMINI.md"},
		// opencode: opencode.ai/docs/rules
		{"opencode", "AGENTS.md CLAUDE.md ~/.config/opencode/AGENTS.md ~/.claude/CLAUDE.md", "a.go", "AGENTS.md ~/.config/opencode/AGENTS.md"},
		{"opencode", "CLAUDE.md api/CLAUDE.md ~/.claude/CLAUDE.md", "api/a.go", "CLAUDE.md api/CLAUDE.md ~/.claude/CLAUDE.md"},
		{"opencode", "CLAUDE.md api/AGENTS.md", "api/a.go", "api/AGENTS.md"},
		{"opencode", "AGENTS.md docs/a.md docs/b.md c.md opencode.json={\"instructions\":[\"docs/*.md\",\"c.md\",\"gone.md\"]}", "x.go", "AGENTS.md docs/a.md docs/b.md c.md"},
		{"opencode", "AGENTS.md packages/a/AGENTS.md packages/b/AGENTS.md opencode.jsonc={\"instructions\":[\"packages/*/AGENTS.md\"]}", "x.go", "AGENTS.md packages/a/AGENTS.md packages/b/AGENTS.md"},
		{"opencode", "~/.config/opencode/AGENTS.md AGENTS.md CONTRIBUTING.md .cursor/rules/x.md ~/.config/opencode/opencode.json={\"instructions\":[\"CONTRIBUTING.md\",\".cursor/rules/*.md\"]}", "x.go", "AGENTS.md ~/.config/opencode/AGENTS.md CONTRIBUTING.md .cursor/rules/x.md"},
		{"opencode", "~/rules/me.md AGENTS.md ~/.config/opencode/opencode.json={\"instructions\":[\"~/rules/*.md\"]}", "x.go", "AGENTS.md ~/rules/me.md"},
		{"opencode", "~/secret.md .env=KEY AGENTS.md opencode.json={\"instructions\":[\"~/secret.md\",\"../../secret.md\",\".env\",\"https://x.org/a.md\"]}", "x.go", "AGENTS.md"},
		{"opencode", "AGENTS.md api/AGENTS.md web/AGENTS.md", "api/v1/a.go", "AGENTS.md api/AGENTS.md"},
		// Windsurf: docs.windsurf.com/windsurf/cascade/memories, /agents-md
		{"windsurf", ".windsurf/rules/a.md=trigger: always_on", "a.go", ".windsurf/rules/a.md"},
		{"windsurf", ".windsurf/rules/a.md=trigger: glob;globs: *.js", "x/a.js", ".windsurf/rules/a.md"},
		{"windsurf", ".windsurf/rules/a.md=trigger: glob;globs: \"src/**/*.ts\"", "lib/a.ts", ""},
		{"windsurf", ".windsurf/rules/a.md=trigger: model_decision;description: For APIs", "a.ts", "(.windsurf/rules/a.md)"},
		{"windsurf", ".windsurf/rules/a.md", "a.ts", "(.windsurf/rules/a.md)"},
		{"windsurf", ".windsurfrules AGENTS.md api/AGENTS.md ~/.codeium/windsurf/memories/global_rules.md", "api/a.ts", "~/.codeium/windsurf/memories/global_rules.md .windsurfrules AGENTS.md api/AGENTS.md"},
		{"windsurf", "AGENTS.md api/AGENTS.md", "web/a.ts", "AGENTS.md"},
		{"windsurf", "agents.md api/agents.md", "api/a.ts", "agents.md api/agents.md"},
		{"windsurf", ".windsurf/rules/a.md=trigger: manual", "a.ts", "(.windsurf/rules/a.md)"},
		{"windsurf", "api/.windsurf/rules/a.md=trigger: always_on", "web/a.ts", ""},
		{"windsurf", ".windsurf/rules/a.md=trigger: glob", "a.ts", ""},
		// Cline: docs.cline.bot/customization/cline-rules
		{"cline", ".clinerules", "a.ts", ".clinerules"},
		{"cline", ".clinerules/02-b.md .clinerules/01-a.md .clinerules/c.txt", "a.ts", ".clinerules/01-a.md .clinerules/02-b.md .clinerules/c.txt"},
		{"cline", ".clinerules/a.md=paths:;  - \"*.md\"", "docs/a.md", ""},
		{"cline", ".clinerules/a.md=paths: [\"packages/*/src/\"]", "packages/web/src/x/y.ts", ".clinerules/a.md"},
		{"cline", ".clinerules/a.md=paths: []", "a.md", ""},
		{"cline", ".clinerules/a.md=paths: [unclosed", "a.md", ".clinerules/a.md"},
		{"cline", ".cursorrules .windsurfrules AGENTS.md", "a.md", ".cursorrules .windsurfrules AGENTS.md"},
		{"cline", ".clinerules/a.md .cursorrules AGENTS.md x/AGENTS.md", "x/a.md", ".clinerules/a.md .cursorrules AGENTS.md x/AGENTS.md"},
		{"cline", "~/Documents/Cline/Rules/me.md .clinerules/a.md", "a.md", "~/Documents/Cline/Rules/me.md .clinerules/a.md"},
		{"cline", "~/.agents/AGENTS.md AGENTS.md", "a.md", "~/.agents/AGENTS.md AGENTS.md"},
		{"cline", "x/AGENTS.md .clinerules/a.md", "x/a.md", ".clinerules/a.md"},
		{"cline", ".clinerules/workflows/deploy.md .clinerules/hooks/a.md .clinerules/b/c.md", "a.md", ".clinerules/b/c.md"},
		{"cline", ".clinerules/a.md=paths: [\"**/*.test.ts\", \"packages/{web,api}/**\"]", "packages/api/x.go", ".clinerules/a.md"},
		// Roo: docs.roocode.com/features/custom-instructions
		{"roo", ".roo/rules/b.md .roo/rules/a.txt .roorules", "a.ts", ".roo/rules/a.txt .roo/rules/b.md"},
		{"roo", ".roorules AGENTS.md", "a.ts", "AGENTS.md .roorules"},
		{"roo", "~/.roo/rules/me.md .roo/rules/b.md AGENTS.md AGENT.md", "a.ts", "AGENTS.md ~/.roo/rules/me.md .roo/rules/b.md"},
		{"roo", ".roo/rules-code/b.md .roo/rules/c.md .roo/rules/x.bak", "a.ts", ".roo/rules/c.md (.roo/rules-code/b.md)"},
		{"roo", ".roorules-code api/AGENTS.md", "api/a.ts", "(.roorules-code)"},
		{"roo", ".clinerules .roorules", "a.ts", ".roorules"},
		{"roo", ".clinerules AGENTS.md", "a.ts", "AGENTS.md .clinerules"},
		{"roo", ".clinerules .roo/rules/b.md", "a.ts", ".roo/rules/b.md"},
		{"roo", "~/.roo/rules-code/me.md .roo/rules-code/b.md .roorules-code", "a.ts", "(~/.roo/rules-code/me.md) (.roo/rules-code/b.md)"},
		// Kiro: kiro.dev/docs/steering
		{"kiro", ".kiro/steering/a.md ~/.kiro/steering/me.md AGENTS.md", "a.ts", "~/.kiro/steering/me.md .kiro/steering/a.md AGENTS.md"},
		{"kiro", ".kiro/steering/a.md=inclusion: fileMatch;fileMatchPattern: \"components/**/*.tsx\"", "components/x/a.tsx", ".kiro/steering/a.md"},
		{"kiro", ".kiro/steering/a.md=inclusion: fileMatch;fileMatchPattern: [\"**/*.ts\", \"*.env*\"]", "x/.env.local", ".kiro/steering/a.md"},
		{"kiro", ".kiro/steering/a.md=inclusion: fileMatch;fileMatchPattern: \"components/**/*.tsx\"", "a.tsx", ""},
		{"kiro", ".kiro/steering/a.md=inclusion: manual .kiro/steering/b.md=inclusion: auto;description: x", "a.tsx", "(.kiro/steering/a.md) (.kiro/steering/b.md)"},
		{"kiro", "~/.kiro/steering/AGENTS.md=inclusion: manual", "a.tsx", "~/.kiro/steering/AGENTS.md"},
		{"kiro", ".kiro/steering/a.md=inclusion: always api/AGENTS.md", "api/a.tsx", ".kiro/steering/a.md"},
		// Junie, Zed, Amp, Goose, Pi, Droid, Continue, Crush
		{"junie", ".junie/guidelines.md", "a.kt", ".junie/guidelines.md"},
		{"junie", ".junie/guidelines.md AGENTS.md .junie/AGENTS.md", "a.kt", ".junie/AGENTS.md"},
		{"zed", ".rules .cursorrules AGENTS.md", "a.rs", ".rules"},
		{"zed", ".clinerules/a.md CLAUDE.md AGENTS.md GEMINI.md", "a.rs", "AGENTS.md"},
		{"zed", "api/AGENTS.md CLAUDE.md GEMINI.md", "api/a.rs", "CLAUDE.md"},
		{"amp", "CLAUDE.md api/AGENTS.md api/CLAUDE.md ~/.config/amp/AGENTS.md", "api/a.rs", "~/.config/amp/AGENTS.md CLAUDE.md api/AGENTS.md"},
		{"goose", ".goosehints api/.goosehints ~/.config/goose/.goosehints", "api/a.rs", "~/.config/goose/.goosehints .goosehints api/.goosehints"},
		{"pi", "AGENTS.md CLAUDE.md api/CLAUDE.md", "api/a.rs", "AGENTS.md api/CLAUDE.md"},
		{"droid", "AGENTS.md api/AGENTS.md", "api/a.rs", "AGENTS.md api/AGENTS.md"},
		{"crush", "AGENTS.md CRUSH.md", "a.rs", "CRUSH.md AGENTS.md"},
		{"continue", ".continue/rules/a.md=globs: \"**/*.{ts,tsx}\"", "x/a.tsx", ".continue/rules/a.md"},
		{"continue", ".continue/rules/a.md=alwaysApply: false;description: x", "x/a.tsx", "(.continue/rules/a.md)"},
		{"continue", ".continue/rules/a.md", "x/a.tsx", ".continue/rules/a.md"},
		{"continue", ".continue/rules/b.md .continue/rules/a.md ~/.continue/rules/me.md", "x/a.tsx", ".continue/rules/a.md .continue/rules/b.md ~/.continue/rules/me.md"},
		{"continue", ".continue/rules/a.md=regex: \"^import\"", "x/a.tsx", "(.continue/rules/a.md)"},
		{"zed", "AGENTS.md ~/.config/zed/AGENTS.md", "a.rs", "~/.config/zed/AGENTS.md AGENTS.md"},
		{"goose", "AGENTS.md .goosehints", "a.rs", "AGENTS.md .goosehints"},
		{"amp", "~/src/AGENTS.md AGENTS.md", "a.rs", "~/src/AGENTS.md AGENTS.md"},
		{"amp", "AGENT.md CLAUDE.md", "a.rs", "AGENT.md"},
		{"pi", "~/src/AGENTS.md AGENTS.md ~/.pi/agent/AGENTS.md", "a.rs", "~/.pi/agent/AGENTS.md ~/src/AGENTS.md AGENTS.md"},
		{"droid", "~/.factory/AGENTS.md AGENTS.md web/AGENTS.md", "api/a.rs", "~/.factory/AGENTS.md AGENTS.md"},
		{"crush", ".cursor/rules/a.mdc=globs: \"*.py\" CLAUDE.md docs/x.md crush.json={\"options\":{\"context_paths\":[\"docs/x.md\"]}}", "a.rs", ".cursor/rules/a.mdc CLAUDE.md docs/x.md"},
		{"aider", "CONVENTIONS.md x.md .aider.conf.yml=read:;  - \"CONVENTIONS.md\"", "a.rs", "CONVENTIONS.md"},
	} {
		h := newHome(t)
		for _, file := range splitFiles(c.files) {
			name, matter, _ := strings.Cut(file, "=")
			text := "Text of " + name + "\n"
			switch matter {
			case "":
			case "!empty":
				text = "\n"
			case "!long":
				text = strings.Repeat("long ", 8<<10)
			default:
				text = "---\n" + strings.ReplaceAll(matter, ";", "\n") + "\n---\n" + text
				switch {
				case strings.HasPrefix(matter, "->"), strings.HasPrefix(matter, "{"), strings.HasPrefix(matter, "@"), strings.HasSuffix(name, ".toml"):
					text = matter
				case strings.HasSuffix(name, ".yml"):
					text = strings.ReplaceAll(matter, ";", "\n")
				}
			}
			if rest, ok := strings.CutPrefix(name, "~/"); ok {
				h.write(rest, text)
			} else {
				h.write("src/shop/"+name, text)
			}
		}
		fstest.Equal(t, h.holding(c.agent, c.path), c.want, c.agent, c.files, c.path)
	}
}

// TestSettings: what users and projects name as rules in the settings of their agents is
// read, and nothing else that they name.
func TestSettings(t *testing.T) {
	h := newHome(t)
	for name, text := range map[string]string{
		".gemini/settings.json": `{"context": {"fileName": ["AGENTS.md", "GEMINI.md"], /* mine */}}`,
		".codex/config.toml":    "project_doc_fallback_filenames = [\"CLAUDE.md\", \"../x.md\"]\n",
		".gemini/AGENTS.md":     "A\n", "src/shop/AGENTS.md": "B\n", "src/shop/api/GEMINI.md": "C\n", "src/shop/web/CLAUDE.md": "D\n",
	} {
		h.write(name, text)
	}
	for _, c := range []struct{ agent, path, want string }{
		{"gemini", "api/x.go", "~/.gemini/AGENTS.md AGENTS.md api/GEMINI.md"},
		{"codex", "web/x.go", "AGENTS.md web/CLAUDE.md"},
	} {
		fstest.Equal(t, h.holding(c.agent, c.path), c.want, c.agent, c.path)
	}
	h.write("src/shop/.gemini/settings.json", `{"context": {"fileName": ["../../secret.md", ".env", "NOTES.md"]}}`)
	h.write("src/shop/NOTES.md", "N\n")
	h.write("src/shop/.env", "KEY=1\n")
	fstest.Equal(t, h.holding("gemini", "x.go"), "NOTES.md", "project's settings")
}

// TestEnvironment: variables name further folders and files.
func TestEnvironment(t *testing.T) {
	h := newHome(t)
	for name, text := range map[string]string{
		"a/AGENTS.md": "A\n", "b/.github/instructions/x/y.instructions.md": "B\n", "b/CLAUDE.md": "NO\n", "src/shop/team/AGENTS.md": "T\n",
		"src/shop/AGENTS.md": "P\n", "src/shop/CLAUDE.md": "C\n",
		"managed.json": `{"context": {"fileName": "MANAGED.md"}}`, ".gemini/settings.json": `{"context": {"fileName": "GEMINI.md"}}`, "src/shop/MANAGED.md": "M\n", "src/shop/GEMINI.md": "NO\n",
	} {
		h.write(name, text)
	}
	h.env = map[string]string{
		"COPILOT_CUSTOM_INSTRUCTIONS_DIRS": h.path("a") + ", ~/b,team,",
		"GEMINI_CLI_SYSTEM_SETTINGS_PATH":  h.path("managed.json"),
	}
	for agent, want := range map[string]string{
		"copilot": "~/a/AGENTS.md ~/b/.github/instructions/x/y.instructions.md AGENTS.md CLAUDE.md GEMINI.md team/AGENTS.md",
		"gemini":  "MANAGED.md",
	} {
		fstest.Equal(t, h.holding(agent, "x.go"), want, agent)
	}
}

// splitFiles splits the files of a case at the spaces before a new path: front matter
// has spaces, too.
func splitFiles(s string) (files []string) {
	for _, word := range strings.Split(s, " ") {
		isFile := !strings.ContainsAny(word, "\"[:") && word != "." && strings.ContainsAny(word, "./~") && !strings.HasPrefix(word, "*")
		before, _, _ := strings.Cut(word, "=")
		if isFile || strings.Contains(word, "=") && strings.Contains(before, ".") {
			files = append(files, word)
		} else {
			files[len(files)-1] += " " + word
		}
	}
	return files
}
