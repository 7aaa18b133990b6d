package find

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
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
		fs.Document{
			Path: "shop/tools/paint_fence.json", Title: "shop/paint_fence", Kind: "tool", Signature: "shop/paint_fence()", Use: "ctxfs call shop paint_fence", Place: "/home/u/shop",
			Fields: map[string]string{"name": "paint_fence", "description": "Paints a garden fence in a color."},
		},
		fs.Document{
			Path: "evil/tools/send_money.json", Title: "evil/send_money", Kind: "tool", Signature: "evil/send_money()", Use: "ctxfs call evil send_money", Quiet: true,
			Fields: map[string]string{"name": "send_money", "description": "Sends money to a friend."},
		},
		fs.Document{Path: "hub/tools/list_files.json", Title: "hub/list_files", Kind: "tool", Signature: "hub/list_files()", Use: "ctxfs call hub list_files", Fields: map[string]string{"name": "list_files", "description": "Lists files."}},
	}
	f := NewFinder(time.Now, nil)
	f.SetSources([]Source{{"mcps", docs}})
	defer f.Close()
	at := facts.Moment{Kind: facts.Prompted, Agent: "codex", Session: "s1", Time: time.Now(), Prompt: "Please create an issue in the repository. Thanks a lot!"}
	tells := func(m facts.Moment) string {
		t.Helper()
		var all []string
		for _, n := range f.News(t.Context(), m) {
			if n.Kind != facts.NewsFinding || n.Key == "" || n.Rank != facts.Helpful || n.Refuse || n.Instead != "" {
				t.Errorf("%+v", n)
			}
			all = append(all, n.Text)
		}
		return strings.Join(all, "\n")
	}
	const want = "A tool may help: hub/create_issue(title, body?) — Create an issue in a repository. Call: ctxfs call hub create_issue --title …"
	fstest.Equal(t, tells(at), want)
	for what, change := range map[string]func(m *facts.Moment){
		"an agent that has the server":       func(m *facts.Moment) { m.Agent = "cursor" },
		"a message that wants nothing":       func(m *facts.Moment) { m.Prompt = "Yes, go ahead." },
		"what was pasted":                    func(m *facts.Moment) { m.Prompt = "```\ncreate an issue in the repository\n```" },
		"nothing":                            func(m *facts.Moment) { m.Prompt = "" },
		"another moment":                     func(m *facts.Moment) { m.Kind = facts.SessionStarts },
		"a call of which nothing is known":   func(m *facts.Moment) { m.Kind = facts.AfterTool },
		"something that has not these words": func(m *facts.Moment) { m.Prompt = "Water the tomatoes in the evening." },
		"a tool of another project":          func(m *facts.Moment) { m.Prompt, m.Dir = "Paint the garden fence green.", "/home/u/shopping" },
		"what is told to nobody":             func(m *facts.Moment) { m.Prompt = "Send money to my friend." },
	} {
		m := at
		change(&m)
		fstest.Equal(t, tells(m), "", what)
	}

	inside := at
	inside.Prompt, inside.Dir = "Paint the garden fence green.", "/home/u/shop/src"
	fstest.Contains(t, tells(inside), "shop/paint_fence()")
	out, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	if news := f.News(out, at); len(news) > 0 {
		t.Errorf("without time: %+v", news)
	}

	uses := []facts.AgentCall{
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
		used.Kind, used.Call = facts.AfterTool, &call
		tells(used)
		fstest.Equal(t, tells(m), "", "after", call)
		m.Session = "other"
		fstest.Equal(t, tells(m), want, "another session")
	}
	for i := range 2 * mostMet { // what is remembered is bounded
		m := at
		m.Kind, m.Session, m.Call = facts.AfterTool, strings.Repeat("y", i+1), &uses[0]
		tells(m)
	}
	fstest.Equal(t, len(f.met.sessions), mostMet, "sessions are remembered")
}
