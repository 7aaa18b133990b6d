package stats

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"reflect"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
)

// world is what a counter in a test is told.
type world struct {
	costs   []facts.Cost
	calls   []facts.ToolCalls
	filed   []facts.StoredResults
	spent   []facts.Part[facts.Calls]
	page    string
	err     error
	asked   facts.CallsQuery
	options Options
}

func (w *world) count(t *testing.T, q Query) Report {
	t.Helper()
	w.options = Options{
		Costs: func(context.Context, string) ([]facts.Cost, error) { return w.costs, w.err },
		Calls: func(_ context.Context, q facts.CallsQuery) ([]facts.ToolCalls, error) {
			w.asked = q
			return w.calls, w.err
		},
		Spent: func(context.Context, func(string) string) iter.Seq[facts.Part[facts.Calls]] {
			return func(yield func(facts.Part[facts.Calls]) bool) {
				for _, p := range w.spent {
					if !yield(p) {
						return
					}
				}
			}
		},
		Page:      func(context.Context) (string, error) { return w.page, w.err },
		Stored:    func(context.Context, facts.CallsQuery) ([]facts.StoredResults, error) { return w.filed, w.err },
		Told:      func(context.Context) (int, int, error) { return 4, 400, w.err },
		ProjectOf: func(dir string) string { return dir },
		Cache:     t.TempDir(), Now: func() time.Time { return time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC) },
	}
	r, err := New(w.options).count(t.Context(), q)
	fstest.Must(t, err)
	return r
}

func TestStatic(t *testing.T) {
	w := &world{
		page: "# Context\n\nServers (tools): github (12), notes\n\n- pdf — Reads PDF files.\n",
		costs: []facts.Cost{
			{Kind: facts.RuleCost, Name: "~/CLAUDE.md", Agents: []string{"claude-code"}, Tokens: 50},
			{Kind: facts.RuleCost, Name: "~/AGENTS.md", Agents: []string{"codex"}, Tokens: 40},
			{Kind: facts.SkillCost, Name: "pdf", Agents: []string{"claude-code", "codex"}, Tokens: 9},
			{Kind: facts.ServerCost, Name: "notes", Agents: []string{"cursor"}, Tokens: 100, Count: 2},
			{Kind: facts.ServerCost, Name: "github", Tokens: 5000, Count: 12},
			{Kind: facts.ServerCost, Name: "new", Unknown: "it was never started"},
		},
		spent: []facts.Part[facts.Calls]{{Name: "a", Version: "1", Agent: "claude-code", Facts: facts.Pack([]facts.ModelCall{
			{Model: "claude-sonnet-4-5", Tokens: facts.Tokens{Input: 100}, Time: time.Date(2026, 11, 22, 1, 0, 0, 0, time.UTC)},
			{Model: "nobody-knows-1", Tokens: facts.Tokens{Input: 1000}},
		})}},
	}
	s := w.count(t, Query{Sections: []Section{Static}}).Static
	if s.Agent != "claude-code" || s.Injected != 5159 || s.Page < 20 || s.Page > 40 || s.Tree != s.Page+100 {
		t.Errorf("%+v", s)
	}
	var names []string
	for _, i := range s.Items {
		names = append(names, i.Name)
		if named := i.Name == "github" || i.Name == "notes" || i.Name == "pdf"; (i.Tree > 0) != named || i.Tree > 12 {
			t.Errorf("%s is %d tokens of the page", i.Name, i.Tree)
		}
	}
	fstest.Equal(t, strings.Join(names, " "), "github notes new pdf ~/CLAUDE.md")
	if got := s.Kinds[0]; got.Items != 3 || got.Unknown != 1 || got.Count != 14 || got.Tokens != 5100 {
		t.Errorf("servers: %+v", got)
	}
	if m := s.Money; m == nil || m.Model != "claude-sonnet-4-5" || m.Input != 3 || m.Injected != 5159*3/1e6 || m.InjectedCached >= m.Injected || m.Requests != 2 || m.Saved <= 0 {
		t.Errorf("money: %+v", m)
	}
	if m := w.count(t, Query{Sections: []Section{Static}, Since: "2026-11-23", Zone: "UTC"}).Static.Money; m == nil || m.Input != 3 || m.Requests != 0 {
		t.Errorf("money without a request: %+v", m)
	}
	if got := w.count(t, Query{Sections: []Section{Static}, Agent: "codex"}).Static; got.Agent != "codex" || got.Injected != 5049 {
		t.Errorf("codex: %+v", got)
	}
	if got := w.count(t, Query{Sections: []Section{Static}, Server: "github"}).Static; got.Injected != 5000 {
		t.Errorf("github: %+v", got)
	}
	w.costs, w.spent = nil, nil
	if got := w.count(t, Query{}).Static; got.Injected != 0 || got.Money != nil || got.Agent != "" || got.Items == nil {
		t.Errorf("nothing: %+v", got)
	}
}

func TestCalls(t *testing.T) {
	w := &world{costs: []facts.Cost{{Kind: facts.ServerCost, Name: "a"}}, calls: []facts.ToolCalls{
		{Server: "a", Tool: "x", Calls: 2, Failed: 1, Total: 30, Bytes: 5, Filed: 1, FiledBytes: 4},
		{Server: "a", Tool: "y", Calls: 7, Total: 10, Bytes: 6},
	}}
	r := w.count(t, Query{Sections: []Section{Calls}, Zone: "Europe/Berlin", Since: "2026-10-24", Until: "2026-10-25", Server: "a", Agent: "codex", Project: "/p"})
	if c := r.Calls; c.Calls != 9 || c.Failed != 1 || c.Total != 40 || c.Bytes != 11 || c.Filed != 1 || c.FiledBytes != 4 || c.Tools[0].Tool != "y" {
		t.Errorf("%+v", c)
	}
	if r.Static != nil || r.Spending != nil {
		t.Error("what nobody asked for")
	}
	// The night in which summer time ends is in it, with its 25 hours.
	want := facts.CallsQuery{Since: time.Date(2026, 10, 23, 22, 0, 0, 0, time.UTC), Until: time.Date(2026, 10, 25, 23, 0, 0, 0, time.UTC), Server: "a", Agent: "codex", Project: "/p"}
	got := w.asked
	got.Since, got.Until = got.Since.UTC(), got.Until.UTC()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("asked for %+v", got)
	}
}

func TestFiles(t *testing.T) {
	w := &world{filed: []facts.StoredResults{{Source: "hook", Files: 1, Bytes: 10}, {Source: "call", Server: "a", Tool: "x", Files: 2, Bytes: 4000}}}
	if f := w.count(t, Query{Sections: []Section{Files}}).Files; f.Files != 3 || f.Bytes != 4010 || f.Tokens != 1002 || f.Results[0].Source != "call" {
		t.Errorf("%+v", f)
	}
}

// TestHostile: nothing that a log says reaches a terminal as it is.
func TestHostile(t *testing.T) {
	const evil = "a\x1b]0;x\x07b\n\u202ec"
	w := &world{spent: []facts.Part[facts.Calls]{{Name: "p", Version: "1", Agent: evil, Session: evil, Title: evil, Dir: "/" + evil, Path: evil, Facts: facts.Pack([]facts.ModelCall{
		{Model: evil, Tokens: facts.Tokens{Input: 5}},
	})}}}
	text, err := json.Marshal(w.count(t, Query{}))
	if err != nil || strings.Contains(string(text), `\u001b`) || strings.Contains(string(text), "\u202e") || strings.Contains(string(text), `\n`) || !strings.Contains(string(text), "unknown_models") {
		t.Errorf("%s, %v", text, err)
	}
}

func TestProblems(t *testing.T) {
	w := &world{err: errors.New("no\x1b[1m disk")}
	r := w.count(t, Query{})
	if len(r.Problems) != 5 || strings.Contains(strings.Join(r.Problems, ""), "\x1b") || r.Static == nil || r.Calls == nil {
		t.Errorf("%+v", r)
	}
	c := New(w.options)
	for _, q := range []Query{{Zone: "Nowhere/At\nall"}, {Zone: "UTC", Since: "soon"}, {Zone: "UTC", Until: "2026-13-01"}} {
		if _, err := c.count(t.Context(), q); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v", q, err)
		}
	}
	w = &world{costs: []facts.Cost{{Kind: facts.ServerCost, Name: "github"}}}
	if r := w.count(t, Query{Agent: "claude-cod", Server: "gitub"}); len(r.Problems) != 2 || !strings.Contains(r.Problems[0], `did you mean "claude-code"?`) || !strings.Contains(r.Problems[1], `did you mean "github"?`) {
		t.Errorf("misspelt: %q", r.Problems)
	}
	if r := w.count(t, Query{Agent: "codex", Server: "github"}); len(r.Problems) != 0 {
		t.Errorf("known: %q", r.Problems)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := c.count(ended, Query{}); err == nil {
		t.Error("it answers when nobody waits")
	}
}
