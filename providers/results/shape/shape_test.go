package shape

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestOf(t *testing.T) {
	var rows, lines, table strings.Builder
	for i := range 1204 {
		fmt.Fprintf(&rows, `,{"id":%d,"title":"a","labels":["x","y"],"user":{"login":"u"}`, i)
		if i%2 == 0 {
			rows.WriteString(`,"closed":null`)
		}
		rows.WriteString("}")
		fmt.Fprintf(&lines, "{\"n\":%d}\n", i)
		fmt.Fprintf(&table, "%d\tname %d\n", i, i)
	}
	for what, c := range map[string]struct {
		text, want string
		kind       Kind
		filter     string
	}{
		"an object with a list": {
			`{"total":1204,"ok":true,"odd name":"x","items":[` + rows.String()[1:] + `]}`,
			"object of 4 members\n.total: number (1204)\n.ok: bool (true)\n[\"odd name\"]: text (\"x\")\n.items: list of 1204 (object)\n" +
				".items[].id: number\n.items[].title: text\n.items[].labels: list (text)\n.items[].user: object\n.items[].closed: null (in 100 of 200)\n.items[].user.login: text\n" +
				".items[0] is {\"id\":0,\"title\":\"a\",\"labels\":[\"x\",\"y\"],\"user\":{\"login\":\"u\"},\"closed\":null}\n",
			JSON, ".items[0]",
		},
		"a list":         {`[1,2,"x"]`, "list of 3 (number or text)\n.[0] is 1\n", JSON, ".[0]"},
		"nothing":        {`{}`, "object of 0 members\n", JSON, "."},
		"empty list":     {` [] `, "list, empty\n", JSON, "."},
		"lists in lists": {`[[{"a":1}],[{"a":2}]]`, "list of 2 (list)\n[][].a: number\n.[0] is [{\"a\":1}]\n", JSON, ".[0]"},
		"JSON Lines":     {lines.String(), "1204 lines, each object\n.n: number\nthe first: {\"n\":0}\n", Lines, "."},
		"a table":        {"id\tname\n" + table.String(), "1204 rows of 2 columns, parted by tabs: id, name\nthe first: 0 name 0\nthe last: 1203 name 1203\n", Table, ""},
		"commas":         {"a,b\n1,\"x,y\"\n" + strings.Repeat("2,z\n", 5), "6 rows of 2 columns, parted by commas: a, b\nthe first: 1,x,y\nthe last: 2,z\n", Table, ""},
		"a log": {"start\n" + strings.Repeat("all is well, really\nfine\n", 10) + strings.Repeat("error: it broke\n", 9),
			"9 lines that may report errors:\n22: error: it broke\n23: error: it broke\n24: error: it broke\n25: error: it broke\n…\n29: error: it broke\n30: error: it broke\n", Text, ""},
		"words":          {"one, two\nthree\nfour, five, six\n", "", Text, ""},
		"half of a JSON": {`{"a":[1,2,`, "", Text, ""},
		"an escape":      {`{"a\u001b[31m":"\u202e\u001b]0;x"}`, "object of 1 member\n", JSON, "keys"},
	} {
		got := Of([]byte(c.text))
		if what == "an escape" {
			if strings.ContainsAny(got.Lines, "\x1b\u202e") {
				t.Errorf("%s: %q", what, got.Lines)
			}
			continue
		}
		if got.Lines != c.want || got.Kind != c.kind || got.Filter != c.filter {
			t.Errorf("%s: %s, %s\n%s\nwant\n%s", what, got.Kind, got.Filter, got.Lines, c.want)
		}
	}
}

// TestItIsShort: whatever the text, its description is.
func TestItIsShort(t *testing.T) {
	var keys strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&keys, `,"%d%s":{"a":{"b":{"c":{"d":{"e":{"f":1}}}}}}`, i, strings.Repeat("k", 200))
	}
	for what, text := range map[string]string{
		"members":  "{" + keys.String()[1:] + "}",
		"deep":     strings.Repeat(`{"a":`, 9000) + "1" + strings.Repeat("}", 9000),
		"lists":    strings.Repeat(`[`, 9000) + strings.Repeat("]", 9000),
		"deeper":   strings.Repeat(`[`, 90000) + strings.Repeat("]", 90000),
		"a text":   `{"a":"` + strings.Repeat("x", 1<<20) + `"}`,
		"columns":  strings.Repeat(strings.Repeat("c,", 3000)+"c\n", 20),
		"one line": strings.Repeat("error ", 1<<20),
		"cells":    strings.Repeat(strings.Repeat("x", 100000)+",y\n", 10),
	} {
		got := Of([]byte(text))
		if len(got.Lines) > 8<<10 || !utf8.ValidString(got.Lines) {
			t.Errorf("%s: %d bytes", what, len(got.Lines))
		}
	}
}

func FuzzOf(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":null}],"c d":"x"}`))
	f.Add([]byte("{\"a\":1}\n[2]\n"))
	f.Add([]byte("a\tb\n1\t2\n1\t2\n1\t2\n1\t2\n1\t\"2\n"))
	f.Add([]byte("error\nfatal: \xff\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		got := Of(text)
		if len(got.Lines) > 16<<10 || strings.ContainsAny(got.Lines, "\x1b\x00") {
			t.Fatalf("%d bytes: %q", len(got.Lines), got.Lines)
		}
	})
}
