package skills

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ctxfs/fs/fstest"
)

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
	must(t, os.MkdirAll(filepath.Dir(pipe), 0o755))
	must(t, syscall.Mkfifo(pipe, 0o644))
	long := strings.Repeat("n", 65)
	put(t, filepath.Join(h, ".claude/skills", long, "SKILL.md"), md(long, "x"), false)
	put(t, filepath.Join(h, ".claude/skills", strings.Repeat("N", 255), "SKILL.md"), md("x", "x"), false)
	must(t, os.WriteFile(filepath.Join(h, ".cursor"), nil, 0o644))
	must(t, os.MkdirAll(filepath.Join(h, ".codex"), 0o755))
	must(t, os.WriteFile(filepath.Join(h, ".codex/skills"), nil, 0o644))

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
		"colon": "must be quoted", "other": `the name "another" is not the name of its folder, "other"`, "utf8": "not valid UTF-8", "long": "has 1499 characters, agents allow 1024",
		"huge": "longer than 64 KiB", "dir": "is not a regular file", "pipe": "is not a regular file", long: "the name has 65 characters",
	} {
		if !slices.ContainsFunc(strings.Split(problems, "\n"), func(line string) bool {
			return strings.HasPrefix(line, "- ~/.claude/skills/"+name+"/SKILL.md: ") && strings.Contains(line, words) && strings.Contains(line, "; fix: ")
		}) {
			t.Errorf("no problem of %s that says %q", name, words)
		}
	}
	fstest.Contains(t, problems, "- ~/.codex/skills: is not a folder")
	fstest.Contains(t, problems, "skill.md: some agents only look for SKILL.md")
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
	// A pipe is not shown as a file.
	f.wantNames("pipe")
}
