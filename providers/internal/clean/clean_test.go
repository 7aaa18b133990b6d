package clean

import (
	"encoding/json"
	"testing"

	"ctxfs/fs/fstest"
)

func TestText(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain\ttext\r\nsecond", "plain\ttext\nsecond"},
		{"\x1b[31mred\x1b[0m", "red"},
		{"\x1b]0;title\x07after", "after"},
		{"\x1b]8;;http://x\x1b\\link", "link"},
		{"a\u202eb\u200bc\U000e0041d", "abcd"},
		{"bad\xffutf8", "badutf8"},
		{"family 👨\u200d👩\u200d👧", "family 👨\u200d👩\u200d👧"},
		{"nul\x00 bell\x07 c1\u0085", "nul bell c1"},
	} {
		fstest.Equal(t, Text(c.in), c.want, "Text", c.in)
	}
}

func TestSentence(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"Create a file. It must not exist.", "Create a file."},
		{"Reads e.g. this and that. More.", "Reads e.g. this and that."},
		{"One\nline wrapped\n\nparagraph two", "One line wrapped"},
		{"", ""},
	} {
		fstest.Equal(t, Sentence(c.in, 1000), c.want, "Sentence", c.in)
	}
	fstest.Equal(t, Sentence("aaaa bbbb cccc dddd", 14), "aaaa bbbb…", "cut")
}

func TestJSONKeepsTheValue(t *testing.T) {
	in := []byte("{\"a\":\"x\u202ey\U000e0041z\u200b\",\n \"b\": 1}")
	out := JSON(in)
	var a, b any
	if json.Unmarshal(in, &a) != nil || json.Unmarshal(out, &b) != nil {
		t.Fatalf("not JSON: %s", out)
	}
	if x, y := a.(map[string]any)["a"], b.(map[string]any)["a"]; x != y {
		t.Errorf("%q became %q", x, y)
	}
	for _, r := range string(out) {
		if hidden(r) && r != '\n' {
			t.Errorf("%q left in %q", r, out)
		}
	}
}

func TestPath(t *testing.T) {
	for path, want := range map[string]string{
		"src/main.go": "src/main.go", "a b/ä.txt": "a b/ä.txt", "a\nb": `"a\nb"`, "\xff": `"\xff"`, `say "x"`: `"say \"x\""`, "\u202egpj": `"\u202egpj"`, " a": `" a"`,
	} {
		fstest.Equal(t, Path(path, 100), want, "shown as", path)
	}
}

func TestBinary(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "text\r\n\t\x1b[31mred": false, "grüße, 世界": false, "a\xff\xfeb c d e f": false, "\x7fELF\x02\x01\x01\x00\x00\x00": true, "w\x00i\x00d\x00e\x00": true,
	} {
		fstest.Equal(t, Binary([]byte(text)), want, text)
	}
}
