package check

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/skills/locate"
	"ctxfs/providers/skills/read"
)

// fixture is a skill, and the rules that it offends against, by the names of faults.
type fixture struct {
	folder, text string
	rules        []string
}

// fixtures has a skill for each check of skills-ref (validator.py and parser.py of
// agentskills/agentskills), and for rules of the specification that it does not check.
func fixtures() []fixture {
	skill := func(lines ...string) string { return "---\n" + strings.Join(lines, "\n") + "\n---\n\n# Body\n" }
	with := func(line string) string { return skill("name: x", "description: Does x.", line) }
	named := func(name string) string { return skill("name: "+name, "description: Does x.") }
	long := strings.Repeat("a", 65)
	return []fixture{
		{folder: "x", text: named("x")},
		{folder: "x", text: with("license: MIT\ncompatibility: Python 3\nmetadata:\n  a: b\nallowed-tools: Read Bash(git:*)")},
		{folder: "x", text: with("allowed-tools:\n  - Read\n  - Grep")},
		{folder: "検査", text: named("検査")},
		{folder: "x", text: "", rules: []string{"noSkillFile"}},
		{folder: "x", text: "# No front matter\n", rules: []string{"badMatter"}},
		{folder: "x", text: "---\nname: x\ndescription: open\n", rules: []string{"badMatter"}},
		{folder: "x", text: "---\n\"a\n]: }\n---\n", rules: []string{"badMatter"}},
		{folder: "x", text: "---\n- a\n- b\n---\n", rules: []string{"badMatter"}},
		{folder: "x", text: with("version: 1.0"), rules: []string{"fields"}},
		{folder: "x", text: skill("description: Does x."), rules: []string{"noName"}},
		{folder: "x", text: skill("name: ''", "description: Does x."), rules: []string{"noName"}},
		{folder: "x", text: skill("name:", "description: Does x."), rules: []string{"noName"}},
		{folder: "x", text: skill("name:\n  - x", "description: Does x."), rules: []string{"noName"}},
		{folder: long, text: named(long), rules: []string{"nameLength"}},
		{folder: "Upper", text: named("Upper"), rules: []string{"nameLetters"}},
		{folder: "under_score", text: named("under_score"), rules: []string{"nameLetters"}},
		{folder: "a b", text: named("a b"), rules: []string{"nameLetters"}},
		{folder: "-x", text: named("-x"), rules: []string{"nameHyphens"}},
		{folder: "x-", text: named("x-"), rules: []string{"nameHyphens"}},
		{folder: "x--y", text: named("x--y"), rules: []string{"nameDouble"}},
		{folder: "other", text: named("x"), rules: []string{"nameFolder"}},
		{folder: "x", text: skill("name: x"), rules: []string{"noAbout"}},
		{folder: "x", text: skill("name: x", "description: ''"), rules: []string{"noAbout"}},
		{folder: "x", text: skill("name: x", "description:\n  a: b"), rules: []string{"noAbout"}},
		{folder: "x", text: skill("name: x", "description: "+strings.Repeat("a", 1025)), rules: []string{"aboutLength"}},
		{folder: "x", text: with("compatibility: " + strings.Repeat("a", 501)), rules: []string{"needsEmpty"}},
		{folder: "x", text: with("compatibility:\n  - a"), rules: []string{"needsEmpty"}},
		{folder: "x", text: with("compatibility: ''"), rules: []string{"needsEmpty"}},
		{folder: "x", text: with("allowed-tools:\n  Read: yes"), rules: []string{"tools"}},
		{folder: "x", text: with("allowed-tools:\n  - a: b"), rules: []string{"tools"}},
		{folder: "x", text: with("metadata:\n  a:\n    b: c"), rules: []string{"metadata"}},
		{folder: "x", text: with("metadata: text"), rules: []string{"metadata"}},
		// What strictyaml refuses, and other readers take.
		{folder: "x", text: with("allowed-tools: [Read, Grep]"), rules: []string{"strict"}},
		{folder: "x", text: with("metadata: {a: b}"), rules: []string{"strict"}},
		{folder: "x", text: with("license: &a MIT"), rules: []string{"strict"}},
		{folder: "x", text: with("license: !!str MIT"), rules: []string{"strict"}},
		{folder: "x", text: with("license: MIT\nlicense: BSD"), rules: []string{"badMatter"}},
		{folder: "x", text: skill("name: x", "description: Use when: always"), rules: []string{"badMatter"}},
		{folder: "x", text: skill("name: x", "description: Does x --- well."), rules: []string{"strict"}},
		{folder: "x", text: "\ufeff" + named("x"), rules: []string{"strict"}},
		{folder: "x", text: skill("name: x", "description: >", "  A block: with [brackets] and {more}", "  &not an anchor")},
	}
}

// write writes a fixture, and finds it.
func (f fixture) write(t *testing.T) (dir string, found *locate.Found) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), f.folder)
	fstest.Must(t, os.Mkdir(dir, 0o755))
	found = &locate.Found{Source: &locate.Source{Kind: read.Skill}, Name: f.folder, Path: dir, Shown: dir, Err: locate.ErrNoSkillFile}
	if f.text != "" {
		found.File, found.Err = filepath.Join(dir, "SKILL.md"), nil
		fstest.Must(t, os.WriteFile(found.File, []byte(f.text), 0o644))
		found.Card = read.SkillCard(found.File)
	}
	return dir, found
}

// TestEveryRule: each fixture offends against just its rules.
func TestEveryRule(t *testing.T) {
	wrong := rules().wrong
	for _, f := range fixtures() {
		_, found := f.write(t)
		var got []string
		for _, finding := range Found(found, func(path string) string { return path }) {
			got = append(got, finding.Rule)
			if finding.Fix == "" || finding.What == "" || !strings.Contains(finding.Sentence(), finding.Rule) {
				t.Errorf("%q: %+v", f.text, finding)
			}
		}
		var want []string
		for _, is := range f.rules {
			want = append(want, wrong[is][0])
		}
		fstest.EqualSlices(t, got, want, f.folder, f.text)
	}
}

// TestReferenceValidator: what skills-ref refuses has a finding, and what has none it
// accepts. It is the port to Node, which reads YAML less strictly than the original.
func TestReferenceValidator(t *testing.T) {
	library := filepath.Join(fstest.NodeModules(t, "skills-ref"), "skills-ref", "dist", "index.js")
	var dirs []string
	var found []*locate.Found
	for _, f := range fixtures() {
		dir, of := f.write(t)
		dirs, found = append(dirs, dir), append(found, of)
	}
	const program = `const { validate } = await import(process.argv[1]);
for (const dir of process.argv.slice(2)) console.log(JSON.stringify(await validate(dir)));`
	out, err := exec.Command("node", append([]string{"--input-type=module", "-e", program, library}, dirs...)...).Output()
	fstest.Must(t, err)
	said := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(said) != len(dirs) {
		t.Fatalf("%d answers for %d fixtures", len(said), len(dirs))
	}
	refused := 0
	for i, f := range fixtures() {
		if said[i] == "[]" {
			continue
		}
		refused++
		if len(Found(found[i], func(path string) string { return path })) == 0 {
			t.Errorf("%s, %q has no finding; skills-ref says %s", f.folder, f.text, said[i])
		}
	}
	if refused < 20 {
		t.Errorf("skills-ref refused only %d fixtures", refused)
	}
	t.Logf("skills-ref refused %d of %d fixtures", refused, len(fixtures()))
}

// TestDefinitions: what agents need in the files of commands and subagents.
func TestDefinitions(t *testing.T) {
	for _, c := range []struct {
		kind             read.Kind
		name, text, want string
	}{
		{read.Command, "a.md", "Do it.\n", ""},
		{read.Command, "a.md", "", "has no description"},
		{read.Command, "a.toml", "prompt = 'x'\n", ""},
		{read.Command, "a.toml", "description = 'x'\n", "has no prompt"},
		{read.Command, "a.toml", "prompt = [\n", "cannot be read as TOML"},
		{read.Subagent, "a.toml", "name = 'a'\ndescription = 'x'\n", "has no developer_instructions"},
		{read.Subagent, "a.md", "---\n\"a\n]: }\n---\nx\n", "cannot be read as YAML"},
	} {
		path := filepath.Join(t.TempDir(), c.name)
		fstest.Must(t, os.WriteFile(path, []byte(c.text), 0o644))
		found := &locate.Found{Source: &locate.Source{Kind: c.kind}, Name: "a", Shown: path, File: path, Card: read.DefinitionCard(path)}
		var all []string
		for _, f := range Found(found, func(path string) string { return path }) {
			all = append(all, f.What)
		}
		if got := strings.Join(all, "; "); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s %q: %q, want %q", c.name, c.text, got, c.want)
		}
	}
}
