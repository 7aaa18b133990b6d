package settings

import (
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/syntax"
)

func TestDocument(t *testing.T) {
	doc, err := Document([]byte("# mine\n[mcp_servers.a]\ncommand = \"x\"\nargs = [\"1\", 2]\n\n[mcp_servers.a.env]\nPORT = 8080\non = true\n\n[mcp_servers]\nb = {url = \"y\"}\n"))
	fstest.Must(t, err)
	for path, want := range map[string]struct {
		kind syntax.Kind
		text string
		line int
	}{
		"mcp_servers":          {syntax.Object, "", 2},
		"mcp_servers a":        {syntax.Object, "", 2},
		"mcp_servers a args":   {syntax.Array, "", 4},
		"mcp_servers a env":    {syntax.Object, "", 6},
		"mcp_servers a env on": {syntax.Bool, "true", 8},
		"mcp_servers b url":    {syntax.Text, "y", 11},
	} {
		v, ok := doc.At(strings.Fields(path)...)
		if !ok || v.Kind != want.kind || v.Text != want.text || v.Line != want.line {
			t.Errorf("%s: %+v", path, v)
		}
	}
	if port, _ := doc.At("mcp_servers", "a", "env", "PORT"); port.Text != "8080" || port.Kind != syntax.Number {
		t.Errorf("PORT: %+v", port)
	}
	if _, err := Document([]byte("a = 1\nb = \n")); err == nil || !strings.HasPrefix(err.Error(), "line 2, column ") {
		t.Errorf("bad syntax: %v", err)
	}
}

func FuzzDocument(f *testing.F) {
	f.Add("[a.b]\nc = [1, {d = 2}]\n[[e]]\nf = 1979-05-27\n")
	f.Add("a.b.c = \"\"\"\nx\"\"\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		v, err := Document([]byte(text))
		if err == nil && (v.Kind != syntax.Object || v.Line != 1) {
			t.Errorf("%+v", v)
		}
	})
}
