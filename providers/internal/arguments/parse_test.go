package arguments

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		schema string
		words  []Word
		want   string
	}{
		{issue, nil, `{}`},
		{issue, line("--title", "x", "--owner=o", "--repo", "r=s"), `{"title":"x","owner":"o","repo":"r=s"}`},
		{issue, line("--title", "123"), `{"title":"123"}`},
		{issue, line("--title", `{"a":1}`, "--body", "null"), `{"title":"{\"a\":1}","body":"null"}`},
		{issue, line("--title", "", "--body="), `{"title":"","body":""}`},
		{issue, line("--body", "-- \nsigned <b> & \"q\""), `{"body":"-- \nsigned <b> & \"q\""}`},
		{issue, line("--title", "--verbose is broken"), `{"title":"--verbose is broken"}`},
		{issue, line("--labels", `["a", "b"]`), `{"labels":["a","b"]}`},
		{issue, line("--labels", `[]`), `{"labels":[]}`},
		{issue, line("--label", "a", "--labels", "b,c", "--label", `["d"]`), `{"labels":["a","b,c","d"]}`},
		{issue, line("--label", "1"), `{"labels":["1"]}`},
		{issue, line("--draft"), `{"draft":true}`},
		{issue, line("--draft", "--title", "x"), `{"draft":true,"title":"x"}`},
		{issue, line("--draft=false"), `{"draft":false}`},
		{issue, line("--draft", "True"), `{"draft":true}`},
		{issue, line("--no-draft"), `{"draft":false}`},
		{issue, line("--draft", `{"title":"x"}`), `{"title":"x","draft":true}`},
		{issue, line("--milestone", "12345678901234567890123", "--per-page", "-5"), `{"milestone":12345678901234567890123,"perPage":-5}`},
		{issue, line("--milestone", "1.10e2"), `{"milestone":1.10e2}`},
		{issue, line("--per_page=ten"), `{"perPage":"ten"}`},
		{issue, line("--PERPAGE", "3"), `{"perPage":3}`},
		{issue, line(` {"title": "x", "owner": "o"} `, "--title", "y"), `{"title":"y","owner":"o"}`},
		{issue, line(`{"title": "x"}`), `{"title": "x"}`},
		{issue, line("--", `{"titel": "x"}`), `{"titel": "x"}`},
		{issue, []Word{file("", "a.json", " {\"title\": 1}\n"), {Text: "--draft"}}, `{"title":1,"draft":true}`},
		{issue, []Word{{Text: "--body"}, file("", "b.md", "two\nlines\n")}, `{"body":"two\nlines\n"}`},
		{issue, []Word{file("--body=", "b.md", "@x"), {Text: "--title"}, {Text: "@x"}}, `{"body":"@x","title":"@x"}`},
		{issue, []Word{file("--milestone=", "n", "7\n"), file("--labels=", "l", "[\"a\",\n\"b\"]\n")}, `{"milestone":7,"labels":["a","b"]}`},
		{issue, []Word{{Text: "--label=@octocat"}}, `{"labels":["@octocat"]}`},

		{search, line("--query", "a b", "--sort", "oldest"), `{"query":"a b","sort":"oldest"}`},
		{search, line("--max-results", "5", "--language", "en"), `{"max_results":5,"language":"en"}`},
		{search, line("--max-results", "null", "--language", "null"), `{"max_results":null,"language":null}`},
		{search, line("--id", "5", "--id", "6"), `{"ids":[5,6]}`},
		{search, line("--ids", "null"), `{"ids":null}`},
		{search, line("--extra", "plain text", "--query", "q"), `{"extra":"plain text","query":"q"}`},
		{search, line("--extra", `{"a": [1]}`), `{"extra":{"a": [1]}}`},
		{search, line("--filter", `{"state": "open"}`), `{"filter":{"state": "open"}}`},
		{search, line("--filter.state", "open", "--filter.min-stars", "7"), `{"filter":{"state":"open","min_stars":7}}`},
		{search, line("--filter.sub.sub.state", "null"), `{"filter":{"sub":{"sub":{"state":null}}}}`},
		{search, line("--filter.state", "open", "--filter", `{"state":"closed","min_stars":1}`), `{"filter":{"state":"open","min_stars":1}}`},
		{search, line(`{"filter":{"state":"closed","x":1},"query":"q"}`, "--filter.state", "open"), `{"filter":{"state":"open","x":1},"query":"q"}`},
		{search, line("--extra.deep.er", "1"), `{"extra":{"deep":{"er":1}}}`},

		{chart, line("--fooBar", "007", "--foo_bar", "[1,2]", "--foo_bar", "[3]"), `{"fooBar":"007","foo_bar":[[1,2],[3]]}`},
		{chart, line("--fooBar", "7", "--foo_bar", "[[1,2],[3]]"), `{"fooBar":7,"foo_bar":[[1,2],[3]]}`},
		{chart, line("--style.line.width", "2", "--style.dash"), `{"style":{"line.width":2,"dash":true}}`},
		{chart, line("--data", `{"category":"a","value":1}`, "--data", `{"category":"b","value":2}`), `{"data":[{"category":"a","value":1},{"category":"b","value":2}]}`},
		{chart, line("--shape.type", "circle", "--shape.r", "2"), `{"shape":{"type":"circle","r":2}}`},

		{`{"type":"object"}`, line("--any", "1", "--Thing=x y"), `{"any":1,"Thing":"x y"}`},
		{``, line("--a", "[1", "--b", "true"), `{"a":"[1","b":true}`},
		{`{"properties":{"a":{"type":"string"}},"additionalProperties":{"type":"string"}}`, line("--b", "x", "--a", "1"), `{"b":"x","a":"1"}`},
		{`{"properties":{"a=b":{"type":"string"},"no-x":{"type":"boolean"},"x":{"type":"boolean"}}}`, line("--a=b", "v", "--no-x"), `{"a=b":"v","no-x":true}`},
		{`{"properties":{"to":{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}}}`, line("--to", "a"), `{"to":"a"}`},
		{`{"properties":{"to":{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}}}`, line("--to", "a", "--to", "b"), `{"to":["a","b"]}`},
		{`{"properties":{"to":{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}}}`, line("--to", `["a"]`), `{"to":["a"]}`},
		{`{"properties":{"v":{"enum":["1",1,true]}}}`, line("--v", "1"), `{"v":"1"}`},
		{`{"properties":{"v":{"enum":[1,2]}}}`, line("--v", "1"), `{"v":1}`},
		{`{"properties":{"v":{"type":["boolean","string"]}}}`, line("--v", "yes"), `{"v":"yes"}`},
		{`{"properties":{"v":{"type":["boolean","string"]}}}`, line("--v"), `{"v":true}`},
		{`{"properties":{"categories":{"type":"array"}}}`, line("--category", "x", "--category", "2"), `{"categories":["x",2]}`},
		{`{"allOf":[{"$ref":"#/definitions/A"}],"definitions":{"A":{"properties":{"n":{"type":"integer"}}}}}`, line("--n", "1"), `{"n":1}`},
	} {
		got, err := compile(c.schema).Parse(c.words)
		if err != nil || string(got) != c.want {
			t.Errorf("%v: got %s, %v, want %s", c.words, got, err, c.want)
		}
	}
}

func TestParseFaults(t *testing.T) {
	all := "the flags are --body, --assignees, --labels, --milestone, --owner, --repo, --title, --state, --draft, --perPage"
	for _, c := range []struct {
		schema           string
		words            []Word
		what, hint, part string
	}{
		{issue, line("--titel", "x"), "unknown flag --titel", "did you mean --title? " + all, `{"title":{"type":"string","description":"Issue title","minLength":1}}`},
		{issue, line("--nothing-like-it"), "unknown flag --nothing-like-it", all, ""},
		{issue, line("--title.x", "y"), "unknown flag --title.x", "did you mean --title? " + all, "*"},
		{issue, line("--\x1b[31mx\n"), "unknown flag --x", all, ""},
		{issue, line("--title", "a", "--Title", "b"), "--title is given twice", "", `{"title":{"type":"string","description":"Issue title","minLength":1}}`},
		{issue, line("--title"), "--title has no value", "write --title <string>", "*"},
		{issue, line("--title", "--body", "x"), "--title has no value", `write --title <string>, or --title=--body if "--body" is the value`, "*"},
		{issue, line("--no-draft=true"), "--no-draft takes no value", "write --no-draft or --draft=false", "*"},
		{issue, line("--no-title"), "unknown flag --no-title", all, ""},
		{issue, line("fix the bug"), `"fix the bug" is neither a flag nor a JSON object`, `write --name value for each argument, or one JSON object: '{"name": "value"}'`, ""},
		{issue, line("titel=x"), `"titel=x" is neither a flag nor a JSON object`, `write --name value for each argument, or one JSON object: '{"name": "value"}'`, ""},
		{issue, line("title=x"), `"title=x" is neither a flag nor a JSON object`, "did you mean --title=x?", "*"},
		{issue, line("-title", "x"), `"-title" is neither a flag nor a JSON object`, "did you mean --title?", "*"},
		{issue, line("--labels", "['a', 'b']"), `the value of --labels is not JSON: unexpected '\'' (at byte 2)`, `write --labels '["a", "b"]'`, "*"},
		{issue, line(`{"title":`), "the JSON object cannot be read: it ends too early (at byte 10)", "flags need no quoting of JSON: --name value", ""},
		{issue, line(`{"title": 1, "title": 2}`), `the JSON object cannot be read: "title" is in it twice (at byte 23)`, "flags need no quoting of JSON: --name value", ""},
		{issue, line(`{"title": 1} x`), "the JSON object cannot be read: something follows its end (at byte 14)", "flags need no quoting of JSON: --name value", ""},
		{issue, line(`{}`, `{}`), "there are two JSON objects", "the arguments are one JSON object, or flags, or both", ""},
		{issue, []Word{file("", "notes.md", "text")}, `the file "notes.md" holds no JSON object`, "to give it as one argument, write --name @notes.md", ""},
		{issue, []Word{file("", "-", "[1]")}, `standard input holds no JSON object`, "to give it as one argument, write --name @-", ""},
		{issue, []Word{file("--body=", "x.png", "\x89PNG")}, `the file "x.png" is not text: it is not valid UTF-8`, "JSON carries bytes only if encoded, for instance in base64", "*"},
		{search, line("cats"), `"cats" is neither a flag nor a JSON object`, `did you mean --query "cats"?`, `{"query":{"title":"Query","type":"string"}}`},
		{search, line("--filter.stat", "x"), "unknown flag --filter.stat", "did you mean --filter.state? the flags are --filter.state, --filter.min_stars, --filter.sub", "*"},
		{search, line("--filter", "{state: open}"), "the value of --filter is not JSON: unexpected 's' instead of a name in double quotes (at byte 2)", `write --filter '{"name": "value"}'`, "*"},
		{chart, line("--foo-bar", "x"), "--foo-bar can be one of several", "write the name in full: --fooBar, --foo_bar", ""},
		{`{"type":"object","properties":{},"additionalProperties":false}`, line("--x"), "unknown flag --x", "the tool takes no arguments", ""},
		{`{"type":"object","properties":{}}`, line("x"), `"x" is neither a flag nor a JSON object`, "the tool takes no arguments", ""},
	} {
		_, err := compile(c.schema).Parse(c.words)
		checkError(t, c.words, err, c.what, c.hint, c.part)
	}
}

// checkError compares an error with what it should say; part "*" is any.
func checkError(t *testing.T, in any, err error, what, hint, part string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Errorf("%v: got %v, want %q", in, err, what)
		return
	}
	if e.What != what || e.Hint != hint || string(e.Part) != part && (part != "*" || e.Part == nil) {
		t.Errorf("%v:\n got %s\n     %s\n     %s\nwant %s\n     %s\n     %s", in, e.What, e.Hint, e.Part, what, hint, part)
	}
}

func TestParsedArgumentsFit(t *testing.T) {
	for _, c := range []struct {
		schema string
		words  []Word
	}{
		{issue, line("--owner", "o", "--repo", "r", "--title", "t", "--label", "a", "--state", "all", "--per-page", "7", "--draft")},
		{search, line("--query", "q", "--filter.state", "open", "--ids", "[1]", "--sort", "best_match")},
		{chart, line("--data", `[{"category":"a","value":1}]`, "--shape.type", "square", "--shape.side", "2.5")},
	} {
		s := compile(c.schema)
		args, err := s.Parse(c.words)
		if err != nil {
			t.Errorf("%v: %v", c.words, err)
		} else if err := s.Check(args); err != nil {
			t.Errorf("%s: %v", args, err)
		}
	}
}

func TestErrorsAreShort(t *testing.T) {
	long := strings.Repeat("long \x1b[31m", 1000)
	s := compile(`{"properties":{"` + strings.Repeat("n", 5000) + `":{"type":"integer","description":"` + strings.Repeat("d", 5000) + `"}}}`)
	_, err := s.Parse(line("--" + long))
	if len(err.Error()) > 500 || slices.Contains([]byte(err.Error()), 0x1b) {
		t.Errorf("%d bytes: %q", len(err.Error()), err)
	}
	_, err = s.Parse(line(strings.Repeat("n", 5000) + "=" + long))
	if e := err.(*Error); len(e.Error()) > 500 || len(e.Part) > 2*maxPart {
		t.Errorf("%d bytes, %d bytes of schema: %q", len(err.Error()), len(e.Part), err)
	}
}
