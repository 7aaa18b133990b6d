package skills

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"ctxfs/fs"
	conform "ctxfs/fs/fstest"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/frontmatter"
	"ctxfs/providers/skills/locate"
	"ctxfs/providers/skills/read"
)

func TestNoSkillsButTheBuiltIn(t *testing.T) {
	f := start(t, home(t, nil))
	f.wantNames("", "INDEX.md", "agentctx")
	f.wantNames("agentctx", "SKILL.md")
	f.wantIndex("- ~/.claude/skills", "- ~/.cursor/skills", "- ~/.codex/skills", "- ~/.agents/skills")
	if index := f.read("INDEX.md"); strings.Contains(index, "Problems") {
		t.Errorf("problems in an empty home:\n%s", index)
	}
	if got := f.attr("agentctx/SKILL.md"); !got.ModTime.Equal(built) || got.Live {
		t.Errorf("the built-in skill: %+v", got)
	}
	s := f.Status()
	if s.State != "ready" || s.Summary != "1 skill" || len(s.Items) != 1 || s.Items[0].Count != -1 {
		t.Errorf("status %+v", s)
	}
	// Nothing may be mounted over the folders that are searched for skills.
	var folders []string
	for _, src := range locate.New(locate.Options{Machine: agents.Machine{Home: f.home, LookupEnv: noEnv}}).Own() {
		folders = append(folders, src.Dir)
	}
	slices.Sort(folders)
	folders = slices.Compact(folders)
	if got := f.Roots(); !slices.Contains(got, filepath.Join(f.home, ".agents/skills")) || !slices.Equal(got, folders) {
		t.Errorf("roots %q, want %q", got, folders)
	}
	must(t, fstest.TestFS(conform.FS(t.Context(), f.tree), "INDEX.md", "agentctx/SKILL.md"))
}

// TestSkillsOfEveryAgent: a skill in the folder of any agent is found, and the
// folders have a precedence of their own.
func TestSkillsOfEveryAgent(t *testing.T) {
	files, want := make(map[string]string), []string{"INDEX.md", "agentctx"}
	for _, a := range agents.All() {
		for _, dir := range (agents.Machine{Home: "/", LookupEnv: noEnv}).Paths(a.Skills.User...) {
			files[dir+"/of-"+a.ID+"/SKILL.md"] = md("of-"+a.ID, "It is a skill.")
		}
	}
	files[".agents/skills/shared/SKILL.md"] = md("shared", "It is a skill.")
	for path := range files {
		want = append(want, filepath.Base(filepath.Dir(path)))
	}
	slices.Sort(want)
	f := start(t, home(t, files))
	f.wantNames("", want...)

	var order []string
	for _, src := range own("/home/ada") {
		order = append(order, src.Name)
	}
	if !slices.Equal(order[:4], []string{"claude-code", "claude-code", "claude-code", "cursor"}) || !slices.Equal(order[len(order)-4:], []string{"codex", "goose", "agents", "codex"}) {
		t.Errorf("precedence %q", order)
	}
}

// own returns the folders where the user's skills are looked for.
func own(home string) (all []locate.Source) {
	for _, src := range locate.New(locate.Options{Machine: agents.Machine{Home: home, LookupEnv: noEnv}}).Own() {
		if src.Kind == read.Skill {
			all = append(all, src)
		}
	}
	return all
}

func noEnv(string) (string, bool) { return "", false }

func TestTheBuiltInSkillIsValid(t *testing.T) {
	matter, err := frontmatter.Parse(builtinText())
	must(t, err)
	if len(matter.Warnings) > 0 || len(matter.Fields) != 2 {
		t.Errorf("fields %v, warnings %v", matter.Fields, matter.Warnings)
	}
	if matter.String("name") != builtinName {
		t.Errorf("name %q", matter.String("name"))
	}
	if n := len(matter.String("description")); n == 0 || n > 1024 {
		t.Errorf("the description has %d characters", n)
	}
	if card := newBuiltin(built).Card; card.Err != nil || strings.Count(builtinSkill, "\n") > 80 {
		t.Error("the built-in skill is broken or too long")
	}
}

func TestFilesPassThrough(t *testing.T) {
	h := home(t, map[string]string{
		".claude/skills/pdf/SKILL.md":          md("pdf", "Reads PDF files. Use it for forms."),
		".claude/skills/pdf/scripts/run.sh":    "#!/bin/sh\necho hi\n",
		".claude/skills/pdf/reference/x.md":    "x",
		".claude/skills/pdf/link.md":           "-> reference/x.md",
		".claude/skills/pdf/out":               "-> ../../settings.json",
		".claude/skills/README.md":             "no skill",
		".claude/skills/.hidden/SKILL.md":      md("hidden", "x"),
		".claude/skills/node_modules/SKILL.md": md("node_modules", "x"),
	})
	must(t, os.Chmod(filepath.Join(h, ".claude/skills/pdf/scripts/run.sh"), 0o755))
	f := start(t, h)
	f.wantNames("", "INDEX.md", "agentctx", "pdf")
	f.wantNames("pdf", "SKILL.md", "link.md", "out", "reference", "scripts")
	if got := f.read("pdf/scripts/run.sh"); got != "#!/bin/sh\necho hi\n" {
		t.Errorf("the script is %q", got)
	}
	if a := f.attr("pdf/scripts/run.sh"); a.Mode != 0o555 || a.Live || !a.InPlace {
		t.Errorf("the script: %+v", a)
	}
	if a := f.attr("pdf/SKILL.md"); a.Mode != 0o444 {
		t.Errorf("SKILL.md: %+v", a)
	}
	for path, want := range map[string]string{"pdf/link.md": "reference/x.md", "pdf/out": filepath.Join(h, ".claude/skills/pdf") + "/../../settings.json"} {
		got, err := f.tree.Target(t.Context(), f.node(path).(fs.Link))
		if err != nil || got != want {
			t.Errorf("%s leads to %q (%v), want %q", path, got, err, want)
		}
	}
	f.wantIndex("pdf — Reads PDF files. Use it for forms.")
	if index := f.read("INDEX.md"); strings.Contains(index, "Problems") {
		t.Errorf("problems:\n%s", index)
	}
	for _, item := range f.Status().Items {
		if item.Name == "pdf" && item.About != "Reads PDF files." {
			t.Errorf("item %+v", item)
		}
	}
	must(t, fstest.TestFS(conform.FS(t.Context(), f.tree), "pdf/scripts/run.sh"))
}

func TestDocuments(t *testing.T) {
	f := start(t, home(t, map[string]string{
		".claude/skills/pdf/SKILL.md":  "---\nname: pdf\ndescription: Reads PDF\n---\nThe \x1b[31mbody\u202e.\n" + strings.Repeat("long ", 5000),
		".claude/skills/none/notes.md": "x",
	}), offline)
	var paths []string
	for doc := range f.Documents("") {
		paths = append(paths, doc.Path)
		if doc.Path != "pdf/SKILL.md" {
			continue
		}
		if doc.Title != "pdf" || doc.Fields["name"] != "pdf" || doc.Fields["description"] != "Reads PDF" {
			t.Errorf("document %+v", doc)
		}
		if body := doc.Fields["body"]; !strings.HasPrefix(body, "The body.\nlong") || len(body) > bodyLen {
			t.Errorf("body %.40q of %d", body, len(body))
		}
	}
	if want := []string{"agentctx/SKILL.md", "pdf/SKILL.md"}; !slices.Equal(paths, want) {
		t.Errorf("documents %q, want %q", paths, want)
	}
}

func TestNothingIsSaidOfNow(t *testing.T) {
	h := home(t, map[string]string{".claude/skills/a/SKILL.md": md("a", "x"), ".claude/skills/b/notes": "x"})
	when := built.Add(10 * time.Hour)
	for _, path := range []string{".claude/skills/a/SKILL.md", ".claude/skills"} {
		must(t, os.Chtimes(filepath.Join(h, path), when, when))
	}
	one, two := start(t, h), start(t, h)
	if a, b := one.attr("INDEX.md"), two.attr("INDEX.md"); a != b || !a.ModTime.Equal(when) {
		t.Errorf("INDEX.md differs after a restart: %+v, %+v", a, b)
	}
	if a, b := one.Status(), two.Status(); !a.Since.Equal(b.Since) {
		t.Errorf("since %v and %v", a.Since, b.Since)
	}
}

func TestUnwatchedIsLive(t *testing.T) {
	h := home(t, map[string]string{".claude/skills/a/SKILL.md": md("a", "x"), ".claude/skills/a/.git/config": "x"})
	f := start(t, h, offline)
	if !f.attr("a").Live || !f.attr("a/SKILL.md").Live {
		t.Error("nothing is watched, and not all is live")
	}
	g := start(t, h)
	if g.attr("a").Live || g.attr("a/SKILL.md").Live || !g.attr("a/.git").Live || !g.attr("a/.git/config").Live {
		t.Error("what is watched is not live, and .git is not watched")
	}
}
