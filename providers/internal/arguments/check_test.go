package arguments

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"ctxfs/fs/fstest"
)

func TestCheckAccepts(t *testing.T) {
	for _, c := range []struct{ schema, args string }{
		{issue, `{"owner":"o","repo":"r","title":"t"}`},
		{issue, ` {"owner":"o","repo":"r","title":"t","perPage":1.0,"milestone":-1e3,"labels":[]} `},
		{search, `{"query":"q","filter":{"state":null,"sub":{"state":"open","sub":null}},"max_results":null}`},
		{search, `{"query":"q","filter":{"state":"open","more":1}}`}, // what is not listed is refused on the top level only
		{chart, `{"data":[{"category":"a","value":1}],"shape":{"type":"circle","r":1},"theColourOfTheBackgroundAndTheGrid":"#00ff00"}`},
		{`{"properties":{"a":{}},"additionalProperties":true}`, `{"b":1}`},
		{`{"properties":{"a":{}},"patternProperties":{"^x-":{}}}`, `{"x-b":1}`},
		{search, `{"query":"q","filter":{"sub":{"state":"open"}}}`}, // "state" has a default
		{`{"type":"object"}`, `{"anything":1}`},
		{`{"properties":{"a":{"default":1},"b":{"type":"string"}},"required":["a","b"]}`, `{"b":"x"}`}, // SDKs leave it out
		{`{"properties":{"a":{"type":["string","null"],"default":null}},"required":["a"]}`, `{}`},
		{`{"properties":{"o":{"properties":{"a":{"default":1}},"required":["a"]},"r":{"$ref":"#/$defs/x"}},"$defs":{"x":{"properties":{"a":{"default":1}},"required":["a"]}}}`, `{"o":{},"r":{}}`},
		{`{"properties":{"a":{}},"required":["b"]}`, `{"b":1}`}, // asked for, so known
		{`{"properties":{"a":{}},"dependentSchemas":{"a":{"properties":{"b":{}}}}}`, `{"a":1,"b":1}`},
		{`{"properties":{"a":{}},"unevaluatedProperties":{"type":"integer"}}`, `{"b":1}`},
		{`{}`, `{"anything":1}`},
		{`true`, `{"anything":1}`},
		{``, `{"anything":1}`},
		{`{"oneOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"string"}},"required":["b"]}]}`, `{"b":"x"}`},
		{`{"properties":{"a":{"const":1}},"if":{"required":["a"]},"then":{"properties":{"b":{"type":"string"}}}}`, `{"a":1,"b":"x"}`},
		{`{"properties":{"s":{"type":"string","format":"uri"},"d":{"format":"date-time"}},"$schema":"http://json-schema.org/draft-07/schema#"}`, `{"s":"no uri","d":"today"}`}, // the server decides
		{`{"properties":{"s":{"pattern":"^(?!x).*$"}}}`, `{"s":"x"}`},                                                                                                          // Go has no look-ahead
		{`{"properties":{"n":{"maximum":123456789012345678901234567890}}}`, `{"n":123456789012345678901234567889}`},
	} {
		if err := compile(c.schema).Check([]byte(c.args)); err != nil {
			t.Errorf("%s: %v", c.args, err)
		}
	}
}

func TestCheckFaults(t *testing.T) {
	title := `{"title":{"type":"string","description":"Issue title","minLength":1}}`
	state := `{"state":{"type":"string","enum":["open","closed","all"],"default":"open","description":"The state to give it"}}`
	page := `{"perPage":{"type":"integer","minimum":1,"maximum":100,"description":"Results per page"}}`
	full := `"owner":"o","repo":"r","title":"t"`
	for _, c := range []struct{ schema, args, what, hint, part string }{
		{`{"properties":{"a":{"default":1},"b":{"type":"string"}},"required":["a","b"]}`, `{}`, `missing "b"`, "", `{"b":{"type":"string"}}`},
		{`{"properties":{"a":{"type":"integer","default":1}},"required":["a"]}`, `{"a":"x"}`, `"a" must be an integer, not "x"`, "", "*"},
		{issue, `{"owner":"o","repo":"r"}`, `missing "title"`, "", title},
		{issue, `{"owner":"o"}`, `missing "repo", "title"`, "", `{"repo":{"type":"string","description":"Repository name. The part after the slash."},` + title[1:]},
		{issue, `{"owner":"o","repo":"r","titel":"t"}`, `unknown "titel"`, `did you mean "title"?`, title},
		{issue, `{"owner":"o","repo":"r","titel":"t","xyzzyx":1}`, `unknown "titel", "xyzzyx"`, `did you mean "title"?`, title},
		{issue, `{` + full + `,"per_page":1}`, `unknown "per_page"`, `did you mean "perPage"?`, page},
		{issue, `{` + full + `,"somethingElse":1}`, `unknown "somethingElse"`, `the arguments are "body", "assignees", "labels", "milestone", "owner", "repo", "title", "state", "draft", "perPage"`, ""},
		{issue, `{` + full + `,"state":"opne"}`, `"state" must be one of open, closed, all, not "opne"`, `did you mean "open"?`, state},
		{issue, `{` + full + `,"state":7}`, `"state" must be one of open, closed, all, not 7`, "", state},
		{issue, `{` + full + `,"perPage":"ten"}`, `"perPage" must be an integer, not "ten"`, "", page},
		{issue, `{` + full + `,"perPage":1.5}`, `"perPage" must be an integer, not 1.5`, "", page},
		{issue, `{` + full + `,"perPage":0}`, `"perPage" must be at least 1, not 0`, "", page},
		{issue, `{` + full + `,"perPage":101}`, `"perPage" must be at most 100, not 101`, "", page},
		{issue, `{` + full + `,"draft":"yes"}`, `"draft" must be true or false, not "yes"`, "", "*"},
		{issue, `{"owner":"o","repo":"r","title":""}`, `"title" must have at least 1 character, not 0`, "", title},
		{issue, `{` + full + `,"labels":["a","b",3]}`, `"labels[2]" must be a string, not 3`, "", `{"labels[2]":{"type":"string"}}`},
		{issue, `{` + full + `,"labels":"a"}`, `"labels" must be an array, not "a"`, "", "*"},
		{issue, `{` + full + `,"labels":null}`, `"labels" must be an array, not null`, "", "*"},
		{issue, `{"owner":1,"repo":["r"],"state":"x","perPage":true,"y":1}`,
			`unknown "y"; also missing "title"; also "owner" must be a string, not 1; and 3 more`,
			`the arguments are "body", "assignees", "labels", "milestone", "owner", "repo", "title", "state", "draft", "perPage"`, title},

		{search, `{"query":"q","querys":["x"]}`, `unknown "querys"`, `did you mean "query"?`, "*"},
		{search, `{"query":"q","sort":"newst"}`, `"sort" must be one of newest, oldest, best_match, not "newst"`, `did you mean "newest"?`,
			`{"sort":{"enum":["newest","oldest","best_match"],"title":"Sort","type":"string","description":"How to sort."}}`},
		{search, `{"query":"q","max_results":"5"}`, `"max_results" must be an integer or null, not "5"`, "", `{"max_results":{"anyOf":[{"type":"integer"},{"type":"null"}],"default":null,"title":"Max Results"}}`},
		{search, `{"query":"q","filter":{"state":"opne"}}`, `"filter.state" must be one of open, closed, not "opne"`, `did you mean "open"?`, "*"},
		{strings.Replace(search, `"required": ["state"]`, `"required": ["sort"]`, 1), `{"query":"q","filter":{"sub":{"state":"open"}}}`, `missing "filter.sort"; also missing "filter.sub.sort"`, "", "*"},
		{search, `{"query":"q","filter":{"state":null,"sub":{"state":null,"min_stars":"x"}}}`, `"filter.sub.min_stars" must be an integer, not "x"`, "",
			`{"filter.sub.min_stars":{"default":0,"title":"Min Stars","type":"integer"}}`},
		{search, `{"query":"q","ids":[1,"2"]}`, `"ids[1]" must be an integer, not "2"`, "", `{"ids[1]":{"type":"integer"}}`},

		{chart, `{"data":[]}`, `"data" must have at least 1 item, not 0`, "", "*"},
		{chart, `{"data":[{"category":"a","value":0}]}`, `"data[0].value" must be more than 0, not 0`, "", `{"data[0].value":{"type":"number","exclusiveMinimum":0}}`},
		{chart, `{"data":[{"categori":"a","value":1}]}`, `unknown "data[0].categori"; also missing "data[0].category"`, `did you mean "category"?`, "*"},
		{chart, `{"data":[{"category":"a","value":1}],"shape":{"type":"square","r":1}}`, `missing "shape.side"`, "", "*"},
		{chart, `{"data":[{"category":"a","value":1}],"shape":{"type":"round"}}`, `"shape.type" must be one of circle, square, not "round"`, "", `{"shape.type":{"const":"circle"}}`},
		{chart, `{"data":[{"category":"a","value":1}],"shape":7}`, `"shape" must be an object, not 7`, "", "*"},
		{chart, `{"data":[{"category":"a","value":1}],"theColourOfTheBackgroundAndTheGrid":"red"}`, `"theColourOfTheBackgroundAndTheGrid" must match the pattern ^#[0-9a-f]{6}$, not "red"`, "", "*"},
		{chart, `{"data":[{"category":"a","value":1}],"fooBar":true}`, `"fooBar" must be a number, a string or null, not true`, "", "*"},

		{`{"type":"object","properties":{},"additionalProperties":false}`, `{"x":1}`, `unknown "x"`, "the tool takes no arguments", ""},
		{`{"minProperties":1}`, `{}`, `the arguments must have at least 1 member, not 0`, "", ""},
		{`{"properties":{"a":{"uniqueItems":true}}}`, `{"a":[1,2,1]}`, `"a" has the same item twice: [0] and [2]`, "", "*"},
		{`{"properties":{"a":{},"b":{}},"dependentRequired":{"a":["b"]}}`, `{"a":1}`, `"a" needs "b" with it`, "", ""},
		{`{"properties":{"a":{}},"required":["b"]}`, `{}`, `missing "b"`, "", ""},
		{`{"properties":{"a":{}},"unevaluatedProperties":false}`, `{"other":1}`, `unknown "other"`, `the arguments are "a"`, ""},
		{`{"properties":{"a":false}}`, `{"a":1}`, `"a" is not allowed`, "", "*"},
		{`{"properties":{"a":{"not":{"type":"null"}}}}`, `{"a":null}`, `"a" must not be null`, "", "*"},
		{`{"properties":{"a":{"multipleOf":0.5}}}`, `{"a":0.3}`, `"a" must be a multiple of 0.5, not 0.3`, "", "*"},
		{`{"properties":{"a":{"oneOf":[{"type":"number"},{"type":"integer"}]}}}`, `{"a":1}`, `"a" fits more than one of the forms that it can have`, "leave out what belongs to another form", "*"},
		{`{"properties":{"a\u001b[1m\u202e":{"type":"string"}}}`, `{"a\u001b[1m\u202e":1}`, `"a" must be a string, not 1`, "", "*"},

		{issue, ``, `the arguments are empty`, `write {} for none`, ""},
		{issue, `[1]`, `the arguments are an array`, `they are one JSON object`, ""},
		{issue, `{"title":"x"`, `the arguments are not JSON: it ends too early (at byte 13)`, "", ""},
		{issue, `{"title":"x",}`, `the arguments are not JSON: unexpected '}' instead of a name in double quotes (at byte 14)`, "", ""},
		{issue, `{'title':"x"}`, `the arguments are not JSON: unexpected '\'' instead of a name in double quotes (at byte 2)`, "", ""},
		{issue, "{\"title\":\"a\nb\"}", `the arguments are not JSON: a string holds a raw control character: write \n for a line end (at byte 12)`, "", ""},
		{issue, "{\"title\":\"\xff\"}", `the arguments are not JSON: a string is not valid UTF-8 (at byte 13)`, "", ""},
		{issue, `{"title":"x"} {}`, `the arguments are not JSON: something follows its end (at byte 15)`, "", ""},
		{``, `{"a":{"b":1,"b":2}}`, `the arguments are not JSON: "b" is in it twice (at byte 17)`, "", ""},
		{``, `{"a":1e1000000}`, `the arguments are not JSON: a number has too many digits (at byte 15)`, "", ""},
		{``, strings.Repeat("[", 2000), `the arguments are not JSON: it is nested more than 1000 levels deep (at byte 1001)`, "", ""},
	} {
		checkError(t, c.args, compile(c.schema).Check([]byte(c.args)), c.what, c.hint, c.part)
	}
}

// TestWhatFlagsGaveIsNamedSo names a fault as the command line has it.
func TestWhatFlagsGaveIsNamedSo(t *testing.T) {
	s := compile(`{"properties":{"head":{"type":"number"},"perPage":{"type":"integer"},"place":{"enum":["Rome","Oslo"]},"labels":{"type":"array","items":{"type":"integer"}},"filter":{"type":"object","properties":{"n":{"type":"integer"}}}}}`)
	for _, c := range []struct {
		words []Word
		want  string
	}{
		{line("--head", "two"), `--head must be a number, not "two"`},
		{line("--per-page=x"), `--per-page must be an integer, not "x"`},
		{line("--place", "Paris"), `--place must be one of Rome, Oslo, not "Paris"`},
		{line("--label", "1", "--label", "b"), `--label[1] must be an integer, not "b"`},
		{line("--filter.n", "x"), `--filter.n must be an integer, not "x"`},
		{line("--filter", `{"n":"x"}`), `--filter.n must be an integer, not "x"`},
		{line(`{"head":"two"}`), `"head" must be a number, not "two"`},
		{line(`{"head":"two"}`, "--place", "Rome"), `"head" must be a number, not "two"`},
	} {
		args, err := s.Parse(c.words)
		fstest.Must(t, err)
		if err := s.Check(args, c.words...); err == nil || err.Error() != c.want {
			t.Errorf("%v: %v, want %s", c.words, err, c.want)
		}
	}
}

func TestCheckIsRepeatable(t *testing.T) {
	s := compile(issue)
	args := []byte(`{"z":1,"y":2,"x":3,"owner":1,"repo":2,"labels":[1,2,3,"4",5],"state":"x","draft":1}`)
	first := s.Check(args).Error()
	for range 50 {
		if again := s.Check(args).Error(); again != first {
			t.Fatalf("%s\nbecame\n%s", first, again)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	for _, schema := range []string{issue, search, chart} {
		s := compile(schema)
		want := map[string]string{}
		for _, args := range []string{`{}`, `{"query":1}`, `{"title":7,"owner":"o"}`, `{"data":[{}]}`} {
			want[args] = fmt.Sprint(s.Check([]byte(args)))
		}
		help := s.Help()
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				for range 20 {
					for args, text := range want {
						fstest.Equal(t, fmt.Sprint(s.Check([]byte(args))), text, args)
					}
					if _, err := s.Parse(line("--query=x", "--title=x", "--data=[]")); err == nil {
						t.Error("a flag of another tool is taken")
					}
					fstest.Equal(t, s.Help(), help, "another help")
				}
			})
		}
		group.Wait()
	}
}

// TestFits checks results, which are any values.
func TestFits(t *testing.T) {
	const weather = `{"type":"object","properties":{"degrees":{"type":"number"},"at":{"type":"array","items":{"type":"string"}}},"required":["degrees"]}`
	for _, c := range []struct{ schema, value, want string }{
		{weather, `{"degrees":3.5,"more":true}`, ""},
		{weather, `{"degrees":"cold"}`, `"degrees" must be a number, not "cold"`},
		{weather, `{"at":[1]}`, `missing "degrees"; also "at[0]" must be a string, not 1`},
		{weather, `[1]`, "the result must be an object, not an array"},
		{weather, `"x"`, `the result must be an object, not "x"`},
		{`{"type":"array","items":{"type":"integer"}}`, `[1,2]`, ""},
		{`{"type":"array","items":{"type":"integer"}}`, `[1,"2"]`, `"[1]" must be an integer, not "2"`},
		{`{"type":"object","properties":{"a":{}},"additionalProperties":false}`, `{"b":1}`, `unknown "b"`},
		{`{"$ref":"https://example.com/x"}`, `{"b":1}`, ""},
		{``, `{"b":1}`, ""},
		{weather, `{`, "the result is not JSON: it ends too early (at byte 2)"},
	} {
		got := ""
		if err := compile(c.schema).Fits([]byte(c.value), "the result"); err != nil {
			got = err.(*Error).What // its hint is for arguments
		}
		fstest.Equal(t, got, c.want, c.schema, c.value)
	}
}
