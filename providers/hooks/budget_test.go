package hooks

import (
	"fmt"
	"strings"
	"testing"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
)

// TestBudget: what exceeds the budget waits for the next moment; the lowest rank comes
// first, and one long text alone is cut.
func TestBudget(t *testing.T) {
	w := newWorld(t, "[hooks]\nbudget = 100\nsession_budget = 300\n")
	long := strings.Repeat("word ", 60)
	w.hook("claude-code", "SessionStart", "")
	w.at[facts.Prompted] = []facts.News{
		{Kind: facts.NewsTasks, Key: "1", Rank: facts.Reminding, Text: "late"},
		{Kind: facts.NewsChanges, Key: "1", Rank: facts.Behind, Text: "B " + long},
		{Kind: facts.NewsServers, Key: "1", Rank: facts.Blocking, Text: "A " + long},
	}
	text := w.hook("claude-code", "UserPromptSubmit", "")
	if !strings.Contains(text, "A word") || strings.Contains(text, "B word") || !strings.Contains(text, "late") {
		t.Errorf("first: %s", text)
	}
	fstest.Contains(t, w.hook("claude-code", "UserPromptSubmit", ""), "B word")
	w.at[facts.Prompted] = []facts.News{{Kind: facts.NewsChanges, Key: "2", Text: "C " + strings.Repeat("word ", 500)}}
	if text := w.hook("claude-code", "UserPromptSubmit", ""); !strings.Contains(text, "C word") || len(text) > 800 {
		t.Errorf("a long one: %s", text)
	}
	w.at[facts.Prompted] = []facts.News{{Kind: facts.NewsChanges, Key: "3", Text: "D " + long}}
	fstest.Equal(t, w.hook("claude-code", "UserPromptSubmit", ""), "", "after all that a session is told")
	costs, err := w.Costs(t.Context(), fs.None{})
	if c := costs.Kinds["changes"]; err != nil || c.Times != 2 || c.Tokens < 100 || len(costs.Recent) != 3 {
		t.Errorf("%+v, %v", costs, err)
	}
	w.restart()
	again, _ := w.Costs(t.Context(), fs.None{})
	fstest.Equal(t, fmt.Sprint(again), fmt.Sprint(costs), "after a restart", again, costs)
}

// TestSettings: what is switched off is not said, and mistakes are named.
func TestSettings(t *testing.T) {
	w := newWorld(t, "[hooks]\noff = [\"notes\", \"notez\"]\nstart = \"agents\"\nbudget = -1\ntimeout = \"soon\"\nstrat = 1\n")
	var all []string
	for _, p := range w.Problems() {
		all = append(all, p.What)
	}
	fstest.Contains(t, strings.Join(all, "\n"), `probably "notes"`, "budget", "timeout", "strat")
	if len(all) == 1 { // an unknown key leaves the table out
		w = newWorld(t, "[hooks]\noff = [\"notes\"]\nstart = \"agents\"\n")
	}
	w.at[facts.SessionStarts] = []facts.News{{Kind: facts.NewsStart, Key: "1", Text: "HERE PAGE"}, {Kind: facts.NewsNotes, Key: "1", Text: "NOTE"}}
	if text := w.hook("claude-code", "SessionStart", ""); !strings.Contains(text, "AGENTS PAGE") || strings.Contains(text, "HERE PAGE") || strings.Contains(text, "NOTE") {
		t.Error(text)
	}
	for _, config := range []string{"[hooks]\nenabled = false\n", "[hooks]\nstart = \"none\"\noff = [\"notes\"]\n"} {
		w := newWorld(t, config)
		w.at[facts.SessionStarts] = []facts.News{{Kind: facts.NewsStart, Key: "1", Text: "HERE PAGE"}}
		fstest.Equal(t, w.hook("claude-code", "SessionStart", ""), "", config)
	}
}

// TestEachKindOff: one line switches off each kind of news and nothing else, also what is
// refused or replaced; what is said fits the budget of a message, and all is counted.
func TestEachKindOff(t *testing.T) {
	kinds := facts.NewsKinds()
	for _, off := range kinds {
		w := newWorld(t, "[hooks]\nbudget = 600\noff = [\""+string(off)+"\"]\n")
		for _, kind := range kinds {
			w.at[facts.Prompted] = append(w.at[facts.Prompted], facts.News{Kind: kind, Key: "1", Text: "the " + string(kind) + " one"})
		}
		text := w.hook("claude-code", "UserPromptSubmit", "")
		costs, _ := w.Costs(t.Context(), fs.None{})
		for _, kind := range kinds {
			if is := strings.Contains(text, "the "+string(kind)+" one"); is == (kind == off) || costs.Kinds[string(kind)].Times == 0 != (kind == off) {
				t.Errorf("off is %s, %s: said %v, counted %+v", off, kind, is, costs.Kinds[string(kind)])
			}
		}
		spent := costs.Recent[0].Tokens - costs.Kinds["results"].Tokens // outputs are no part of the budget
		if costs.Tokens == 0 || costs.Tokens > 600 || costs.Tokens != spent {
			t.Errorf("%s: %+v", off, costs)
		}
		w.at[facts.BeforeTool] = []facts.News{{Kind: facts.NewsStale, Key: "2", Refuse: true, Text: "it changed"}}
		w.at[facts.AfterTool] = []facts.News{{Kind: facts.NewsResults, Key: "2", Instead: "SHORT"}}
		if text := w.hook("claude-code", "PreToolUse", `,"tool_name":"Edit"`); strings.Contains(text, "deny") == (off == facts.NewsStale) {
			t.Errorf("%s: %s", off, text)
		}
		if text := w.hook("claude-code", "PostToolUse", `,"tool_name":"Bash","tool_response":{"stdout":"long"}`); strings.Contains(text, "SHORT") == (off == facts.NewsResults) {
			t.Errorf("%s: %s", off, text)
		}
	}
}
