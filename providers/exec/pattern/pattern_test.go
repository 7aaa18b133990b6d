package pattern

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

func parse(t *testing.T, text string, defined map[string]string) *Pattern {
	t.Helper()
	p, err := Parse(text, defined)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return p
}

func split(path string) []string { return strings.Split(path, "/") }

func TestPathsMatchPatterns(t *testing.T) {
	p := parse(t, "topics/{key}/{from}-{to}.jsonl", map[string]string{"from": `[0-9]+`, "to": `(a|b)+`})
	for path, want := range map[string]Values{
		"topics/x/1-ab.jsonl":           {"key": "x", "from": "1", "to": "ab"},
		"topics/a.b:c/10-b.jsonl":       {"key": "a.b:c", "from": "10", "to": "b"},
		"topics/x/1-c.jsonl":            nil,
		"topics/x/1-ab_jsonl":           nil,
		"topics/x":                      nil,
		"topics/x/1-ab.jsonl/more":      nil,
		"topics/-rf/1-ab.jsonl":         nil,
		"topics/.git/1-ab.jsonl":        nil,
		"topics/package.json/1-a.jsonl": nil,
		"topics/Makefile/1-a.jsonl":     nil,
		"topics/a\nb/1-ab.jsonl":        nil,
		"topics/../1-ab.jsonl":          nil,
		"Topics/x/1-ab.jsonl":           nil,
	} {
		got, ok := p.Match(split(path))
		if ok != (want != nil) || ok && !maps.Equal(got, want) {
			t.Errorf("%s: %v, %v", path, got, ok)
		}
	}
	if values, ok := p.MatchPrefix(split("topics/x")); !ok || values["key"] != "x" {
		t.Errorf("a folder on the path: %v, %v", values, ok)
	}
}

func TestNoValueIsAnOption(t *testing.T) {
	p := parse(t, "{any}", map[string]string{"any": `.+`})
	for _, name := range []string{"-x", "--help", ".", "..", ".x", "x\x00", "x\x1b[0m", "\xff", strings.Repeat("x", 256), "x\u202e"} {
		if values, ok := p.Match([]string{name}); ok {
			t.Errorf("%q is %v", name, values)
		}
	}
	if values, ok := p.Match([]string{"a b; rm -rf *"}); !ok || values["any"] != "a b; rm -rf *" {
		t.Errorf("%v, %v", values, ok) // one word of a command without a shell
	}
}

func TestWrongPatterns(t *testing.T) {
	for text, word := range map[string]string{
		"a//b": "name", "/a": "name", "a/../b": "name", ".git/{key}": "dot", "{unknown}.txt": "no pattern; add", "{nane}.txt": "{nane} has no pattern (did you mean {name}?); add",
		"{key}/{key}": "twice", "{bad}": "wrong", "{Key}": "brace", "{key": "brace", "a}{key}": "brace",
	} {
		if _, err := Parse(text, map[string]string{"bad": "("}); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestWordsOfCommands(t *testing.T) {
	p := parse(t, "{key}/{number}.txt", nil)
	words := []string{"git", "show", "{key}:{number}", "--format={{.Names}}", "@{upstream}", "{0}"}
	if err := p.Check(words); err != nil {
		t.Error(err)
	}
	fstest.EqualSlices(t, Fill(words, Values{"key": "{number}", "number": "7"}), []string{"git", "show", "{number}:7", "--format={{.Names}}", "@{upstream}", "{0}"})
	for _, bad := range [][]string{nil, {""}, {"{key}"}, {"x", "{numbr}"}, {"x", "a\x00"}} {
		if p.Check(bad) == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestLinesOfListings(t *testing.T) {
	p := parse(t, "objects/{hash}.json", nil)
	for line, want := range map[string]string{"abcd": "abcd.json", "abcd.json": "abcd.json", "xyz": "", "abcd.txt": "", "-abcd": "", "": ""} {
		if got, ok := p.Entry(1, line); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q, %v", line, got, ok)
		}
	}
	if got, ok := p.Entry(0, "objects"); !ok || got != "objects" {
		t.Errorf("a literal name: %q, %v", got, ok)
	}
}

func TestProbesAreSorted(t *testing.T) {
	if !slices.IsSorted(probes()) {
		t.Error("they are not sorted")
	}
	for _, name := range []string{".git", "package.json", "Cargo.toml", "CLAUDE.md", "node_modules", "HEAD"} {
		if !IsProbe(name) {
			t.Errorf("%s is none", name)
		}
	}
}

// TestProbesOfRealPrograms has names for which programs were seen to look in folders of a
// mount: make, cargo, ctags, npm and node, emacs, vim, pytest.
func TestProbesOfRealPrograms(t *testing.T) {
	for _, name := range []string{
		"RCS", "SCCS", "CVS", "rust-toolchain", "rust-toolchain.toml", "tags", "TAGS", "npm-shrinkwrap.json", "index.js", "index.json", "index.node",
		"__init__.py", "conftest.py", "pytest.ini", "eslint.config.mjs", "vite.config.ts", "notes.txt~", "#notes.txt#", "lost+found",
	} {
		if !IsProbe(name) {
			t.Errorf("%s is none", name)
		}
	}
	for _, name := range []string{"web-0", "build", "1a2b3c", "configuration.md", "indexes.js"} {
		if IsProbe(name) {
			t.Errorf("%s is one", name)
		}
	}
}

func TestPatternsThatTakeOthers(t *testing.T) {
	defined := map[string]string{"pod": `[a-z]+`, "same": `[a-z]+`}
	for _, c := range []struct {
		one, other string
		takes      bool
	}{
		{"t/{name}", "t/{name}/log", true},
		{"t/{name}", "t/{key}/log", true},
		{"t/{name}", "t/now", true},
		{"t/now", "t/{name}", false},
		{"{pod}.log", "{same}.log", true},
		{"{pod}.log", "{name}.log", false},
		{"{pod}.log", "{name}.txt", false},
		{"a-{pod}", "b-{name}", false},
		{"a-{pod}", "{name}", false},
		{"{number}", "x", false},
		{"a/b", "a", false},
		{"a", "a/b", true},
	} {
		one, other := parse(t, c.one, defined), parse(t, c.other, defined)
		if takes := one.Takes(other); takes != c.takes {
			t.Errorf("%s, %s: %v", c.one, c.other, takes)
		}
	}
}

func TestExplain(t *testing.T) {
	p := parse(t, "{number}/{x}.txt", map[string]string{"x": `(a|\))b`})
	fstest.EqualSlices(t, p.Explain(), []string{"{number} is [0-9]{1,18}", `{x} is (a|\))b`})
}

func FuzzParse(f *testing.F) {
	f.Add("topics/{key}/events.jsonl", "topics/x/events.jsonl")
	f.Add("{number}-{date}", "1-2026-01-01")
	f.Fuzz(func(t *testing.T, text, path string) {
		p, err := Parse(text, nil)
		if err != nil {
			return
		}
		if values, ok := p.Match(split(path)); ok {
			for name, value := range values {
				if !isValue(value) || strings.Contains(value, "/") {
					t.Errorf("{%s} is %q", name, value)
				}
			}
		}
	})
}
