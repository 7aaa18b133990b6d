package frontmatter

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

func TestParse(t *testing.T) {
	type fields = map[string]any
	for _, c := range []struct {
		name, in string
		fields   fields
		body     string
		warnings int
		err      error
	}{
		{name: "plain", in: "---\nname: a\ndescription: b c\n---\nBody\n", fields: fields{"name": "a", "description": "b c"}, body: "Body\n"},
		{name: "windows", in: "---\r\nname: a\r\n---\r\nBody\r\n", fields: fields{"name": "a"}, body: "Body\r\n"},
		{name: "byte order mark", in: "\ufeff---\nname: a\n---\nBody", fields: fields{"name": "a"}, body: "Body"},
		{name: "nothing after", in: "---\nname: a\n---", fields: fields{"name": "a"}},
		{name: "empty", in: "---\n---\nBody", fields: fields{}, body: "Body"},
		{name: "comment only", in: "---\n# nothing\n---\n", fields: fields{}},
		{name: "a fence is a whole line", in: "---\nname: a --- b\nd: |\n  x\n  ---\n---\nBody", fields: fields{"name": "a --- b", "d": "x\n---\n"}, body: "Body"},
		{name: "as written", in: "---\nversion: 1.10\nno: no\non: true\nnull: ~\nempty:\nhex: 0x1F\n---\n",
			fields: fields{"version": "1.10", "no": "no", "on": "true", "null": "", "empty": "", "hex": "0x1F"}},
		{name: "blocks", in: "---\na: |\n  x\n  y\nb: >-\n  x\n  y\nc: x\n  y\n---\n", fields: fields{"a": "x\ny\n", "b": "x y", "c": "x y"}},
		{name: "nested", in: "---\nmetadata:\n  a: b\nallowed-tools: [Read, \"Bash(rg:*)\"]\nlist:\n  - x\n  - y: z\n---\n",
			fields: fields{"metadata": fields{"a": "b"}, "allowed-tools": []any{"Read", "Bash(rg:*)"}, "list": []any{"x", fields{"y": "z"}}}},
		{name: "colon", in: "---\nname: a\ndescription: Use when: it's time\nx: 'y'\n---\n",
			fields: fields{"name": "a", "description": "Use when: it's time", "x": "y"}, warnings: 1},
		{name: "colon, continued", in: "---\ndescription: Use when: it is\n  time: always\nx: |\n  a: b: c\n---\n",
			fields: fields{"description": "Use when: it is time: always", "x": "a: b: c\n"}, warnings: 1},
		{name: "colon, windows", in: "---\r\ndescription: Use when: now\r\n---\r\n", fields: fields{"description": "Use when: now"}, warnings: 1},
		{name: "nested colon", in: "---\nmetadata:\n  note: a: b\n---\n", fields: fields{"metadata": fields{"note": "a: b"}}, warnings: 1},
		{name: "glob", in: "---\nglobs: *.ts\nalwaysApply: false\n---\n", fields: fields{"globs": "*.ts", "alwaysApply": "false"}, warnings: 1},
		{name: "glob list", in: "---\nglobs: **/*.ts, **/*.tsx\n---\n", fields: fields{"globs": "**/*.ts, **/*.tsx"}, warnings: 1},
		{name: "hint", in: "---\nargument-hint: [file] [line]\n---\n", fields: fields{"argument-hint": "[file] [line]"}, warnings: 1},
		{name: "quote and more", in: "---\ndescription: \"Foo\" and bar\n---\n", fields: fields{"description": "\"Foo\" and bar"}, warnings: 1},
		{name: "twice", in: "---\nname: a\nname: b\n---\n", fields: fields{"name": "a"}, warnings: 1},
		{name: "anchor", in: "---\na: &x b\n---\n", fields: fields{"a": "b"}},
		{name: "not UTF-8", in: "---\nname: a\xff\n---\n", fields: fields{"name": "a\ufffd"}, warnings: 1},
		{name: "none", in: "# Title\n", err: ErrNone, body: "# Title\n"},
		{name: "nothing", in: "", err: ErrNone},
		{name: "four dashes", in: "----\nname: a\n---\n", err: ErrNone, body: "----\nname: a\n---\n"},
		{name: "open", in: "---\nname: a\n", err: ErrOpen, body: "---\nname: a\n"},
		{name: "no mapping", in: "---\njust words\n---\nBody", err: ErrSyntax, body: "Body"},
		{name: "a list", in: "---\n- a\n- b\n---\nBody", err: ErrSyntax, body: "Body"},
		{name: "an alias is text", in: "---\na: &x b\nc: *x\n---\n", fields: fields{"a": "&x b", "c": "*x"}, warnings: 1},
		{name: "aliases in a list", in: "---\na: &x b\nc: [*x, *x]\n---\nBody", err: ErrSyntax, body: "Body"},
		{name: "broken", in: "---\n\"a\n]: }\n---\nBody", err: ErrSyntax, body: "Body"},
		{name: "two documents", in: "---\na: b\n...\nc: d\n---\nBody", err: ErrSyntax, body: "Body"},
		{name: "deep", in: "---\na: " + strings.Repeat("[", 60000) + "\n---\nBody", err: ErrSyntax, body: "Body"},
		{name: "too large", in: "---\na: b\n" + strings.Repeat("# more\n", MaxBytes/6) + "---\n", err: ErrTooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := Parse([]byte(c.in))
			if !errors.Is(err, c.err) {
				t.Fatalf("error %v, want %v", err, c.err)
			}
			if !reflect.DeepEqual(m.Fields, c.fields) {
				t.Errorf("fields %#v, want %#v", m.Fields, c.fields)
			}
			if c.err != ErrTooLarge && c.in[m.Body:] != c.body {
				t.Errorf("body %q, want %q", c.in[m.Body:], c.body)
			}
			fstest.Equal(t, len(m.Warnings), c.warnings, "warnings", m.Warnings)
		})
	}
}

// The parser recurses: without a bound, this much nesting takes minutes.
func TestDeepNestingIsRefused(t *testing.T) {
	for _, unit := range []string{"[", "{a: ", "- "} {
		in := "---\nx:\n " + strings.Repeat(unit, (MaxBytes-20)/len(unit)) + "\n---\n"
		if _, err := Parse([]byte(in)); !errors.Is(err, ErrSyntax) {
			t.Errorf("%q: %v", unit, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"---\nname: a\ndescription: Use when: x\n---\nBody", "---\r\na: [x, {y: z}]\r\n---\r\n", "\ufeff---\n? a\n: b\n---\n",
		"---\na: !!str &x 1\nb: |\n  c\n<<: {d: e}\n---\n", "---\n%YAML 1.2\n--- a\n...\n---\n", "---\n\"\\ud800\": '\n---\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		m, err := Parse(in)
		if m.Body < 0 || m.Body > len(in) {
			t.Fatalf("body at %d of %d", m.Body, len(in))
		}
		if (err == nil) != (m.Fields != nil) {
			t.Fatalf("fields %v with error %v", m.Fields, err)
		}
		for key := range m.Fields {
			m.String(key)
		}
	})
}
