package find

import (
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/fs"
)

// documented is a provider of documents.
type documented []fs.Document

func (d documented) Documents(string) iter.Seq[fs.Document] { return slices.Values(d) }
func (documented) Root() fs.Dir                             { return nil }
func (documented) Status() fs.Status                        { return fs.Status{} }
func (documented) Close() error                             { return nil }

// TestNews: at a message the agent is told of what is surely meant, and of nothing that it
// has used or that its agent shows it.
func TestNews(t *testing.T) {
	docs := documented{
		fs.Document{
			Path: "hub/tools/create_issue.json", Title: "hub/create_issue", Kind: "tool", Signature: "hub/create_issue(title, body?)", Use: "ctxfs call hub create_issue --title …",
			Known: []string{"cursor"}, Fields: map[string]string{"name": "create_issue", "description": "Create an issue in a repository."},
		},
		fs.Document{Path: "hub/tools/list_files.json", Title: "hub/list_files", Kind: "tool", Signature: "hub/list_files()", Use: "ctxfs call hub list_files", Fields: map[string]string{"name": "list_files", "description": "Lists files."}},
	}
	f := NewFinder(time.Now, nil)
	f.SetSources([]Source{{"mcps", docs}})
	defer f.Close()
	at := fs.Moment{Kind: fs.Prompted, Agent: "codex", Session: "s1", Time: time.Now(), Prompt: "Please create an issue in the repository. Thanks a lot!"}
	tells := func(m fs.Moment) string {
		t.Helper()
		var all []string
		for _, n := range f.News(t.Context(), m) {
			if n.Kind != fs.NewsFinding || n.Key == "" || n.Rank != fs.Helpful || n.Refuse || n.Instead != "" {
				t.Errorf("%+v", n)
			}
			all = append(all, n.Text)
		}
		return strings.Join(all, "\n")
	}
	const want = "A tool may help: hub/create_issue(title, body?) — Create an issue in a repository. Call: ctxfs call hub create_issue --title …"
	if got := tells(at); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for what, change := range map[string]func(m *fs.Moment){
		"an agent that has the server":       func(m *fs.Moment) { m.Agent = "cursor" },
		"a message that wants nothing":       func(m *fs.Moment) { m.Prompt = "Yes, go ahead." },
		"what was pasted":                    func(m *fs.Moment) { m.Prompt = "```\ncreate an issue in the repository\n```" },
		"nothing":                            func(m *fs.Moment) { m.Prompt = "" },
		"another moment":                     func(m *fs.Moment) { m.Kind = fs.SessionStarts },
		"a call of which nothing is known":   func(m *fs.Moment) { m.Kind = fs.AfterTool },
		"something that has not these words": func(m *fs.Moment) { m.Prompt = "Paint the garden fence green." },
	} {
		m := at
		change(&m)
		if got := tells(m); got != "" {
			t.Errorf("%s: %s", what, got)
		}
	}

	uses := []fs.AgentCall{
		{Tool: "Bash", Command: "cd x && ctxfs call hub create_issue --title y"},
		{Tool: "Bash", Command: "ctxfs call hub/create_issue"},
		{Tool: "Bash", Command: "cat ~/.agentctx/mcps/hub/tools/create_issue.json | jq ."},
		{Tool: "Read", Input: json.RawMessage(`{"file_path":"/home/u/.agentctx/mcps/hub/tools/create_issue.json"}`)},
		{Tool: "list_files", Server: "hub"},
	}
	for i, call := range uses {
		m := at
		m.Session = strings.Repeat("x", i+2)
		used := m
		used.Kind, used.Call = fs.AfterTool, &call
		tells(used)
		if got := tells(m); got != "" {
			t.Errorf("after %+v: %s", call, got)
		}
		m.Session = "other"
		if got := tells(m); got != want {
			t.Errorf("another session: %q", got)
		}
	}
	for i := range 2 * mostMet { // what is remembered is bounded
		m := at
		m.Kind, m.Session, m.Call = fs.AfterTool, strings.Repeat("y", i+1), &uses[0]
		tells(m)
	}
	if n := len(f.met.sessions); n != mostMet {
		t.Errorf("%d sessions are remembered", n)
	}
}
