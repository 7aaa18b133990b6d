package arguments

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// fine checks what every text for users promises.
func fine(t *testing.T, err error) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("not an *Error: %v", err)
	}
	for _, text := range []string{e.What, e.Hint} {
		if len(text) > 6000 || !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f || r == 0x202e }) {
			t.Fatalf("%d bytes: %q", len(text), text)
		}
	}
	if e.What == "" || e.Part != nil && (!json.Valid(e.Part) || e.Part[0] != '{' || len(e.Part) > 8*maxPart) {
		t.Fatalf("%q, %s", e.What, e.Part)
	}
}

// seed adds small schemas, each with all of some texts. The long ones of real
// tools are chosen by number: the fuzzer makes each new input smaller for a
// minute, byte by byte, before it goes on.
func seed(f *testing.F, second ...string) {
	for i, schema := range []string{``, ``, ``, ``, `{}`, `true`, `{"type":["string","null"]}`,
		`{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"$ref":"#"},{"properties":{"a.b":{"items":[{}]}}}]}}}`,
		`{"properties":{"a":{"$ref":"#/properties/a"},"":{"enum":[]},"a=":{"const":{}}}}`,
		`{"properties":{"a":{"default":1}},"required":["a","b"]}`,
		`{"if":{"properties":{"a":{"pattern":"(?=)"}}},"then":{"properties":{"b":{"minimum":1}}},"$schema":"http://json-schema.org/draft-04/schema#"}`} {
		for _, s := range second {
			f.Add(uint8(i), schema, s)
		}
	}
}

// chosen is a real schema, where its number is given, or else the other.
func chosen(which uint8, schema string) *Schema {
	if real := []string{issue, search, chart}; int(which) < len(real) {
		schema = real[which]
	}
	return compile(schema)
}

func FuzzParse(f *testing.F) {
	seed(f, "--title\nx\n--label\na\n--draft", "{\"title\":1}\n--x.y.z=1", "--a=[1\n--filter.sub.state\nnull\n--no-draft", "--a.b\n[\"x\"]\n--\n--=\n-x\nt=1")
	f.Fuzz(func(t *testing.T, which uint8, schema, command string) {
		s := chosen(which, schema)
		var words []Word
		for i, text := range strings.Split(command, "\n") {
			words = append(words, Word{Text: text})
			if i%7 == 5 { // some are read from files
				words[i] = file("", "path", text)
			}
		}
		args, err := s.Parse(words)
		if err != nil {
			fine(t, err)
			return
		}
		if !json.Valid(args) || args[0] != '{' {
			t.Fatalf("no JSON object: %s", args)
		}
		if err := s.Check(args); err != nil {
			fine(t, err)
		}
	})
}

func FuzzCheck(f *testing.F) {
	seed(f, `{"title":"x","labels":[1],"state":"opne"}`, `{"query":"q","filter":{"sub":{}},"ids":["1"]}`, `{"data":[{}],"shape":{"type":1}}`, `[]`, `{"a":1e5,"a":{}}`, `{"":null}`)
	f.Fuzz(func(t *testing.T, which uint8, schema, args string) {
		s := chosen(which, schema)
		err := s.Check([]byte(args))
		var obj map[string]json.RawMessage
		switch {
		case err != nil:
			fine(t, err)
			if again := s.Check([]byte(args)); again == nil || again.Error() != err.Error() {
				t.Fatalf("%v became %v", err, again)
			}
		case json.Unmarshal([]byte(args), &obj) != nil || obj == nil:
			t.Fatalf("%q is taken for an object", args)
		default:
			whole(t, s, obj, s.Complete([]byte(args)))
		}
		if err := s.Fits([]byte(args), "the result"); err != nil {
			fine(t, err)
		}
	})
}

// whole fails unless arguments that are filled in conform, keep what was given, and
// need nothing else.
func whole(t *testing.T, s *Schema, given map[string]json.RawMessage, args json.RawMessage) {
	t.Helper()
	var now map[string]json.RawMessage
	if err := s.Check(args); err != nil || json.Unmarshal(args, &now) != nil {
		t.Fatalf("filled in, it is wrong: %s: %v", args, err)
	}
	for name := range given {
		if _, ok := now[name]; !ok {
			t.Fatalf("%q is lost: %s", name, args)
		}
	}
	if again := s.Complete(args); !bytes.Equal(bytes.TrimSpace(again), bytes.TrimSpace(args)) {
		t.Fatalf("%s becomes %s", args, again)
	}
}

func FuzzCompile(f *testing.F) {
	seed(f, "")
	f.Fuzz(func(t *testing.T, which uint8, schema, _ string) {
		s := chosen(which, schema)
		if strings.ContainsFunc(s.Fault(), func(r rune) bool { return r < ' ' }) {
			t.Fatalf("%q", s.Fault())
		}
		flags := s.Flags()
		if s.Empty() && len(flags) > 0 || len(flags) > 0 && s.Help() == "" {
			t.Fatalf("%d flags, empty: %v", len(flags), s.Empty())
		}
	})
}

// FuzzReader holds the reader to encoding/json: it refuses what that refuses,
// and reads the same of what it accepts.
func FuzzReader(f *testing.F) {
	for _, s := range []string{`{"a":[1,-0.5e+3,"x\u00e9\\\"",true,false,null]}`, `{"a":{},"b":[]}`, `"\ud800"`, `[1,]`, `{"a":1,}`, `01`, `-`, `"\x"`, "\"\t\"", `{"a" 1}`, ` 1 2`, `tru`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := decode(b)
		decoder := json.NewDecoder(bytes.NewReader(b))
		decoder.UseNumber()
		var want any
		valid := json.Valid(b) && decoder.Decode(&want) == nil
		switch {
		case err == nil && (!valid || !reflect.DeepEqual(got, want)):
			t.Fatalf("%q: %#v, want %#v (%v)", b, got, want, valid)
		case err != nil && valid && utf8.Valid(b):
			for _, known := range []string{"is in it twice", "levels deep", "too many digits"} {
				if strings.Contains(err.Error(), known) {
					return
				}
			}
			t.Fatalf("%q: %v", b, err)
		}
		list, listErr := members(b)
		if obj, ok := got.(map[string]any); ok && (listErr != nil || len(list) != len(obj)) {
			t.Fatalf("%q: %d members, %v", b, len(list), listErr)
		}
	})
}
