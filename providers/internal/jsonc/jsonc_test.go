package jsonc

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	doc, err := Parse([]byte("\xef\xbb\xbf{ // comment\n  \"a\": {\"x\": [1, 2,], /* c */ \"y\": null,},\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	a, ok := doc.Get("a")
	if line, column := a.Place(); !ok || line != 2 || column != 8 {
		t.Errorf("a is at line %d, column %d", line, column)
	}
	var got struct{ X []int }
	if err := a.Decode(&got); err != nil || len(got.X) != 2 {
		t.Errorf("decoded %v, %v", got, err)
	}
	if y, ok := a.Get("y"); !ok || !y.IsNull() {
		t.Error("y is not null")
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
		v.Place()
		v.Kind()
		if members, ok := v.Members(); ok {
			for _, m := range members {
				if _, ok := v.Get(m.Name); !ok {
					t.Errorf("member %q is not found", m.Name)
				}
			}
		}
		var any any
		if err := v.Decode(&any); err != nil {
			t.Errorf("parsed but not decoded: %v", err)
		}
	})
}
