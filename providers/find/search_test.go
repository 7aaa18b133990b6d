package find

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

// someTools are of a few servers as they are everywhere.
func someTools() []fs.Document {
	return []fs.Document{
		toolDocument("github", "", "create_issue", "Create a new issue in a GitHub repository.", []parameter{{"title", "Issue title"}, {"labels", "Labels to apply"}}),
		toolDocument("github", "", "list_issues", "List issues in a repository with filters.", []parameter{{"state", "open or closed"}}),
		toolDocument("github", "", "mergePullRequest", "Merge a pull request.", []parameter{{"pull_number", ""}}),
		toolDocument("github", "", "search_code", "Search for code across repositories.", nil),
		toolDocument("files", "", "read_file", "Read the contents of a file. Large files are cut.", []parameter{{"path", "Path of the file"}}),
		toolDocument("files", "", "remove_file", "Removes a file.", []parameter{{"path", "Path of the file"}}),
		toolDocument("files", "", "write_file", "Write text to a file, replacing what is there.", []parameter{{"path", ""}, {"content", ""}}),
		toolDocument("browser", "", "take_screenshot", "Take a screenshot of the page.", nil),
		toolDocument("browser", "", "navigate", "Go to an address.", []parameter{{"url", "Address of the page"}}),
		toolDocument("charts", "", "generate_word_cloud", "Draw how often words occur.", nil),
		toolDocument("weather", "", "天气查询", "查询城市的天气预报。", []parameter{{"城市", "哪个城市"}}),
		{Path: "skills/pdf-forms/SKILL.md", Title: "pdf-forms", Fields: map[string]string{
			"name": "pdf-forms", "description": "Fill PDF forms. Use when a form is to be filled.", "body": "Open the café menu first."}},
	}
}

func someIndex() *index {
	x := newIndex()
	x.Update("", slices.Values(someTools()))
	return x
}

func TestFirstMatch(t *testing.T) {
	x := someIndex()
	for _, test := range []struct{ query, first string }{
		{"create issue", "github/create_issue"},
		{"createIssue", "github/create_issue"},
		{"CREATE_ISSUE", "github/create_issue"},
		{`"create issue"`, "github/create_issue"},
		{"file a new ticket for this bug", "github/create_issue"}, // synonyms
		{"delete a file", "files/remove_file"},
		{"show all open issues", "github/list_issues"},
		{"merge pr", "github/mergePullRequest"},
		{"merge the pullrequest", "github/mergePullRequest"}, // joined
		{"wordcloud", "charts/generate_word_cloud"},          // apart
		{"creat isue", "github/create_issue"},                // misspelt
		{"tkae a screnshot", "browser/take_screenshot"},
		{"screensh", "browser/take_screenshot"}, // only begun
		{"天气", "weather/天气查询"},
		{"我想知道城市天气", "weather/天气查询"},
		{"Please tell me what is in /home/me/notes.txt", "files/read_file"},
		{"save the report to ~/report.txt", "files/write_file"},
		{"open https://example.org/some/long/path.html", "browser/navigate"},
		{"fill a form", "pdf-forms"},
		{"cafe", "pdf-forms"}, // accents and body
		{"what about it?", ""},
		{"labels", "github/create_issue"}, // a parameter
		{"", ""},
		{"/", ""},
		{"zzzzqqqq", ""},
	} {
		got := ""
		if all := x.Search(test.query, Options{Limit: 3}); len(all) > 0 {
			got = all[0].Title
		}
		fstest.Equal(t, got, test.first, "finds", test.query)
	}
}

func TestOptions(t *testing.T) {
	x := someIndex()
	for _, m := range x.Search("file", Options{In: "mcps/files"}) {
		if !strings.HasPrefix(m.Path, "mcps/files/") {
			t.Errorf("in mcps/files there is %s", m.Path)
		}
	}
	if got := x.Search("file", Options{In: "mcps/file"}); len(got) > 0 {
		t.Errorf("mcps/file is no folder, and has %v", got)
	}
	if got := x.Search("ghcris", Options{In: "skills"}); len(got) > 0 {
		t.Errorf("names found outside the folder: %v", got)
	}
	if got := x.Search("file", Options{Limit: 2}); len(got) != 2 {
		t.Errorf("a limit of 2 gives %d", len(got))
	}
	if all, none := x.Search("file", Options{}), newIndex().Search("file", Options{}); len(all) < 3 || len(none) > 0 {
		t.Errorf("no limit gives %d, an empty index %d", len(all), len(none))
	}
}

func TestWhyIsOneCleanLine(t *testing.T) {
	x := newIndex()
	x.Update("", slices.Values([]fs.Document{toolDocument("s", "", "go", "First \x1b[31mline\u202e\nof it. Second.", nil)}))
	m := x.Search("go", Options{})
	if len(m) != 1 || m[0].Why != "First line of it." {
		t.Errorf("%+v", m)
	}
}

// TestEqualMatchesStandByPath also holds for whatever order they came in.
func TestEqualMatchesStandByPath(t *testing.T) {
	var docs []fs.Document
	for i := range 20 {
		docs = append(docs, toolDocument(fmt.Sprintf("s%02d", i), "", "same", "The same everywhere.", nil))
	}
	x := newIndex()
	x.Update("", slices.Values(docs[10:]))
	x.Update("mcps/s00", slices.Values(docs[:1]))
	slices.Reverse(docs)
	x.Update("", slices.Values(docs))
	paths := []string{}
	for _, m := range x.Search("same", Options{}) {
		paths = append(paths, m.Path)
	}
	if len(paths) != 20 || !slices.IsSorted(paths) {
		t.Errorf("%q", paths)
	}
}

func FuzzSearch(f *testing.F) {
	x := someIndex()
	for _, q := range []string{"create issue", "/etc/passwd x@y.zz https://", "\"a\" 'b c' “d", "\xff\xfe", "天気 の 予報", "A1B2C3", "..", strings.Repeat("ab ", 3000), strings.Repeat("x", 5000), "e\u0301\u0301"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, query string) {
		got := x.Search(query, Options{Limit: 5})
		if len(got) > 5 || !reflect.DeepEqual(got, x.Search(query, Options{Limit: 5})) {
			t.Errorf("%q finds one thing and then another", query)
		}
		for i, m := range got {
			if math.IsNaN(m.Score) || m.Score <= 0 || i > 0 && m.Score > got[i-1].Score {
				t.Errorf("%q: score %v at %d", query, m.Score, i)
			}
		}
	})
}
