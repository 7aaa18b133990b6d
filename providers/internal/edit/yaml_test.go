package edit

import (
	"strings"
	"testing"
)

type extension struct {
	Name    string   `json:"name"`
	Type    string   `json:"type"`
	Cmd     string   `json:"cmd"`
	Args    []string `json:"args"`
	Enabled bool     `json:"enabled"`
	Timeout int      `json:"timeout"`
}

// TestYAML: keys go to the end of their mapping, and reverting them gives the bytes that
// were there.
func TestYAML(t *testing.T) {
	ext := YAMLMember([]string{"extensions", "ctxfs"}, extension{"ctxfs", "stdio", "/usr/bin/ctxfs", []string{"serve", "--x=y: z"}, true, 300})
	const lines = "  ctxfs:\n    name: ctxfs\n    type: stdio\n    cmd: /usr/bin/ctxfs\n    args:\n      - serve\n      - \"--x=y: z\"\n    enabled: true\n    timeout: 300\n"
	flag := YAMLMember([]string{"on"}, "yes")
	for _, test := range []struct {
		name, text string
		edit       Edit
		want       string
	}{
		{"no file", "", flag, "on: \"yes\"\n"},
		{"root", "# Goose\nGOOSE_MODEL: x # y\n", flag, "# Goose\nGOOSE_MODEL: x # y\non: \"yes\"\n"},
		{"no final newline", "a: x", flag, "a: x\non: \"yes\""},
		{"CRLF", "a: x\r\n", flag, "a: x\r\non: \"yes\"\r\n"},
		{"made", "a: x\n", ext, "a: x\nextensions:\n" + lines},
		{"document mark", "---\na: x\n", ext, "---\na: x\nextensions:\n" + lines},
		{"in the middle", "extensions:\n  developer:\n    enabled: true\n    # more\n\n# tail\nb: |\n  text:\n    # no comment\n", ext, "extensions:\n  developer:\n    enabled: true\n    # more\n" + lines + "\n# tail\nb: |\n  text:\n    # no comment\n"},
		{"at the end", "extensions:\n  developer:\n    enabled: true", ext, "extensions:\n  developer:\n    enabled: true\n" + strings.TrimSuffix(lines, "\n")},
		{"empty", "extensions:\nb: 1\n", ext, "extensions:\n" + lines + "b: 1\n"},
		{"braces", "extensions: {} # none\nb: 1\n", ext, "extensions: # none\n" + lines + "b: 1\n"},
		{"four spaces", "extensions:\n    a:\n        b: 1\n", YAMLMember([]string{"extensions", "c"}, map[string]int{"d": 1}), "extensions:\n    a:\n        b: 1\n    c:\n        d: 1\n"},
		{"quoted", "\"extensions\":\n  'a': {b: 1}\n", YAMLMember([]string{"extensions", "c"}, 1), "\"extensions\":\n  'a': {b: 1}\n  c: 1\n"},
		{"a list at the end", "x:\n- a\n- b: 1\n", flag, "x:\n- a\n- b: 1\non: \"yes\"\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			after, done, err := test.edit.Apply([]byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			if string(after) != test.want {
				t.Errorf("it became\n%s\nnot\n%s", after, test.want)
			}
			if again, _, err := test.edit.Apply(after); err != nil || string(again) != string(after) {
				t.Errorf("a second time it became\n%s (%v)", again, err)
			}
			if back, err := done.Revert(after); err != nil || string(back) != test.text {
				t.Errorf("back it is\n%q, not\n%q (%v)", back, test.text, err)
			}
		})
	}
	after, _, err := ext.Apply([]byte("a: x\n"))
	if err != nil {
		t.Fatal(err)
	}
	newer := YAMLMember([]string{"extensions", "ctxfs"}, extension{Name: "other"}).Owned()
	if text, _, err := newer.Apply(after); err != nil || strings.Count(string(text), "ctxfs") != 1 {
		t.Errorf("a newer one: %s (%v)", text, err)
	}
}

// TestYAMLRefuses: what is not ours, and what is not understood, stays.
func TestYAMLRefuses(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"a: b: c\n", "cannot be read as YAML"},
		{"x:\n  y: 2\n", "line 2: x.y has another value already"},
		{"x: 1\n", "by hand: x.y = 1"},
		{"x: {a: 1}\n", "by hand: x.y = 1"},
		{"x:\n- a\n", "by hand: x.y = 1"},
		{"a: &b\n  c: 1\nx: *b\n", "alias"},
		{"- a\n", "not a mapping"},
	} {
		after, _, err := YAMLMember([]string{"x", "y"}, 1).Apply([]byte(test.text))
		if err == nil || !strings.Contains(err.Error(), test.want) || after != nil {
			t.Errorf("%q: %v, not %q", test.text, err, test.want)
		}
	}
}

// FuzzYAML: an edit changes nothing but its value, and can be taken back.
func FuzzYAML(f *testing.F) {
	for _, seed := range []string{"", "a:\n  b: 1\n", "a: {}\n", "a:\n- x\n- y: |\n   #\n", "---\n\"a\":\n    # c\n\n    b: 'x\n\n      y'\n", "a: # c\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, e := range []Edit{YAMLMember([]string{"a", "x"}, 1), YAMLMember([]string{"z"}, ours)} {
			after, done, err := e.Apply([]byte(text))
			if err != nil || done.Found {
				continue
			}
			back, err := done.Revert(after)
			if err != nil {
				t.Fatalf("%q became %q: %v", text, after, err)
			}
			was, _ := parseYAML([]byte(text))
			is, err := parseYAML(back)
			if err != nil || !same(was, is) {
				t.Fatalf("%q became %q and back %q: %v", text, after, back, err)
			}
		}
	})
}
