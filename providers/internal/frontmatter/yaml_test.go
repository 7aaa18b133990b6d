package frontmatter

import (
	"errors"
	"strings"
	"testing"

	"ctxfs/providers/internal/syntax"
)

func TestYAML(t *testing.T) {
	doc, warnings, err := YAML("# mine\nextensions:\n  a:\n    enabled: true\n    timeout: 300\n    args: [x, 1.10]\n    cmd: \"y\"\n    none:\n  a: twice\n")
	if err != nil || len(warnings) != 1 {
		t.Fatal(warnings, err)
	}
	for path, want := range map[string]struct {
		kind syntax.Kind
		text string
		line int
	}{
		"extensions a enabled": {syntax.Bool, "true", 4},
		"extensions a timeout": {syntax.Number, "300", 5},
		"extensions a args":    {syntax.Array, "", 6},
		"extensions a cmd":     {syntax.Text, "y", 7},
	} {
		v, ok := doc.At(strings.Fields(path)...)
		if !ok || v.Kind != want.kind || v.Text != want.text || v.Line != want.line {
			t.Errorf("%s: %+v", path, v)
		}
	}
	if args, _ := doc.At("extensions", "a", "args"); len(args.Items) != 2 || args.Items[1].Text != "1.10" {
		t.Errorf("args: %+v", args)
	}
	if _, ok := doc.At("extensions", "a", "none"); ok {
		t.Error("what is null is there")
	}
	for _, bad := range []string{"a: *b", "- x", "a: [", strings.Repeat("[", 1000), "a\n---\nb: 1"} {
		if _, _, err := YAML(bad); !errors.Is(err, ErrYAML) {
			t.Errorf("%.20q: %v", bad, err)
		}
	}
}

func FuzzYAML(f *testing.F) {
	f.Add("a: {b: [1, 2]}\nc: |\n  d\n")
	f.Add("? a\n: b\n")
	f.Fuzz(func(t *testing.T, text string) {
		if doc, _, err := YAML(text); err == nil && doc.Kind != syntax.Object {
			t.Errorf("%+v", doc)
		}
	})
}
