package edit

import (
	"errors"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

type hook struct {
	Type    string `json:"type"`
	Command string `json:"command"`
}

type group struct {
	Matcher string `json:"matcher,omitempty"`
	Hooks   []hook `json:"hooks"`
}

var ours = group{Hooks: []hook{{"command", "'/usr/bin/ctxfs' hook claude-code SessionStart"}}}

// TestJSON: edits have the form of what is around them, and reverting them gives the bytes
// that were there.
func TestJSON(t *testing.T) {
	allow := Element([]string{"permissions", "allow"}, "Bash(ctxfs:*)")
	start := Element([]string{"hooks", "SessionStart"}, ours)
	server := Member([]string{"mcpServers", "ctxfs"}, map[string]any{"command": "ctxfs", "args": []string{"serve"}})
	flag := Member([]string{"on"}, true)
	for _, test := range []struct {
		name, text string
		edit       Edit
		want       string
	}{
		{"two spaces", "{\n  \"a\": 1\n}\n", flag, "{\n  \"a\": 1,\n  \"on\": true\n}\n"},
		{"tabs", "{\n\t\"a\": 1\n}\n", allow, "{\n\t\"a\": 1,\n\t\"permissions\": {\n\t\t\"allow\": [\n\t\t\t\"Bash(ctxfs:*)\"\n\t\t]\n\t}\n}\n"},
		{"no final newline", "{\n    \"a\": 1\n}", flag, "{\n    \"a\": 1,\n    \"on\": true\n}"},
		{"CRLF", "{\r\n  \"a\": {}\r\n}\r\n", Member([]string{"a", "b"}, []int{1}), "{\r\n  \"a\": {\r\n    \"b\": [\r\n      1\r\n    ]\r\n  }\r\n}\r\n"},
		{"CRLF, more", "{\r\n  \"a\": 1, // one\r\n  \"b\": {}\r\n}\r\n", flag, "{\r\n  \"a\": 1, // one\r\n  \"b\": {},\r\n  \"on\": true\r\n}\r\n"},
		{"BOM", "\xef\xbb\xbf{\n  \"a\": 1\n}\n", flag, "\xef\xbb\xbf{\n  \"a\": 1,\n  \"on\": true\n}\n"},
		{"trailing comma", "{\n  \"a\": 1,\n}\n", flag, "{\n  \"a\": 1,\n  \"on\": true,\n}\n"},
		{"trailing comma, comment", "{\n  \"a\": 1, // one\n  // two\n}\n", flag, "{\n  \"a\": 1, // one\n  // two\n  \"on\": true,\n}\n"},
		{"comment after the last", "{\n  \"a\": 1 // one\n}\n", flag, "{\n  \"a\": 1, // one\n  \"on\": true\n}\n"},
		{"comments below", "{\n  \"a\": 1\n  // \"b\": 2\n\n}\n", flag, "{\n  \"a\": 1,\n  // \"b\": 2\n  \"on\": true\n\n}\n"},
		{"one line", `{"a":1}`, flag, `{"a":1,"on":true}`},
		{"one line, newline", "{\"a\":{}}\n", Member([]string{"a", "x"}, ours), "{\"a\":{\"x\":{\"hooks\":[{\"type\":\"command\",\"command\":\"'/usr/bin/ctxfs' hook claude-code SessionStart\"}]}}}\n"},
		{"one line, spaced", `{ "a": 1, "b": [ 0 ] }`, Element([]string{"b"}, "x"), `{ "a": 1, "b": [ 0, "x" ] }`},
		{"inline", "{\n  \"permissions\": { \"allow\": [\"Bash(ls:*)\", \"Read(~/x)\"] }\n}\n", allow, "{\n  \"permissions\": { \"allow\": [\"Bash(ls:*)\", \"Read(~/x)\", \"Bash(ctxfs:*)\"] }\n}\n"},
		{"inline comment", "{ \"a\": 1 // one\n}", flag, "{ \"a\": 1, // one\n  \"on\": true\n}"},
		{"block comment", "{\"a\": 1 /* one */}", flag, "{\"a\": 1, /* one */ \"on\": true}"},
		{"empty object", "{}\n", flag, "{\n  \"on\": true\n}\n"},
		{"only comments in it", "{\n  // nothing yet\n}\n", server, "{\n  // nothing yet\n  \"mcpServers\": {\n    \"ctxfs\": {\n      \"args\": [\n        \"serve\"\n      ],\n      \"command\": \"ctxfs\"\n    }\n  }\n}\n"},
		{"other people's hooks", "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n        \"hooks\": [ { \"type\": \"command\", \"command\": \"say hello\" } ]\n      }\n    ]\n  }\n}\n", start,
			"{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n        \"hooks\": [ { \"type\": \"command\", \"command\": \"say hello\" } ]\n      },\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"'/usr/bin/ctxfs' hook claude-code SessionStart\"\n          }\n        ]\n      }\n    ]\n  }\n}\n"},
		{"odd spacing", "{ \"a\" :1\n ,\"b\":{\"c\"  : [ 1,2 ]}\n}\n", Element([]string{"b", "c"}, 3), "{ \"a\" :1\n ,\"b\":{\"c\"  : [ 1,2,3 ]}\n}\n"},
		{"leading commas", "{ \"a\": 1\n, \"b\": 2\n}\n", flag, ""},
		{"comment above", "// Zed settings\n//\n\n{\n  \"a\": 1\n}\n", flag, "// Zed settings\n//\n\n{\n  \"a\": 1,\n  \"on\": true\n}\n"},
		{"no file", "", flag, "{\n  \"on\": true\n}\n"},
		{"only a comment", "// nothing\n", flag, "// nothing\n{\n  \"on\": true\n}\n"},
		{"a name twice", "{\"a\": {\"x\": 1}, \"a\": {}}", Member([]string{"a", "b"}, 1), "{\"a\": {\"x\": 1}, \"a\": {\"b\": 1}}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			after, done, err := test.edit.Apply([]byte(test.text))
			fstest.Must(t, err)
			if test.want != "" && string(after) != test.want {
				t.Errorf("it became\n%s\nnot\n%s", after, test.want)
			}
			if again, _, err := test.edit.Apply(after); err != nil || string(again) != string(after) {
				t.Errorf("a second time it became\n%s (%v)", again, err)
			}
			back, err := done.Revert(after)
			if err != nil || string(back) != test.text {
				t.Errorf("back it is\n%q, not\n%q (%v)", back, test.text, err)
			}
			if back, err = done.Revert([]byte(test.text)); err != nil || string(back) != test.text {
				t.Errorf("without it, it became\n%s (%v)", back, err)
			}
		})
	}
}

// TestJSONEdited: after somebody has edited a file, reverting takes out our parts alone.
func TestJSONEdited(t *testing.T) {
	start := Element([]string{"hooks", "SessionStart"}, ours).Marked("ctxfs' hook")
	after, done, err := Apply(nil, []Edit{start, Member([]string{"mcpServers", "ctxfs"}, hook{"stdio", "ctxfs"}).Owned()})
	fstest.Must(t, err)
	edited := strings.NewReplacer(
		`"hooks": [`, `"hooks": [ { "type": "command", "command": "mine" },`, // into our group
		`"stdio"`, `"stdio", "env": {}`,
		"{\n  \"hooks\": {", "{\n  // mine\n  \"theme\": \"dark\",\n  \"hooks\": {",
	).Replace(string(after))
	back, err := Revert([]byte(edited), done)
	const want = "{\n  // mine\n  \"theme\": \"dark\",\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n        \"hooks\": [ { \"type\": \"command\", \"command\": \"mine\" }\n        ]\n      }\n    ]\n  }\n}\n"
	if err != nil || string(back) != want {
		t.Errorf("back it is\n%s\nnot\n%s (%v)", back, want, err)
	}
}

// TestJSONRefuses: what is not ours, and what cannot be read, stays.
func TestJSONRefuses(t *testing.T) {
	for _, test := range []struct {
		text string
		edit Edit
		want string
	}{
		{"{\n  \"a\": 1,\n  b\n}", Member([]string{"x"}, 1), "line 3"},
		{"{\n  \"a\": 1 // one\n}", Edit{Kind: jsonMember, Path: []string{"x"}, Value: []byte("1"), Strict: true}, "line 2: its program reads nothing of a file with comments"},
		{"{\n  \"a\": [1,\n]\n}", Edit{Kind: jsonMember, Path: []string{"x"}, Value: []byte("1"), Strict: true}, "line 3: its program reads nothing of a file with comments"},
		{"{\n  \"a\": [1]\n}", Member([]string{"a", "b"}, 1), "line 2: a is an array, not an object"},
		{"{\n  \"a\": null\n}", Element([]string{"a"}, 1), "line 2: a is null, not an array"},
		{"{\n  \"token\": \"secret\"\n}", Member([]string{"token"}, "x"), "line 2: token has another value already"},
		{"[]", Member([]string{"a"}, 1), "the whole file is an array"},
		{strings.Repeat("[", 20000), Member([]string{"a"}, 1), "deep"},
	} {
		after, _, err := test.edit.Apply([]byte(test.text))
		if err == nil || !strings.Contains(err.Error(), test.want) || after != nil {
			t.Errorf("%s: %v, not %q", test.text, err, test.want)
		}
	}
	var c *Conflict
	if _, _, err := Member([]string{"a"}, 2).Apply([]byte(`{"a":1}`)); !errors.As(err, &c) {
		t.Error("not a conflict")
	}
	if after, _, err := Member([]string{"a"}, 2).Owned().Apply([]byte(`{"a":1}`)); err != nil || string(after) != `{"a":2}` {
		t.Errorf("%s %v", after, err)
	}
}

// FuzzJSON: an edit changes nothing but its value, and can be taken back.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{"{}", "{\"a\":[1,2,],}", "{\n// c\n\"a\": {\"b\": [] // d\n}}", "/**/{ \"a\": {\n\"b\":[{}\n,]} /*x*/ , }//", "{\"a\":1//\n}", "{\"a\":{\"b\":[//\n1]}}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, e := range []Edit{Member([]string{"a", "x"}, []int{1}), Element([]string{"a", "b"}, hook{"x", "y"}), Member([]string{"z"}, "w")} {
			after, done, err := e.Apply([]byte(text))
			if err != nil || done.Found {
				continue
			}
			back, err := done.Revert(after)
			if err != nil {
				t.Fatalf("%q became %q: %v", text, after, err)
			}
			if done.Created {
				continue
			}
			if !equalJSON([]byte(text), back) {
				t.Fatalf("%q became %q and back %q", text, after, back)
			}
		}
	})
}
