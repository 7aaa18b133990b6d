package skills

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/frontmatter"
)

// deadline is how long a change on disk may take to arrive.
const deadline = 10 * time.Second

type fixture struct {
	*Provider
	t       *testing.T
	home    string
	tree    *fs.Tree
	changes chan string
}

// home makes a home folder with these files, by path; a body "-> x" makes a
// link, a path that ends in "/" a folder.
func home(t *testing.T, files map[string]string) string {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	check(t, err)
	for _, path := range sortedKeys(files) {
		put(t, filepath.Join(home, path), files[path], strings.HasSuffix(path, "/"))
	}
	return home
}

func put(t *testing.T, path, body string, folder bool) {
	t.Helper()
	if folder {
		check(t, os.MkdirAll(path, 0o755))
		return
	}
	check(t, os.MkdirAll(filepath.Dir(path), 0o755))
	if target, ok := strings.CutPrefix(body, "-> "); ok {
		check(t, os.Symlink(target, path))
		return
	}
	check(t, os.WriteFile(path, []byte(body), 0o644))
}

func sortedKeys(m map[string]string) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func start(t *testing.T, home string, change ...func(*Options)) *fixture {
	t.Helper()
	f := &fixture{t: t, home: home, changes: make(chan string, 100_000)}
	opts := Options{
		Env: fs.Env{
			Changed: func(path string) { f.changes <- path },
			Log:     slog.New(slog.NewTextHandler(io.Discard, nil)),
			Now:     func() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) },
		},
		Home:      home,
		LookupEnv: func(string) (string, bool) { return "", false },
		Watch:     true,
	}
	for _, c := range change {
		c(&opts)
	}
	f.Provider = New(opts)
	t.Cleanup(func() { check(t, f.Close()) })
	if opts.Watch && f.watcher == nil {
		t.Skipf("no watcher can be had: %v", f.noWatch)
	}
	f.tree = fs.NewTree(f.Root(), fs.TreeOptions{Log: opts.Env.Log})
	return f
}

func offline(opts *Options) { opts.Watch = false }

// expect waits until a path was told to have changed.
func (f *fixture) expect(path string) {
	f.t.Helper()
	timeout := time.After(deadline)
	for {
		select {
		case got := <-f.changes:
			if got == path {
				return
			}
		case <-timeout:
			f.t.Fatalf("no change of %q was told", path)
		}
	}
}

// await waits for changes until a condition holds.
func (f *fixture) await(what string, holds func() bool) {
	f.t.Helper()
	timeout := time.After(deadline)
	for !holds() {
		select {
		case <-f.changes:
		case <-timeout:
			f.t.Fatalf("not so: %s; names %q\n%s", what, f.names(""), f.read("INDEX.md"))
		}
	}
}

func (f *fixture) node(path string) fs.Node {
	f.t.Helper()
	n, err := f.tree.Resolve(context.Background(), path)
	check(f.t, err)
	return n
}

func (f *fixture) attr(path string) fs.Attr {
	f.t.Helper()
	a, err := f.tree.Stat(context.Background(), f.node(path))
	check(f.t, err)
	return a
}

func (f *fixture) names(path string) []string {
	f.t.Helper()
	entries, err := f.tree.List(context.Background(), f.node(path).(fs.Dir))
	check(f.t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name)
	}
	return names
}

func (f *fixture) read(path string) string {
	f.t.Helper()
	body, err := f.tree.ReadAll(context.Background(), f.node(path).(fs.File))
	check(f.t, err)
	return string(body)
}

func (f *fixture) wantNames(path string, want ...string) {
	f.t.Helper()
	slices.Sort(want)
	if got := f.names(path); !slices.Equal(got, want) {
		f.t.Errorf("%q holds %q, want %q", path, got, want)
	}
}

func (f *fixture) wantIndex(lines ...string) {
	f.t.Helper()
	index := f.read("INDEX.md")
	for _, line := range lines {
		if !slices.Contains(strings.Split(index, "\n"), line) {
			f.t.Errorf("INDEX.md lacks the line %q:\n%s", line, index)
		}
	}
}

func md(name, description string) string {
	return "---\nname: " + name + "\ndescription: " + description + "\n---\n\n# " + name + "\n\nDo it.\n"
}

func TestNoSkillsButTheBuiltIn(t *testing.T) {
	f := start(t, home(t, nil))
	f.wantNames("", "INDEX.md", "agentctx")
	f.wantNames("agentctx", "SKILL.md")
	f.wantIndex("- ~/.claude/skills", "- ~/.cursor/skills", "- ~/.codex/skills", "- ~/.agents/skills")
	if index := f.read("INDEX.md"); strings.Contains(index, "Problems") {
		t.Errorf("problems in an empty home:\n%s", index)
	}
	if got := f.attr("agentctx/SKILL.md"); !got.ModTime.Equal(builtinTime) || got.Live {
		t.Errorf("the built-in skill: %+v", got)
	}
	s := f.Status()
	if s.State != "ready" || s.Summary != "1 skill" || len(s.Items) != 1 || s.Items[0].Count != -1 {
		t.Errorf("status %+v", s)
	}
	// Where skills will be shown once there are any, nothing may be mounted.
	if got := f.Roots(); !slices.Contains(got, filepath.Join(f.home, ".agents/skills")) || len(got) != 4 {
		t.Errorf("roots %q", got)
	}
	check(t, fstest.TestFS(f.tree.FS(t.Context()), "INDEX.md", "agentctx/SKILL.md"))
}

func TestTheBuiltInSkillIsValid(t *testing.T) {
	matter, err := frontmatter.Parse(builtinText())
	check(t, err)
	if len(matter.Warnings) > 0 || len(matter.Fields) != 2 {
		t.Errorf("fields %v, warnings %v", matter.Fields, matter.Warnings)
	}
	if matter.String("name") != builtinName {
		t.Errorf("name %q", matter.String("name"))
	}
	if n := len(matter.String("description")); n == 0 || n > maxDescriptionChars {
		t.Errorf("the description has %d characters", n)
	}
	if faults := newBuiltin().card; faults.err != nil || strings.Count(builtinSkill, "\n") > 60 {
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
	check(t, os.Chmod(filepath.Join(h, ".claude/skills/pdf/scripts/run.sh"), 0o755))
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
	check(t, fstest.TestFS(f.tree.FS(t.Context()), "pdf/scripts/run.sh"))
}

func TestDocuments(t *testing.T) {
	f := start(t, home(t, map[string]string{
		".claude/skills/pdf/SKILL.md":  "---\nname: pdf\ndescription: Reads PDF\n---\nThe \x1b[31mbody\u202e.\n" + strings.Repeat("long ", 5000),
		".claude/skills/none/notes.md": "x",
	}), offline)
	var paths []string
	for doc := range f.Documents() {
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

func TestNamesThatAreTaken(t *testing.T) {
	f := start(t, home(t, map[string]string{
		".claude/skills/a/SKILL.md":        md("a", "from Claude Code"),
		".cursor/skills/a/SKILL.md":        md("a", "from Cursor"),
		".codex/skills/a/SKILL.md":         md("a", "from Codex"),
		".codex/skills/.system/a/SKILL.md": md("a", "from the system"),
		".agents/skills/a/SKILL.md":        md("a", "from agents"),
		".agents/skills/A~Cursor/SKILL.md": md("A~Cursor", "has the name of another"),
		".agents/skills/agentctx/SKILL.md": md("agentctx", "mine"),
		".agents/skills/index.md/SKILL.md": md("index.md", "not the index"),
	}), offline)
	f.wantNames("", "INDEX.md", "a", "a~cursor~2", "a~codex", "a~codex~2", "a~agents", "A~Cursor", "agentctx", "agentctx~builtin", "index.md~agents")
	f.wantIndex("a — from Claude Code", "a~cursor~2 — from Cursor", "a~codex — from Codex", "a~codex~2 — from the system", "a~agents — from agents", "agentctx — mine")
}

func TestCodexHome(t *testing.T) {
	elsewhere := home(t, map[string]string{"skills/x/SKILL.md": md("x", "elsewhere")})
	f := start(t, home(t, map[string]string{".codex/skills/y/SKILL.md": md("y", "not here")}), func(o *Options) {
		o.LookupEnv = func(key string) (string, bool) { return elsewhere, key == "CODEX_HOME" }
	})
	f.wantNames("", "INDEX.md", "agentctx", "x")
}

func TestLinks(t *testing.T) {
	h := home(t, map[string]string{
		// As skill installers do: the skill in one place, links to it in others.
		".agents/skills/shared/SKILL.md": md("shared", "one skill"),
		".claude/skills/shared":          "-> ../../.agents/skills/shared",
		".cursor/skills":                 "-> ../.agents/skills",
		// As home managers do.
		"store/abc-skill.md":               md("managed", "from a store"),
		"store/abc-notes.md":               "notes",
		".claude/skills/managed/SKILL.md":  "-> ../../../store/abc-skill.md",
		".claude/skills/managed/notes.md":  "-> ../../../store/abc-notes.md",
		"dev/tools/one/SKILL.md":           md("one", "below a link"),
		".claude/skills/dev":               "-> ../../dev/tools",
		".claude/skills/loop":              "-> .",
		".claude/skills/up":                "-> ../..",
		".claude/skills/dead":              "-> nowhere",
		".claude/skills/round":             "-> round",
		".claude/skills/file":              "-> ../../store/abc-notes.md",
		".claude/skills/broken/SKILL.md":   "-> nowhere.md",
		".claude/skills/inner/sub/deep/up": "-> ../..",
	})
	f := start(t, h)
	f.wantNames("", "INDEX.md", "agentctx", "shared", "managed", "one", "broken", "inner")
	entries, err := f.tree.List(t.Context(), f.Root())
	check(t, err)
	for _, e := range entries {
		if e.Type&os.ModeSymlink != 0 {
			t.Errorf("%s is a link", e.Name)
		}
	}
	if got := f.read("managed/SKILL.md"); got != md("managed", "from a store") {
		t.Errorf("SKILL.md is %q", got)
	}
	entries, err = f.tree.List(t.Context(), f.node("managed").(fs.Dir))
	check(t, err)
	if entries[0].Type != 0 || entries[1].Type != os.ModeSymlink {
		t.Errorf("SKILL.md must be a file and notes.md a link: %+v", entries)
	}
	f.wantIndex("one — below a link", "managed — from a store", "shared — one skill",
		"- ~/.claude/skills/dead: is a link that leads nowhere, or into a mount of ctxfs; to mend: link it again, or remove it",
		"- ~/.claude/skills/broken/SKILL.md: is a link that leads nowhere, or into a mount of ctxfs; to mend: link it to the file again, or remove it")
	for _, root := range []string{".claude/skills", ".agents/skills", "dev/tools"} {
		if !slices.Contains(f.Roots(), filepath.Join(h, root)) {
			t.Errorf("%s is missing in %q", root, f.Roots())
		}
	}
	check(t, fstest.TestFS(f.tree.FS(t.Context()), "managed/SKILL.md"))

	// What lies behind a link is followed too.
	put(t, filepath.Join(h, "store/abc-skill.md"), md("managed", "from a newer store"), false)
	f.await("the new description", func() bool { return strings.Contains(f.read("INDEX.md"), "managed — from a newer store") })
	put(t, filepath.Join(h, "dev/tools/two/SKILL.md"), md("two", "new below a link"), false)
	f.await("the new skill", func() bool { return slices.Contains(f.names(""), "two") })
}

func TestNestedSkills(t *testing.T) {
	f := start(t, home(t, map[string]string{
		".claude/skills/group/a/SKILL.md":            md("a", "nested"),
		".claude/skills/group/more/b/SKILL.md":       md("b", "nested deeper"),
		".claude/skills/group/docs/readme.md":        "no skill",
		".claude/skills/1/2/3/4/SKILL.md":            md("4", "at the limit"),
		".claude/skills/one/two/three/four/five/six": "too deep",
		".claude/skills/empty/":                      "",
		".claude/skills/synced/":                     "",
		".codex/skills/.system/s/SKILL.md":           md("s", "system"),
		".codex/skills/.system/.x/t/SKILL.md":        md("t", "hidden"),
		".claude/skills/a/b/node_modules/x/SKILL.md": md("x", "not mine"),
	}), offline)
	f.wantNames("", "INDEX.md", "agentctx", "a", "a~claude-code", "b", "4", "one", "empty", "s")
	f.wantIndex("a — (no description, see Problems)", "a~claude-code — nested", "s — system",
		"- ~/.claude/skills/empty: has no SKILL.md, and nothing below it has; to mend: write one with name and description, or move the folder away")
	// The name goes to the first by path; what has no SKILL.md is still there.
	f.wantNames("one/two/three/four/five", "six")
}

func TestFaults(t *testing.T) {
	h := home(t, map[string]string{
		".claude/skills/nodesc/SKILL.md":      "---\nname: nodesc\n---\nBody",
		".claude/skills/noname/SKILL.md":      "---\ndescription: x\n---\nBody",
		".claude/skills/nofront/SKILL.md":     "# Title\n",
		".claude/skills/open/SKILL.md":        "---\nname: open\n",
		".claude/skills/yaml/SKILL.md":        "---\n\"a\n]: }\n---\n",
		".claude/skills/colon/SKILL.md":       "---\nname: colon\ndescription: Use when: always\n---\n",
		".claude/skills/other/SKILL.md":       md("another", "x"),
		".claude/skills/lower/skill.md":       md("lower", "lower case"),
		".claude/skills/crlf/SKILL.md":        "\ufeff---\r\nname: crlf\r\ndescription: Windows\r\n---\r\nBody\r\n",
		".claude/skills/utf8/SKILL.md":        "---\nname: utf8\ndescription: bad\xffbytes\n---\n",
		".claude/skills/evil/SKILL.md":        "---\nname: evil\ndescription: \"a\u202eb\U000e0041c \\e[31md\\r\\n## Problems\"\n---\n",
		".claude/skills/long/SKILL.md":        md("long", strings.Repeat("word ", 300)),
		".claude/skills/huge/SKILL.md":        "---\nname: huge\n" + strings.Repeat("# more\n", 20000) + "---\n",
		".claude/skills/big/SKILL.md":         "---\nname: big\n" + strings.Repeat("# more\n", 3000) + "description: after 20 KiB\n---\n",
		".claude/skills/dir/SKILL.md/":        "",
		".claude/skills/ctl\x1b[31m/SKILL.md": md("x", "escape"),
		".claude/skills/bad\xffname/SKILL.md": md("x", "not UTF-8"),
		".claude/skills/new\nline/SKILL.md":   md("x", "two lines"),
		".claude/skills/my skill/SKILL.md":    md("my skill", "a space"),
		".claude/skills/v1.2/SKILL.md":        md("v1.2", "a dot"),
	})
	pipe := filepath.Join(h, ".claude/skills/pipe/SKILL.md")
	check(t, os.MkdirAll(filepath.Dir(pipe), 0o755))
	check(t, syscall.Mkfifo(pipe, 0o644))
	long := strings.Repeat("n", maxNameChars+1)
	put(t, filepath.Join(h, ".claude/skills", long, "SKILL.md"), md(long, "x"), false)
	put(t, filepath.Join(h, ".claude/skills", strings.Repeat("N", 255), "SKILL.md"), md("x", "x"), false)
	check(t, os.WriteFile(filepath.Join(h, ".cursor"), nil, 0o644))
	check(t, os.MkdirAll(filepath.Join(h, ".codex"), 0o755))
	check(t, os.WriteFile(filepath.Join(h, ".codex/skills"), nil, 0o644))

	f := start(t, h)
	index := f.read("INDEX.md")
	t.Log(index)
	body, problems, _ := strings.Cut(index, "\n## Problems\n")
	for _, line := range []string{
		"nodesc — (no description, see Problems)", "crlf — Windows", "colon — Use when: always", "lower — lower case", "big — after 20 KiB",
		"my skill — a space", "v1.2 — a dot", "ctl__31m — escape", "bad_name — not UTF-8", "new_line — two lines", "evil — abc d ## Problems",
	} {
		if !slices.Contains(strings.Split(body, "\n"), line) {
			t.Errorf("no line %q", line)
		}
	}
	for name, words := range map[string]string{
		"nodesc": "has no description", "noname": "has no name", "nofront": "does not begin with", "open": "not closed", "yaml": "cannot be read as YAML",
		"colon": "must be quoted", "other": `the name "another" is not that of its folder, "other"`, "utf8": "not valid UTF-8", "long": "has 1499 characters, agents allow 1024",
		"huge": "longer than 64 KiB", "dir": "is not a regular file", "pipe": "is not a regular file", long: "the name has 65 characters",
	} {
		if !slices.ContainsFunc(strings.Split(problems, "\n"), func(line string) bool {
			return strings.HasPrefix(line, "- ~/.claude/skills/"+name+"/SKILL.md: ") && strings.Contains(line, words) && strings.Contains(line, "; to mend: ")
		}) {
			t.Errorf("no problem of %s that says %q", name, words)
		}
	}
	if !strings.Contains(problems, "- ~/.codex/skills: is not a folder") {
		t.Error("a file where skills should be is not told")
	}
	if !strings.Contains(problems, "skill.md: some agents look for SKILL.md only") {
		t.Error("the name skill.md is not told")
	}
	for _, r := range index {
		if r < ' ' && r != '\n' || r == '\u202e' || r >= 0xe0000 {
			t.Errorf("%q in the index", r)
		}
	}
	for _, name := range f.names("") {
		if len(name) > 255 || strings.ContainsAny(name, "\n\x1b/") {
			t.Errorf("name %q", name)
		}
	}
	s := f.Status()
	if s.State != "degraded" || len(s.Problems) == 0 {
		t.Errorf("status %+v", s)
	}
	for _, p := range s.Problems {
		if p.What == "" || p.Mend == "" {
			t.Errorf("problem %+v", p)
		}
	}
	// A pipe is no file of the tree.
	f.wantNames("pipe")
}

func TestNothingIsSaidOfNow(t *testing.T) {
	h := home(t, map[string]string{".claude/skills/a/SKILL.md": md("a", "x"), ".claude/skills/b/notes": "x"})
	when := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	for _, path := range []string{".claude/skills/a/SKILL.md", ".claude/skills"} {
		check(t, os.Chtimes(filepath.Join(h, path), when, when))
	}
	one, two := start(t, h), start(t, h)
	if a, b := one.attr("INDEX.md"), two.attr("INDEX.md"); a != b || !a.ModTime.Equal(when) {
		t.Errorf("INDEX.md differs after a restart: %+v, %+v", a, b)
	}
	if a, b := one.Status(), two.Status(); !a.Since.Equal(b.Since) {
		t.Errorf("since %v and %v", a.Since, b.Since)
	}
}

func TestHiddenFoldersAreNotTouched(t *testing.T) {
	h := home(t, map[string]string{".claude/skills/a/SKILL.md": md("a", "x"), ".claude/skills/mnt/SKILL.md": md("mnt", "x"), ".claude/skills/a/mnt/x": "x"})
	f := start(t, h, func(o *Options) { o.Hide = func(path string) bool { return filepath.Base(path) == "mnt" } })
	f.wantNames("", "INDEX.md", "a", "agentctx")
	f.wantNames("a", "SKILL.md")
}

// A dead mount of ours hangs whoever follows a link into it.
func TestLinksIntoAMountOfOurs(t *testing.T) {
	h := home(t, map[string]string{
		"mnt/skills/x/SKILL.md":        md("x", "in the mount"),
		".claude/skills/x":             "-> ../../mnt/skills/x",
		".claude/skills/y/SKILL.md":    "-> ../../../mnt/skills/x/SKILL.md",
		".claude/skills/z/SKILL.md":    md("z", "fine"),
		".claude/skills/z/more/x.md":   "-> ../../../../mnt/skills/x/SKILL.md",
		".claude/skills/root":          "-> ../../mnt",
		".cursor/skills":               "-> ../mnt/skills",
		".agents/skills/one/SKILL.md/": "",
	})
	mount := filepath.Join(h, "mnt")
	f := start(t, h, func(o *Options) {
		o.Hide = func(path string) bool {
			if strings.HasPrefix(path, mount+"/") {
				t.Errorf("%s lies in the mount and was asked for", path)
			}
			return path == mount
		}
	})
	f.wantNames("", "INDEX.md", "agentctx", "one", "y", "z")
	f.wantIndex("- ~/.claude/skills/x: "+deadLink+"; to mend: link it again, or remove it", "z — fine")
}

func TestASkillInASkill(t *testing.T) {
	h := home(t, map[string]string{
		".claude/skills/outer/SKILL.md":       md("outer", "x"),
		".claude/skills/outer/inner/SKILL.md": md("inner", "x"),
		".cursor/skills/inner":                "-> ../../.claude/skills/outer/inner",
	})
	f := start(t, h)
	f.wantNames("", "INDEX.md", "agentctx", "inner", "outer")
	put(t, filepath.Join(h, ".claude/skills/outer/inner/notes"), "x", false)
	f.expect("inner/notes")
	f.expect("outer/inner/notes")
}

func TestTooManyFolders(t *testing.T) {
	files := map[string]string{".claude/skills/zz/SKILL.md": md("zz", "x"), ".claude/skills/a/SKILL.md": md("a", "first")}
	for i := range maxFolders {
		files[fmt.Sprintf(".claude/skills/group/%d/", i)] = ""
	}
	f := start(t, home(t, files))
	f.wantNames("", "INDEX.md", "a", "agentctx", "group", "zz")
	f.wantIndex(
		"- ~/.claude/skills: holds more folders than are looked at; some skills may be missing here; to mend: move what is no skill out of it",
		"- ~/.claude/skills: not all changes are noticed: it holds more than 2000 folders; to mend: move what is no skill out of it")
	live := 0
	for _, name := range f.names("group") {
		if f.attr("group/" + name).Live {
			live++
		}
	}
	if live == 0 || live == maxFolders {
		t.Errorf("%d of %d folders are live", live, maxFolders)
	}
	if f.Status().State != "degraded" {
		t.Errorf("status %+v", f.Status())
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

func TestAThousandSkills(t *testing.T) {
	h := thousand(t)
	start0 := time.Now()
	f := start(t, h)
	took := time.Since(start0)
	if n := len(f.names("")); n != 1002 {
		t.Errorf("%d names", n)
	}
	t.Logf("1,000 skills, watched: %v", took)
}

func thousand(t testing.TB) string {
	dir := t.TempDir()
	for i := range 1000 {
		name := fmt.Sprintf("skill-%d", i)
		path := filepath.Join(dir, ".claude/skills", name)
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(path, "SKILL.md"), []byte(md(name, "Does thing number "+name)+strings.Repeat("Body.\n", 1000)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func BenchmarkAThousandSkills(b *testing.B) {
	h := thousand(b)
	for _, watch := range []bool{false, true} {
		b.Run(fmt.Sprintf("watch=%t", watch), func(b *testing.B) {
			for b.Loop() {
				p := New(Options{
					Env: fs.Env{Changed: func(string) {}, Log: slog.New(slog.DiscardHandler), Now: time.Now}, Home: h,
					LookupEnv: func(string) (string, bool) { return "", false }, Watch: watch,
				})
				p.Close()
			}
		})
	}
}
