package results

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/clean"
)

func stored(t testing.TB, text string) (ext, body string) {
	t.Helper()
	f := formOf([]byte(text))
	var out bytes.Buffer
	fstest.Must(t, f.write(&out))
	return f.ext, out.String()
}

func TestForm(t *testing.T) {
	for text, want := range map[string][2]string{
		"plain text":           {"txt", "plain text"},
		"":                     {"txt", ""},
		"red \x1b[31mand\r\nx": {"txt", "red and\nx"},
		`{"b":1.50,"a":[1e400,{}],"b":"\u00e9\/é","c":[]}` + "\n\n": {"json", "{\n  \"b\": 1.50,\n  \"a\": [\n    1e400,\n    {}\n  ],\n  \"b\": \"\\u00e9\\/é\",\n  \"c\": []\n}\n"},
		" [ ] ":                    {"json", "[]\n"},
		"12345678901234567890":     {"json", "12345678901234567890\n"},
		`"hidden` + "\u202e" + `"`: {"json", "\"hidden\\u202e\"\n"},
		"{\"a\": 1}\n{\"a\":2}":    {"jsonl", "{\"a\": 1}\n{\"a\":2}"},
		"[1]\r\n\r\n[2]\r\n":       {"jsonl", "[1]\r\n\r\n[2]\r\n"},
		"1\n2\n":                   {"txt", "1\n2\n"},
		"{\"a\":1}\nnot JSON\n":    {"txt", "{\"a\":1}\nnot JSON\n"},
		`{"a":1} trailing`:         {"txt", `{"a":1} trailing`},
	} {
		if ext, got := stored(t, text); ext != want[0] || got != want[1] {
			t.Errorf("%q: %s %q, want %q", text, ext, got, want)
		}
	}
}

// TestDeepNesting: storing does not make gigabytes of a server's result.
func TestDeepNesting(t *testing.T) {
	deep := strings.Repeat("[", 9000) + strings.Repeat("]", 9000)
	wide := strings.Repeat("[", 100) + strings.Repeat("1,", 100_000) + "1" + strings.Repeat("]", 100)
	for _, text := range []string{deep, wide} {
		if ext, got := stored(t, text); ext != "json" || got != text+"\n" {
			t.Errorf("%s of %d bytes became %d", ext, len(text), len(got))
		}
	}
}

func FuzzForm(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,2,{"b":null}],"c":"x\\\"y","d":{}}`, "{}\n{}\n", "[[[]]]", `"\\"`, `["\\\\\"",-0.5e+10,true]`, "text\x1b[0m\u202e\r", "\xff{\"a\":1}", "\"\xff\"", "null",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		ext, body := stored(t, string(text))
		if clean.Text(strings.ReplaceAll(body, "\r\n", "\n")) != strings.ReplaceAll(body, "\r", "") && ext != extLines {
			t.Fatalf("%q became %q", text, body)
		}
		switch ext {
		case extJSON:
			var want, got bytes.Buffer
			fstest.Must(t, json.Compact(&want, clean.JSON(text)))
			fstest.Must(t, json.Compact(&got, []byte(body)))
			if want.String() != got.String() {
				t.Fatalf("%q became %q", text, body)
			}
			if value := clean.JSON(bytes.Trim(text, jsonSpace)); indentable(value) {
				want.Reset()
				fstest.Must(t, json.Indent(&want, value, "", "  "))
				if want.String()+"\n" != body {
					t.Fatalf("%q became %q, want %q", text, body, want.String())
				}
			}
		case extLines:
			if body != string(clean.JSON(text)) {
				t.Fatalf("%q became %q", text, body)
			}
		}
	})
}

// TestToolsByLines: jq and rg find the same in what is stored.
func TestToolsByLines(t *testing.T) {
	for _, tool := range []string{"jq", "rg"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("no %s on this machine", tool)
		}
	}
	f := start(t, stateDir(t))
	var array, lines strings.Builder
	for i := range 500 {
		if array.Len() > 0 {
			array.WriteByte(',')
		}
		item := `{"title":"issue ` + strings.Repeat("i", i%7) + `","state":"open","labels":["a","b"]}`
		array.WriteString(item)
		lines.WriteString(item + "\n")
	}
	for _, saved := range []Saved{f.save(issues, "", "["+array.String()+"]"), f.save(issues, "", lines.String())} {
		byJQ := output(t, "jq", "-r", `.. | .title? // empty | select(. == "issue iii")`, saved.Path)
		byRG := output(t, "rg", "-o", "issue iii\\b", saved.Path)
		if byJQ != byRG || strings.Count(byRG, "\n") != 72 && strings.Count(byRG, "\n") != 71 {
			t.Errorf("%s: jq finds %d, rg %d", saved.Name, strings.Count(byJQ, "\n"), strings.Count(byRG, "\n"))
		}
	}
}

func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return string(out)
}
