package arguments

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"ctxfs/fs/fstest"
)

func TestHelp(t *testing.T) {
	for schema, want := range map[string]string{
		issue: `
Required:
  --owner string         Repository owner
  --repo string          Repository name.
  --title string         Issue title [at least 1 character]

Optional:
  --body string          Issue body content
  --assignees string...  Usernames to assign to this issue
  --labels string...     Labels to apply to this issue
  --milestone number     Milestone number
  --state string         The state to give it. One of: open, closed, all.
                         [default: open]
  --draft                Whether the issue is kept as a draft that nobody but
                         its author sees until it is published [default: false]
  --perPage integer      Results per page [1 to 100]
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
                          27}]. Members: category, value. [at least 1 item]

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
		fstest.Equal(t, compile(schema).Help(), want[1:])
	}
}

// TestHelpBounds: the help says what a value may be, as far as the schema says it for
// certain.
func TestHelpBounds(t *testing.T) {
	for property, want := range map[string]string{
		`"type":"string","format":"email"`:                                                              "[format: email]",
		`"type":"string","format":"date-time","minLength":1,"maxLength":40`:                             "[format: date-time] [1 to 40 characters]",
		`"type":"string","minLength":1`:                                                                 "[at least 1 character]",
		`"type":"integer","format":"int32","minimum":18,"maximum":120,"description":"Age","default":20`: "Age [18 to 120] [default: 20]",
		`"type":"number","exclusiveMinimum":0,"maximum":1.5`:                                            "[more than 0, at most 1.5]",
		`"type":"number","minimum":0,"exclusiveMinimum":true`:                                           "[more than 0]",
		`"type":"integer","minimum":-9007199254740991,"maximum":9007199254740991`:                       "",
		`"anyOf":[{"type":"integer","minimum":1},{"type":"null"}]`:                                      "[at least 1]",
		`"anyOf":[{"type":"integer","minimum":1},{"type":"string","format":"uri"}]`:                     "",
		`"type":"array","minItems":1,"maxItems":3,"items":{"type":"string"}`:                            "[1 to 3 items]",
		`"type":"array","minItems":0,"maxItems":1,"items":{"type":"string"}`:                            "[at most 1 item]",
		`"type":"array","minItems":2,"maxItems":2,"items":{"type":"integer"}`:                           "[exactly 2 items]",
		`"type":"string","oneOf":[{"const":"a1","title":"First"},{"const":"b2","title":"b2"}]`:          "One of: a1 (First), b2.",
		`"type":"string","enum":["r","g"],"enumNames":["Red","Green"]`:                                  "One of: r (Red), g (Green).",
		`"type":"array","maxItems":2,"items":{"anyOf":[{"const":"x","title":"Ex"},{"const":"y"}]}`:      "One of: x (Ex), y. [at most 2 items]",
		`"$ref":"#/$defs/d"`:                                                  "[format: uri]",
		`"type":"string","format":"a\u001b[31m\nb"`:                           "[format: a b]",
		`"$ref":"#/properties/f"`:                                             "",
		`"type":"string","minLength":"x","format":7,"oneOf":3,"enumNames":{}`: "",
	} {
		s := compile(`{"type":"object","properties":{"f":{` + property + `}},"$defs":{"d":{"type":"string","format":"uri"}}}`)
		fstest.Equal(t, s.Flags()[0].text(), want, property)
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
		fstest.Equal(t, compile(schema).Empty(), want, schema)
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
