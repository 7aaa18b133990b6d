package skills

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	conform "ctxfs/fs/fstest"
	"ctxfs/providers/internal/agents"
	projects "ctxfs/providers/internal/project"
	"ctxfs/providers/internal/trust"
	"ctxfs/providers/internal/workspaces"
)

// row is a line of INDEX.tsv, by its heads.
type row map[string]string

func (f *fixture) record() map[string]row {
	f.t.Helper()
	lines := strings.Split(strings.TrimSuffix(f.read("INDEX.tsv"), "\n"), "\n")
	heads := strings.Split(lines[0], "\t")
	all := make(map[string]row)
	for _, line := range lines[1:] {
		r := make(row)
		for i, cell := range strings.Split(line, "\t") {
			r[heads[i]] = cell
		}
		all[r["name"]] = r
	}
	return all
}

func (f *fixture) wantRow(name string, want row) {
	f.t.Helper()
	got, ok := f.record()[name]
	if !ok {
		f.t.Errorf("no row of %s:\n%s", name, f.read("INDEX.tsv"))
		return
	}
	for key, value := range want {
		if got[key] != value {
			f.t.Errorf("%s: %s is %q, want %q", name, key, got[key], value)
		}
	}
}

// TestCommandsAndSubagents are folders with a SKILL.md that says what they are, and their
// file beside it.
func TestCommandsAndSubagents(t *testing.T) {
	files := map[string]string{
		".claude/commands/git/commit.md":        "---\ndescription: Commit what is staged\nargument-hint: [message]\n---\nCommit with $ARGUMENTS.\n",
		".claude/commands/plain.md":             "# Fix the issue $1\n\nDo it.\n",
		".claude/commands/README.md":            "not a command",
		".claude/agents/reviewer.md":            "---\nname: code-reviewer\ndescription: Reviews code\ntools: Read\n---\nYou review.\n",
		".cursor/commands/ship.md":              "Ship it.\n",
		".cursor/agents/tester.md":              "---\ndescription: Tests\n---\nTest.\n",
		".gemini/commands/git/sum.toml":         "description = \"Sum up\"\nprompt = \"\"\"\nSum up {{args}}\n\"\"\"\n",
		".gemini/agents/planner.md":             "---\nname: planner\ndescription: Plans\n---\nPlan.\n",
		".copilot/agents/doc.agent.md":          "---\ndescription: Documents\n---\nWrite.\n",
		".codex/prompts/draft.md":               "Draft a text.\n",
		".codex/agents/explorer.toml":           "name = \"explorer\"\ndescription = \"Explores: all\"\ndeveloper_instructions = \"Explore.\"\n",
		".config/opencode/command/test.md":      "---\ndescription: Run tests\n---\nRun them.\n",
		".config/opencode/agent/docs.md":        "---\ndescription: Docs\nmode: subagent\n---\nWrite docs.\n",
		".config/Code/User/prompts/p.prompt.md": "---\ndescription: A prompt\n---\nPrompt.\n",
		".claude/commands/broken.toml":          "no command",
		".gemini/commands/torn.toml":            "prompt = [\n",
		".gemini/commands/none.toml":            "description = \"no prompt\"\n",
		".claude/skills/plain/SKILL.md":         md("plain", "a skill of that name"),
		".claude/commands/skill.md":             "A command whose file is called like a skill's.\n",
		".claude/commands/Überprüfen 検査.md":     "Prüfe.\n",
	}
	h := home(t, files)
	f := start(t, h)
	f.wantNames("", "INDEX.md", "agentctx", "git_commit", "plain", "plain~claude-code", "reviewer", "ship", "tester", "git_sum", "planner", "doc", "draft",
		"explorer", "test", "docs", "p", "torn", "none", "skill", "Überprüfen_検査")
	f.wantNames("git_commit", "SKILL.md", "commit.md")
	f.wantNames("git_sum", "SKILL.md", "sum.toml")
	f.wantNames("skill", "SKILL.md", "original.md")
	if got := f.read("git_commit/commit.md"); got != files[".claude/commands/git/commit.md"] {
		t.Errorf("the original is %q", got)
	}
	for path, words := range map[string][]string{
		"git_commit": {"name: 'git_commit'", "kind: command", "origin: '~/.claude/commands/git/commit.md'", "command /git:commit of Claude Code", "Read commit.md", "$ARGUMENTS"},
		"reviewer":   {"kind: subagent", "subagent code-reviewer of Claude Code: Reviews code", "Read reviewer.md"},
		"git_sum":    {"command /git:sum of Gemini CLI: Sum up", "{{args}}"},
		"explorer":   {"subagent explorer of Codex: Explores: all"},
	} {
		text := f.read(path + "/SKILL.md")
		for _, w := range words {
			if !strings.Contains(text, w) {
				t.Errorf("%s/SKILL.md lacks %q:\n%s", path, w, text)
			}
		}
	}
	f.wantIndex("git_commit — command /git:commit of Claude Code: Commit what is staged", "plain — a skill of that name",
		"plain~claude-code — command /plain of Claude Code: Fix the issue $1", "planner — subagent planner of Gemini CLI: Plans",
		"test — command /test of opencode: Run tests", "p — command /p of VS Code: A prompt")
	index := f.read("INDEX.md")
	for _, words := range []string{"torn.toml: cannot be read as TOML", "none.toml: has no prompt"} {
		if !strings.Contains(index, words) {
			t.Errorf("INDEX.md lacks %q:\n%s", words, index)
		}
	}
	f.wantRow("explorer", row{"kind": "subagent", "called": "explorer", "agent": "codex", "scope": "user", "seen_by": "codex", "path": "~/.codex/agents/explorer.toml"})
	// Only skills are named in AGENTS.md.
	for _, item := range f.Status().Items {
		if item.Name != "agentctx" && item.Name != "plain" {
			t.Errorf("item %+v", item)
		}
	}
	if s := f.Status().Summary; !strings.HasPrefix(s, "2 skills, 11 commands, 6 subagents") {
		t.Errorf("summary %q", s)
	}
	found := 0
	for doc := range f.Documents("") {
		if doc.Title == "explorer" && doc.Path == "explorer/SKILL.md" && strings.Contains(doc.Fields["body"], "developer_instructions") {
			found++
		}
	}
	if found != 1 {
		t.Error("the subagent is no document")
	}
	must(t, fstest.TestFS(conform.FS(t.Context(), f.tree), "git_commit/SKILL.md", "git_commit/commit.md", "explorer/explorer.toml"))
	conform.Check(t, f.tree)

	// A change of the file shows in both, and a new one appears.
	put(t, filepath.Join(h, ".claude/commands/git/commit.md"), "---\ndescription: Commit all\n---\nAll.\n", false)
	f.await("the new description", f.says("Commit all"))
	if text := f.read("git_commit/SKILL.md"); !strings.Contains(text, "Commit all") || f.read("git_commit/commit.md") != "---\ndescription: Commit all\n---\nAll.\n" {
		t.Errorf("after the change: %s", text)
	}
	put(t, filepath.Join(h, ".claude/commands/new.md"), "A new one.\n", false)
	f.await("the new command", f.says("new — command /new of Claude Code: A new one."))
	must(t, os.Remove(filepath.Join(h, ".claude/commands/new.md")))
	f.await("the command is gone", f.hasNot("new"))
}

// plugins are the files of plugins of all agents that have them.
func plugins(t *testing.T) (h string) {
	h = home(t, map[string]string{
		".claude/plugins/cache/market/tools/1.0.0/skills/lint/SKILL.md":       md("lint", "of a plugin of Claude Code"),
		".claude/plugins/cache/market/tools/1.0.0/commands/check.md":          "Check it.\n",
		".claude/plugins/cache/market/tools/1.0.0/agents/judge.md":            "---\ndescription: Judges\n---\nJudge.\n",
		".claude/plugins/cache/market/tools/1.0.0/extra/deep/SKILL.md":        md("deep", "named by the manifest"),
		".claude/plugins/cache/market/tools/1.0.0/one/SKILL.md":               md("one", "a skill that the manifest names"),
		".claude/plugins/cache/market/tools/1.0.0/.claude-plugin/plugin.json": `{"name": "tools", "skills": ["./extra/", "./one", "../../../../../../secret"]}`,
		".claude/plugins/cache/market/off/1.0.0/skills/off/SKILL.md":          md("off", "disabled"),
		".claude/plugins/cache/docs/pack/aaaa/skills/pdf/SKILL.md":            md("pdf", "offered"),
		".claude/plugins/cache/docs/pack/aaaa/skills/other/SKILL.md":          md("other", "not part of the plugin"),
		".claude/plugins/marketplaces/docs/.claude-plugin/marketplace.json":   `{"plugins": [{"name": "pack", "source": "./", "strict": false, "skills": ["./skills/pdf"]}]}`,
		".claude/plugins/marketplaces/docs/skills/not-installed/SKILL.md":     md("not-installed", "x"),
		".claude/settings.json":                                            `{"enabledPlugins": {"tools@market": true, "off@market": false}}`,
		"secret/skills/s/SKILL.md":                                         md("s", "not in the plugin"),
		".codex/plugins/cache/official/gh/0.9.0/skills/pr/SKILL.md":        md("pr", "an old version"),
		".codex/plugins/cache/official/gh/1.0.0/skills/pr/SKILL.md":        md("pr", "of a plugin of Codex"),
		".codex/plugins/cache/official/gh/1.0.0/.codex-plugin/plugin.json": `{"name": "gh", "skills": "./skills/"}`,
		".codex/plugins/cache/official/quiet/1.0.0/skills/quiet/SKILL.md":  md("quiet", "disabled"),
		".codex/config.toml":                                               "[plugins.\"quiet@official\"]\nenabled = false\n",
		".agents/plugins/goosy/plugin.json":                                `{"name": "goosy"}`,
		".agents/plugins/goosy/skills/honk/SKILL.md":                       md("honk", "of a plugin of Goose"),
		".agents/plugins/none/skills/none/SKILL.md":                        md("none", "no plugin"),
		".gemini/extensions/cloud/gemini-extension.json":                   `{"name": "cloud", "version": "1.0.0"}`,
		".gemini/extensions/cloud/skills/deploy/SKILL.md":                  md("deploy", "of an extension"),
		".gemini/extensions/cloud/commands/gcs/sync.toml":                  "prompt = \"Sync.\"\n",
		".gemini/extensions/cloud/agents/ops.md":                           "---\nname: ops\ndescription: Operates\n---\nOperate.\n",
		".gemini/extensions/mute/gemini-extension.json":                    `{"name": "mute"}`,
		".gemini/extensions/mute/skills/mute/SKILL.md":                     md("mute", "disabled"),
		".gemini/extensions/dev/.gemini-extension-install.json":            "",
		"src/dev/gemini-extension.json":                                    `{"name": "dev"}`,
		"src/dev/skills/linked/SKILL.md":                                   md("linked", "of a linked extension"),
	})
	put(t, filepath.Join(h, ".claude/plugins/installed_plugins.json"), `{"version": 2, "plugins": {
		"tools@market": [{"scope": "user", "installPath": "`+h+`/.claude/plugins/cache/market/tools/1.0.0"}, {"scope": "project", "installPath": "`+h+`/.claude/plugins/cache/market/tools/1.0.0"}],
		"off@market": [{"scope": "user", "installPath": "`+h+`/.claude/plugins/cache/market/off/1.0.0"}],
		"pack@docs": {"installPath": "`+h+`/.claude/plugins/cache/docs/pack/aaaa"},
		"gone@docs": [{"installPath": "`+h+`/.claude/plugins/cache/docs/gone"}]}}`, false)
	put(t, filepath.Join(h, ".claude/plugins/known_marketplaces.json"), `{"docs": {"installLocation": "`+h+`/.claude/plugins/marketplaces/docs"}}`, false)
	put(t, filepath.Join(h, ".gemini/extensions/extension-enablement.json"), `{"mute": {"overrides": ["!`+h+`/*"]}}`, false)
	put(t, filepath.Join(h, ".gemini/extensions/dev/.gemini-extension-install.json"), `{"type": "link", "source": "`+h+`/src/dev"}`, false)
	old := time.Now().Add(-time.Hour)
	must(t, os.Chtimes(filepath.Join(h, ".codex/plugins/cache/official/gh/0.9.0"), old, old))
	return h
}

func TestPlugins(t *testing.T) {
	h := plugins(t)
	put(t, filepath.Join(h, ".claude/skills/lint/SKILL.md"), md("lint", "the user's own"), false)
	f := start(t, h)
	f.wantNames("", "INDEX.md", "agentctx", "lint", "lint~tools", "deep", "one", "check", "judge", "pdf", "pr", "honk", "deploy", "gcs_sync", "ops", "linked")
	f.wantIndex("lint — the user's own", "lint~tools — of a plugin of Claude Code", "pr — of a plugin of Codex", "pdf — offered")
	f.wantRow("lint~tools", row{"agent": "claude-code", "scope": "plugin", "plugin": "tools", "seen_by": "claude-code", "hidden_for": "claude-code", "trusted": "yes"})
	f.wantRow("lint", row{"scope": "user", "hidden_for": ""})
	f.wantRow("gcs_sync", row{"kind": "command", "plugin": "cloud", "called": "gcs:sync"})
	conform.Check(t, f.tree)

	// A plugin whose folder vanishes takes what it had with it, and nothing else.
	must(t, os.RemoveAll(filepath.Join(h, ".gemini/extensions/cloud")))
	f.await("the extension is gone", func() bool { return f.hasNot("deploy")() && f.hasNot("ops")() && f.hasNot("gcs_sync")() })
	put(t, filepath.Join(h, ".claude/settings.json"), `{"enabledPlugins": {"tools@market": false}}`, false)
	f.await("the plugin is disabled", func() bool { return f.hasNot("lint~tools")() && f.has("off")() && f.has("lint")() })
	put(t, filepath.Join(h, ".agents/plugins/two/plugin.json"), `{}`, false)
	put(t, filepath.Join(h, ".agents/plugins/two/skills/quack/SKILL.md"), md("quack", "new"), false)
	f.await("a new plugin is found", f.has("quack"))
}

// surroundings are workspaces and what is trusted.
type surroundings struct {
	home  string
	set   *workspaces.Set
	trust *trust.Store

	mu   sync.Mutex
	dirs []string
	time time.Time
}

func (s *surroundings) now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.time
}

// inProjects makes folders of the home workspaces.
func inProjects(t *testing.T, h string, dirs ...string) (*surroundings, func(*Options)) {
	t.Helper()
	s := &surroundings{home: h, time: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)}
	s.trust = trust.New(filepath.Join(t.TempDir(), "trust.json"), nil, s.now)
	s.set = workspaces.New(workspaces.Options{
		Projects: projects.New(projects.Options{Home: h}), Home: h, Now: s.now,
		Visits: func(time.Time) (all []facts.Visit) {
			s.mu.Lock()
			defer s.mu.Unlock()
			for _, dir := range s.dirs {
				all = append(all, facts.Visit{Dir: filepath.Join(h, dir), Time: s.time.Add(-time.Hour), Certain: true})
			}
			return all
		},
	})
	for _, dir := range dirs {
		must(t, os.MkdirAll(filepath.Join(h, dir), 0o755))
	}
	s.work(dirs...)
	return s, func(o *Options) { o.Workspaces, o.Trust = s.set, s.trust }
}

// work has somebody work in these folders.
func (s *surroundings) work(dirs ...string) {
	s.mu.Lock()
	s.dirs = dirs
	s.mu.Unlock()
	s.set.Update()
}

// wait has nobody work anywhere for a time.
func (s *surroundings) wait(d time.Duration) {
	s.mu.Lock()
	s.dirs, s.time = nil, s.time.Add(d)
	s.mu.Unlock()
	s.set.Update()
}

func TestSkillsOfProjects(t *testing.T) {
	h := home(t, map[string]string{
		"src/shop/.git/HEAD":                                "ref: refs/heads/main\n",
		"src/shop/.gitignore":                               "build/\n",
		"src/shop/.claude/skills/pdf/SKILL.md":              md("pdf", "the project's"),
		"src/shop/.claude/commands/deploy.md":               "Deploy it.\n",
		"src/shop/.cursor/agents/checker.md":                "---\ndescription: Checks\n---\nCheck.\n",
		"src/shop/.agents/skills/shared/SKILL.md":           md("shared", "for all agents"),
		"src/shop/.github/prompts/p.prompt.md":              "Prompt.\n",
		"src/shop/.opencode/command/oc.md":                  "Do it.\n",
		"src/shop/packages/api/.claude/skills/api/SKILL.md": md("api", "nested"),
		"src/shop/packages/api/.gemini/skills/no/SKILL.md":  md("no", "Gemini reads no nested ones"),
		"src/shop/build/.claude/skills/built/SKILL.md":      md("built", "ignored"),
		"src/shop/node_modules/x/.claude/skills/m/SKILL.md": md("m", "not the project's"),
		"src/shop/.claude/skills/out":                       "-> ../../../../secret",
		"src/shop/.claude/skills/file/SKILL.md":             "-> ../../../../../secret/key.md",
		"src/shop/.claude/commands/key.md":                  "-> ../../../../secret/key.md",
		"src/shop/sub/.git/HEAD":                            "ref: refs/heads/main\n",
		"src/shop/sub/.claude/skills/sub/SKILL.md":          md("sub", "of another repository"),
		"secret/SKILL.md":                                   md("secret", "nothing of the project"),
		"secret/key.md":                                     "KEY",
		".claude/skills/pdf/SKILL.md":                       md("pdf", "the user's"),
	})
	s, use := inProjects(t, h, "src/shop")
	f := start(t, h, use)
	f.wantNames("", "INDEX.md", "agentctx", "pdf")
	f.Start()
	f.await("the project's are there", f.has("shared"))
	f.wantNames("", "INDEX.md", "agentctx", "pdf", "pdf~shop", "deploy", "checker", "shared", "p", "oc", "api", "file", "key")
	mark := " (not trusted: ctxfs trust ~/src/shop)"
	f.wantIndex("pdf — the user's", "pdf~shop — the project's"+mark, "api — nested"+mark, "deploy — command /deploy of Claude Code: Deploy it."+mark)
	f.wantRow("pdf~shop", row{"scope": "project", "project": "~/src/shop", "trusted": "no", "seen_by": "claude-code,cursor,opencode,copilot,vscode,goose", "hidden_for": "claude-code"})
	f.wantRow("pdf", row{"scope": "user", "hidden_for": ""})
	f.wantRow("api", row{"seen_by": "claude-code,cursor,opencode"})
	f.wantRow("shared", row{"agent": "", "seen_by": "codex,cursor,gemini,opencode,copilot,vscode,goose,amp"})
	if index := f.read("INDEX.md"); !strings.Contains(index, "~/src/shop/.claude/skills/out: is a link that leads out of its project") || strings.Contains(index, "KEY") {
		t.Errorf("INDEX.md:\n%s", index)
	}
	for _, path := range []string{"file/SKILL.md", "key/key.md"} {
		if n, err := f.tree.Resolve(t.Context(), path); err == nil {
			if file, ok := n.(fs.File); ok {
				text, err := f.tree.ReadAll(t.Context(), file)
				t.Errorf("%s leads out of the project: %q, %v", path, text, err)
			}
		}
	}
	st := f.Status()
	if st.State != "ready" || !slices.EqualFunc(st.Items, []string{"agentctx", "pdf"}, func(i fs.Item, name string) bool { return i.Name == name }) {
		t.Errorf("status %+v", st)
	}
	for doc := range f.Documents("") {
		if doc.Title == "api" && (doc.Fields["description"] != "[not trusted] nested" || doc.Place != filepath.Join(h, "src/shop")) {
			t.Errorf("document %+v", doc)
		}
	}
	remarks := f.Brief(filepath.Join(h, "src/shop/packages"))
	if len(remarks) != 1 || remarks[0].Topic != facts.TopicSkills || strings.Contains(remarks[0].Text, "nested") || !strings.Contains(remarks[0].Text, "not trusted") {
		t.Errorf("before it is trusted: %+v", remarks)
	}
	if !strings.Contains(f.read("deploy/SKILL.md"), "not trusted") {
		t.Error("the command is not marked")
	}
	conform.Check(t, f.tree)

	must(t, s.trust.Trust(filepath.Join(h, "src/shop")))
	f.await("the mark is gone", func() bool { return !strings.Contains(f.read("INDEX.md"), "not trusted") })
	f.wantRow("pdf~shop", row{"trusted": "yes"})
	if strings.Contains(f.read("deploy/SKILL.md"), "not trusted") {
		t.Error("the command is still marked")
	}
	var names []string
	for _, r := range f.Brief(filepath.Join(h, "src/shop")) {
		names = append(names, r.Text)
	}
	if !slices.Contains(names, "`api`: nested") || len(names) != 9 {
		t.Errorf("once it is trusted: %q", names)
	}
	if got := f.Brief(h); got != nil {
		t.Errorf("of no workspace: %+v", got)
	}
	// Another repository in it becomes known, and a folder of agents appears.
	put(t, filepath.Join(h, "src/shop/.gemini/skills/late/SKILL.md"), md("late", "appeared"), false)
	f.await("the new folder is seen", f.has("late"))
	s.work("src/shop", "src/shop/sub")
	f.Refresh()
	f.await("the other repository's are there", f.has("sub"))
	f.wantIndex("sub — of another repository (not trusted: ctxfs trust ~/src/shop/sub)")
	s.wait(workspaces.Lately)
	f.Refresh()
	f.await("no workspace, no skills", func() bool { return slices.Equal(f.names(""), []string{"INDEX.md", "agentctx", "pdf"}) })
}

// TestProjectsWithoutAWatch: a command that reads once sees them, too.
func TestProjectsWithoutAWatch(t *testing.T) {
	h := home(t, map[string]string{"src/a/.claude/skills/x/SKILL.md": md("x", "the project's")})
	_, use := inProjects(t, h, "src/a")
	f := start(t, h, offline, use)
	f.wantNames("", "INDEX.md", "agentctx", "x")
}

// TestWorktrees: what a worktree has just as its repository is there once.
func TestWorktrees(t *testing.T) {
	same, other := md("same", "equal"), md("changed", "in the worktree")
	h := home(t, map[string]string{
		"src/a/.git/HEAD":                       "ref: refs/heads/main\n",
		"src/a/.git/worktrees/b/HEAD":           "ref: refs/heads/b\n",
		"src/a/.git/worktrees/b/commondir":      "../..\n",
		"src/a/.claude/skills/same/SKILL.md":    same,
		"src/a/.claude/skills/changed/SKILL.md": md("changed", "in the repository"),
		"src/b/.claude/skills/same/SKILL.md":    same,
		"src/b/.claude/skills/changed/SKILL.md": other,
	})
	put(t, filepath.Join(h, "src/b/.git"), "gitdir: "+h+"/src/a/.git/worktrees/b\n", false)
	put(t, filepath.Join(h, "src/a/.git/worktrees/b/gitdir"), h+"/src/b/.git\n", false)
	_, use := inProjects(t, h, "src/a", "src/b")
	f := start(t, h, use)
	f.Start()
	f.await("they are there", f.has("changed~a"))
	f.wantNames("", "INDEX.md", "agentctx", "same", "changed", "changed~a")
}

// TestPrecedence: which of several skills of one name an agent prefers is as it documents
// it: Claude Code the machine's before the user's before the project's before a plugin's,
// Codex shows all, Gemini CLI the shared folder before its own and the project's before
// the user's.
func TestPrecedence(t *testing.T) {
	h := plugins(t)
	for path, about := range map[string]string{
		".claude/skills/pr/SKILL.md": "user", ".codex/skills/pr/SKILL.md": "old folder", ".agents/skills/pr/SKILL.md": "shared", ".gemini/skills/pr/SKILL.md": "gemini",
		"src/a/.claude/skills/pr/SKILL.md": "project", "src/a/.agents/skills/pr/SKILL.md": "project, shared", "src/a/.gemini/skills/pr/SKILL.md": "project, gemini",
		".claude/skills/deploy/SKILL.md": "user's", ".gemini/skills/deploy/SKILL.md": "user's",
	} {
		put(t, filepath.Join(h, path), md(filepath.Base(filepath.Dir(path)), about), false)
	}
	_, use := inProjects(t, h, "src/a")
	f := start(t, h, use)
	f.Start()
	f.await("the project's are there", f.has("pr~a"))
	byPath := make(map[string]row)
	for _, r := range f.record() {
		byPath[r["path"]] = r
	}
	for path, want := range map[string]string{
		"~/.claude/skills/pr":                                "goose",
		"~/src/a/.claude/skills/pr":                          "claude-code,goose",
		"~/.codex/skills/pr":                                 "cursor",
		"~/.agents/skills/pr":                                "",
		"~/.gemini/skills/pr":                                "gemini",
		"~/src/a/.gemini/skills/pr":                          "gemini",
		"~/.codex/plugins/cache/official/gh/1.0.0/skills/pr": "",
		"~/.gemini/extensions/cloud/skills/deploy":           "gemini",
		"~/.gemini/skills/deploy":                            "",
	} {
		if got := without(byPath[path]["hidden_for"], "opencode", "vscode", "copilot", "cursor"); got != without(want, "cursor") {
			t.Errorf("%s is hidden for %q, want %q", path, byPath[path]["hidden_for"], want)
		}
	}
	for _, a := range agents.All() {
		if a.ID == "codex" && !a.Skills.KeepsAll {
			t.Error("Codex keeps all")
		}
	}
	for name := range maps.Keys(byPath) {
		if name == "" {
			continue
		}
		if strings.Contains(name, "not-installed") {
			t.Errorf("%s is shown", name)
		}
	}
}

func without(list string, ids ...string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(list, ","), func(id string) bool { return slices.Contains(ids, id) }), ",")
}
