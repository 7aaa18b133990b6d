package jsonc

import (
	"encoding/json"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/syntax"
)

func TestParse(t *testing.T) {
	doc, err := Parse([]byte("\xef\xbb\xbf{ // comment\n  \"a\": {\"x\": [1, 2,], /* c */ \"y\": null,},\n}\n"))
	fstest.Must(t, err)
	a, ok := doc.Get("a")
	if !ok || a.Line != 2 || a.Column != 8 {
		t.Errorf("a is at line %d, column %d", a.Line, a.Column)
	}
	if x, ok := a.Get("x"); !ok || len(x.Items) != 2 || x.Items[1].Text != "2" || x.Items[1].Kind != syntax.Number {
		t.Errorf("x is %+v", x)
	}
	if _, ok := a.Get("y"); ok {
		t.Error("what is null is there")
	}
	if _, ok := doc.Get("b"); ok {
		t.Error("found what is not there")
	}
}

func TestErrorsNameThePlace(t *testing.T) {
	for in, want := range map[string]string{
		"{\n \"a\": 1\n \"b\": 2}":        "line 3, column 2: ",
		"":                                "line 1, column 1: ",
		"{":                               "line 1, column 2: ",
		"[] x":                            "line 1, column 4: ",
		strings.Repeat("[", 20_000_000):   "line 1, column 10001: nested",
		"// [\n" + strings.Repeat("{", 5): "line 2, column 6: ",
	} {
		if _, err := Parse([]byte(in)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.20q: %v, want %s...", in, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2,{"b":null}]}`, "// c\n{'a':1}", `{"a":1,/* x */}`, `"\ud800"`, `[[[[`, `{"/*":"//"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := Parse(text)
		if err != nil {
			if json.Valid(text) {
				t.Errorf("JSON is refused: %v", err)
			}
			return
		}
		for _, m := range v.Members {
			if m.Value.Kind == "" || m.Value.Line < 1 {
				t.Errorf("member %q: %+v", m.Name, m.Value)
			}
		}
		if v.Line < 1 || v.Column < 1 || v.Kind == "" {
			t.Errorf("%+v", v)
		}
	})
}
