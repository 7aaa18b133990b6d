package arguments

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestHelp(t *testing.T) {
	for schema, want := range map[string]string{
		issue: `
Required:
  --owner string         Repository owner
  --repo string          Repository name.
  --title string         Issue title

Optional:
  --body string          Issue body content
  --assignees string...  Usernames to assign to this issue
  --labels string...     Labels to apply to this issue
  --milestone number     Milestone number
  --state string         The state to give it. One of: open, closed, all.
                         [default: open]
  --draft                Whether the issue is kept as a draft that nobody but
                         its author sees until it is published [default: false]
  --perPage integer      Results per page
`,
		search: `
Required:
  --query string

Optional:
  --sort string          How to sort. One of: newest, oldest, best_match.
                         [default: newest]
  --filter object        What to leave out. Members: state, min_stars, sub.
  --max_results integer
  --language string      ISO code, e.g. en.
  --ids integer...
  --extra value
`,
		chart: `
Required:
  --data object...        Data of the chart, such as [{"category": "a", "value":
                          27}]. Members: category, value.

Optional:
  --theColourOfTheBackgroundAndTheGrid string
                          Colour as six hexadecimal digits
  --style object          The style of lines. Members: line.width, dash.
  --fooBar number|string  One name
  --foo_bar array...      Another
  --größe string
  --shape object          Members: type, r, side.
`,
		`{}`: "\n", ``: "\n", `{"properties":{}}`: "\n",
	} {
		if got := compile(schema).Help(); got != want[1:] {
			t.Errorf("got\n%s\nwant\n%s", got, want[1:])
		}
	}
}

func TestFlags(t *testing.T) {
	flags := compile(search).Flags()
	want := Flag{Name: "sort", Type: "string", Enum: []string{"newest", "oldest", "best_match"}, Default: "newest", Description: "How to sort."}
	if len(flags) != 7 || !reflect.DeepEqual(flags[1], want) || !flags[0].Required || !flags[5].Repeatable {
		t.Errorf("got %+v", flags)
	}
}

func TestEmpty(t *testing.T) {
	for schema, want := range map[string]bool{
		`{"type":"object"}`: true, `{"type":"object","properties":{}}`: true, `{"additionalProperties":false}`: true, `{}`: true,
		`{"additionalProperties":true}`: false, `{"additionalProperties":{"type":"string"}}`: false, ``: false, `{"patternProperties":{"x":{}}}`: false,
		`{"$ref":"https://example.com"}`: false, issue: false, `true`: false,
	} {
		if got := compile(schema).Empty(); got != want {
			t.Errorf("%.60s: %v", schema, got)
		}
	}
}

// The help of every real tool is narrow and clean.
func TestRealHelp(t *testing.T) {
	for name, raw := range realSchemas(t) {
		for line := range strings.Lines(Compile(raw).Help()) {
			line = strings.TrimSuffix(line, "\n")
			if n := utf8.RuneCountInString(line); n > 80 && strings.Contains(strings.TrimSpace(line), " ") && !strings.HasPrefix(line, "  --") {
				t.Errorf("%s: %d columns: %s", name, n, line)
			}
			if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r == 0x7f }) {
				t.Errorf("%s: %q", name, line)
			}
		}
	}
}
