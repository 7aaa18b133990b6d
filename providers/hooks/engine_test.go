package hooks

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
)

// source says what it is given, at the moments of a kind.
type source struct {
	mu   sync.Mutex
	at   map[facts.MomentKind][]facts.News
	last []facts.Moment
	do   func(ctx context.Context)
}

func (h *source) News(ctx context.Context, m facts.Moment) []facts.News {
	if h.do != nil {
		h.do(ctx)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last = append(h.last, m)
	return h.at[m.Kind]
}

// world is an engine with a source and a clock.
type world struct {
	testing.TB
	*Engine
	dir string
	now time.Time
	source
}

func newWorld(t testing.TB, config string) *world {
	w := &world{TB: t, dir: t.TempDir(), now: time.Date(2026, 5, 12, 1, 0, 0, 0, time.UTC)}
	w.at = make(map[facts.MomentKind][]facts.News)
	fstest.Must(t, os.WriteFile(filepath.Join(w.dir, "config.toml"), []byte(config), 0o600))
	w.restart()
	return w
}

// restart begins with what is on disk.
func (w *world) restart() {
	w.Engine = New(Options{
		Sources:  func() []facts.HookSource { return []facts.HookSource{&w.source} },
		Settings: filepath.Join(w.dir, "config.toml"), State: filepath.Join(w.dir, "state"),
		Root: func() string { return "/mnt" }, Now: func() time.Time { return w.now },
		Page:  func(context.Context) (string, error) { return "AGENTS PAGE", nil },
		Files: func(string, json.RawMessage) ([]string, string) { return []string{"a.go", "/b.go"}, "make" },
	})
}

// hook answers a hook and returns what is printed.
func (w *world) hook(agent, event, more string) string {
	w.Helper()
	w.now = w.now.Add(time.Second)
	out, err := w.Answer(w.Context(), Query{Agent: agent, Event: event, Dir: "/cwd", Input: []byte(`{"session_id":"s1"` + more + `}`)})
	if err != nil || out.Code != 0 || out.Err != "" {
		w.Fatalf("%+v, %v", out, err)
	}
	return out.Out
}

// TestTold: each piece of news is told to a session once, also after a restart, and to
// another session, or a subagent, again.
func TestTold(t *testing.T) {
	w := newWorld(t, "")
	w.at[facts.Prompted] = []facts.News{{Kind: facts.NewsChanges, Key: "1", Text: "one"}, {Kind: facts.NewsNotes, Key: "1", Text: "two"}}
	w.at[facts.AfterTool] = []facts.News{{Kind: facts.NewsRepeats, Key: "1", Text: "three"}}
	fstest.Contains(t, w.hook("claude-code", "UserPromptSubmit", ""), heading, `\none\ntwo"`)
	fstest.Equal(t, w.hook("claude-code", "UserPromptSubmit", ""), "", "again")
	w.restart()
	fstest.Equal(t, w.hook("claude-code", "UserPromptSubmit", ""), "", "after a restart")
	fstest.Contains(t, w.hook("claude-code", "PostToolUse", `,"agent_id":"sub","tool_name":"Bash"`), "three")
	fstest.Contains(t, w.hook("claude-code", "PostToolUse", `,"tool_name":"Bash"`), "three")
	fstest.Contains(t, w.hook("codex", "UserPromptSubmit", ""), "one")
	w.at[facts.Prompted] = append(w.at[facts.Prompted], facts.News{Kind: facts.NewsChanges, Key: "2", Text: "four"})
	if text := w.hook("claude-code", "UserPromptSubmit", ""); !strings.Contains(text, "four") || strings.Contains(text, "one") {
		t.Errorf("what is new: %s", text)
	}
}

// TestOneStart: a start of which several hooks tell, also those of other agents, is one; a
// later one, and one for another reason, is another.
func TestOneStart(t *testing.T) {
	w := newWorld(t, "")
	w.at[facts.SessionStarts] = []facts.News{{Kind: facts.NewsStart, Key: "1", Text: "START"}}
	w.at[facts.Prompted] = []facts.News{{Kind: facts.NewsNotes, Key: "1", Text: "NOTE"}}
	const startup = `,"source":"startup"`
	fstest.Contains(t, w.hook("copilot", "SessionStart", startup), "START")
	for _, agent := range []string{"claude-code", "copilot", "codex", "claude-code"} {
		fstest.Equal(t, w.hook(agent, "SessionStart", startup), "", agent)
	}
	if text := w.hook("claude-code", "UserPromptSubmit", ""); strings.Contains(text, "START") || !strings.Contains(text, "NOTE") {
		t.Errorf("with the message: %s", text)
	}
	fstest.Contains(t, w.hook("claude-code", "SessionStart", startup), "START")
	fstest.Contains(t, w.hook("claude-code", "SessionStart", `,"source":"clear"`), "START")
	w.now = w.now.Add(2 * sameStart)
	fstest.Contains(t, w.hook("claude-code", "SessionStart", `,"source":"clear"`), "START")
	fstest.Contains(t, w.hook("claude-code", "SessionStart", `,"session_id":"s2"`+startup), "START")
}

// TestResumed: a session that is resumed has been silent until its next message.
func TestResumed(t *testing.T) {
	w := newWorld(t, "")
	w.hook("claude-code", "UserPromptSubmit", "")
	last := w.now
	w.now = w.now.Add(6 * time.Hour)
	w.hook("claude-code", "SessionStart", `,"source":"resume"`)
	w.hook("claude-code", "UserPromptSubmit", "")
	if m := w.last[len(w.last)-1]; m.Kind != facts.Prompted || !m.Last.Equal(last) {
		t.Errorf("%s at %v, last %v", m.Kind, m.Time, m.Last)
	}
}

// TestCovered: what was told as a part of other news is known as told.
func TestCovered(t *testing.T) {
	w := newWorld(t, "")
	w.at[facts.Prompted] = []facts.News{{Kind: facts.NewsChanges, Key: "all", Covers: []string{"1", "2"}, Text: "both"}}
	fstest.Contains(t, w.hook("claude-code", "UserPromptSubmit", ""), "both")
	w.restart()
	w.at[facts.Prompted] = []facts.News{{Kind: facts.NewsChanges, Key: "1", Text: "one"}, {Kind: facts.NewsChanges, Key: "3", Text: "three"}}
	if text := w.hook("claude-code", "UserPromptSubmit", ""); strings.Contains(text, "one") || !strings.Contains(text, "three") {
		t.Errorf("what was covered: %s", text)
	}
	m := w.last[len(w.last)-1]
	if !m.Told(facts.NewsChanges, "2") || m.Told(facts.NewsChanges, "3") || m.Told(facts.NewsNotes, "2") {
		t.Error("sources are told something else of what was told")
	}
}

// TestPages: what a context begins with is told again when it is a new one.
func TestPages(t *testing.T) {
	w := newWorld(t, "")
	page := []facts.News{{Kind: facts.NewsStart, Key: "v1", Text: "THE PAGE\n- x is y"}, {Kind: facts.NewsMemory, Key: "v1", Text: "Remembered:\n- x is y\n- z"}}
	w.at[facts.SessionStarts], w.at[facts.Compacted] = page, page
	w.at[facts.Prompted] = []facts.News{{Kind: facts.NewsChanges, Key: "1", Text: "one"}}
	text := w.hook("claude-code", "SessionStart", `,"source":"startup"`)
	fstest.Contains(t, text, `THE PAGE\n- x is y\nRemembered:\n- z"`)
	fstest.Equal(t, w.hook("claude-code", "SessionStart", `,"source":"resume"`), "", "resumed")
	fstest.Contains(t, w.hook("claude-code", "UserPromptSubmit", ""), "one")
	for _, source := range []string{"compact", "clear", "startup"} {
		fstest.Contains(t, w.hook("claude-code", "SessionStart", `,"source":"`+source+`"`), "THE PAGE")
	}
	fstest.Equal(t, w.hook("claude-code", "UserPromptSubmit", ""), "", "what is no page is told again")
}

// TestOwed: where an agent has no event for a moment, or says nothing to its model then,
// the session is told at the next one that it reads.
func TestOwed(t *testing.T) {
	w := newWorld(t, "")
	w.at[facts.SessionStarts] = []facts.News{{Kind: facts.NewsStart, Key: "1", Text: "START"}}
	w.at[facts.Compacted] = []facts.News{{Kind: facts.NewsHistory, Key: "1", Text: "HISTORY"}}
	w.at[facts.Prompted] = []facts.News{{Kind: facts.NewsChanges, Key: "1", Text: "CHANGED"}}
	fstest.Contains(t, w.hook("opencode", "chat.message", `,"prompt":"p"`), "START", "CHANGED")

	fstest.Equal(t, w.hook("copilot", "userPromptSubmitted", `,"prompt":"fix it"`), "", "Copilot CLI drops")
	fstest.Contains(t, w.hook("copilot", "postToolUse", `,"toolName":"bash"`), "START", "CHANGED")
	if m := w.last[len(w.last)-2]; m.Kind != facts.Prompted || m.Prompt != "fix it" || m.Call != nil {
		t.Errorf("the moment of the message: %+v", m)
	}
	fstest.Equal(t, w.hook("copilot", "preCompact", ""), "", "before a compaction")
	w.restart()
	fstest.Contains(t, w.hook("copilot", "postToolUse", `,"toolName":"bash"`), "HISTORY")
	fstest.Equal(t, w.hook("copilot", "postToolUse", `,"toolName":"bash"`), "", "again")
	// Nothing of that disturbs an agent in the middle of its work.
	fstest.Equal(t, w.hook("claude-code", "PostToolUse", `,"tool_name":"Bash"`), "", "middle")
}

// TestMoment: sources are told what is known.
func TestMoment(t *testing.T) {
	w := newWorld(t, "")
	w.hook("claude-code", "SessionStart", `,"cwd":"/w","source":"startup"`)
	first := w.now
	w.hook("claude-code", "PreToolUse", `,"cwd":"/w","tool_name":"mcp__db__query","tool_input":{"a":1}`)
	m := w.last[len(w.last)-1]
	if m.Kind != facts.BeforeTool || m.Agent != "claude-code" || m.Session != "s1" || m.Dir != "/w" || m.Root != "/mnt" || !m.Last.Equal(first) || !m.Turn.Equal(first) {
		t.Errorf("%+v", m)
	}
	if c := m.Call; c.Server != "db" || c.Tool != "query" || !c.MayRefuse || c.Command != "make" || fmt.Sprint(c.Writes) != "[/w/a.go /b.go]" || string(c.Input) != `{"a":1}` {
		t.Errorf("%+v", c)
	}
	w.hook("claude-code", "UserPromptSubmit", "")
	if m := w.last[len(w.last)-1]; m.Dir != "/cwd" || !m.Turn.Equal(first) {
		t.Errorf("%+v", m)
	}
	second := w.now
	w.restart()
	w.hook("claude-code", "UserPromptSubmit", "")
	if m := w.last[len(w.last)-1]; !m.Turn.Equal(second) || m.Last.Before(first) {
		t.Errorf("after a restart: %+v", m)
	}
}

// TestRefuse: a call is refused once, and replaced where that is possible.
func TestRefuse(t *testing.T) {
	w := newWorld(t, "")
	w.at[facts.BeforeTool] = []facts.News{{Kind: facts.NewsNotes, Key: "1", Text: "a note"}, {Kind: facts.NewsStale, Key: "a.go@1", Refuse: true, Rank: facts.Blocking, Text: "it changed"}}
	w.at[facts.AfterTool] = []facts.News{{Kind: facts.NewsResults, Key: "1", Instead: "SHORT"}}
	edit := `,"tool_name":"Edit","tool_input":{"file_path":"/a"}`
	if text := w.hook("claude-code", "PreToolUse", edit); !strings.Contains(text, `"permissionDecisionReason":"ctxfs: it changed"`) || strings.Contains(text, "a note") {
		t.Error(text)
	}
	if text := w.hook("claude-code", "PreToolUse", edit); strings.Contains(text, "deny") || !strings.Contains(text, "a note") {
		t.Errorf("the second time: %s", text)
	}
	fstest.ContainsNot(t, w.hook("cline", "PreToolUse", `,"hookName":"PreToolUse","taskId":"s1","preToolUse":{"toolName":"write_to_file"}`), "it changed")
	fstest.Contains(t, w.hook("claude-code", "PostToolUse", `,"tool_name":"Bash","tool_response":{"stdout":"long"}`), `"stdout":"SHORT"`)
	fstest.Equal(t, w.hook("gemini", "AfterTool", `,"tool_name":"run_shell_command","tool_response":{"llmContent":"long"}`), "", "an agent that cannot replace")
}

// TestHostileHeralds: one that panics, or does not answer, costs its own news only, and
// what it says is made safe.
func TestHostileHeralds(t *testing.T) {
	w := newWorld(t, "")
	w.at[facts.Prompted] = []facts.News{{Kind: facts.NewsNotes, Key: "1", Text: "a\x1b[31m\u202ered token ghp_" + strings.Repeat("a1B2", 9)}}
	others := []facts.HookSource{&source{do: func(context.Context) { panic("no") }}, &source{do: func(ctx context.Context) { <-ctx.Done() }}, &w.source}
	w.opts.Sources = func() []facts.HookSource { return others }
	text := w.hook("claude-code", "UserPromptSubmit", "")
	if !strings.Contains(text, "token") || strings.Contains(text, "ghp_a1B2") || strings.ContainsAny(text, "\x1b\u202e") || strings.Contains(text, `\u001b`) {
		t.Error(text)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w.at[facts.Prompted] = []facts.News{{Kind: facts.NewsNotes, Key: "2", Text: "later"}}
	if _, err := w.Answer(ctx, Query{Agent: "claude-code", Event: "UserPromptSubmit", Input: []byte(`{"session_id":"s1"}`)}); err == nil {
		t.Error("an agent that has gone is answered")
	}
	others = others[2:]
	fstest.Contains(t, w.hook("claude-code", "UserPromptSubmit", ""), "later")
}

// TestAtOnce: several processes of one session are told a thing once together.
func TestAtOnce(t *testing.T) {
	w := newWorld(t, "")
	w.at[facts.Prompted] = []facts.News{{Kind: facts.NewsNotes, Key: "1", Text: "one"}}
	var all sync.WaitGroup
	told := make(chan string, 20)
	for range cap(told) {
		all.Go(func() {
			out, err := w.Answer(t.Context(), Query{Agent: "claude-code", Event: "UserPromptSubmit", Input: []byte(`{"session_id":"s1"}`)})
			if err != nil {
				t.Error(err)
			}
			told <- out.Out
		})
	}
	all.Wait()
	close(told)
	n := 0
	for text := range told {
		if text != "" {
			n++
		}
	}
	fstest.Equal(t, n, 1, "times")
}

// TestLedger: it is bounded, and what a kill or a full disk has left of it does no harm.
func TestLedger(t *testing.T) {
	w := newWorld(t, "")
	w.at[facts.Prompted] = []facts.News{{Kind: facts.NewsNotes, Key: "1", Text: "one"}}
	w.hook("claude-code", "UserPromptSubmit", "")
	path := filepath.Join(w.dir, "state", "told.jsonl")
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	fstest.Must(t, err)
	fmt.Fprint(f, `{"at":"2026-05-12T01:00:00Z","session":"claude-code/s1","to`)
	f.Close()
	w.restart()
	w.at[facts.Prompted] = append(w.at[facts.Prompted], facts.News{Kind: facts.NewsNotes, Key: "2", Text: "two"})
	if text := w.hook("claude-code", "UserPromptSubmit", ""); !strings.Contains(text, "two") || strings.Contains(text, "one") {
		t.Errorf("after half a line: %s", text)
	}
	w.restart()
	fstest.Equal(t, w.hook("claude-code", "UserPromptSubmit", ""), "", "again")

	w.ledger.mu.Lock()
	w.ledger.renew()
	w.ledger.mu.Unlock()
	w.restart()
	fstest.Equal(t, w.hook("claude-code", "UserPromptSubmit", ""), "", "after it was written anew")
	if c, _ := w.Costs(t.Context(), fs.None{}); c.Kinds["notes"].Times != 2 {
		t.Errorf("%+v", c)
	}
	w.now = w.now.Add(2 * maxAge)
	w.ledger.mu.Lock()
	w.ledger.renew()
	w.ledger.mu.Unlock()
	fstest.Contains(t, w.hook("claude-code", "UserPromptSubmit", ""), "one")

	fstest.Must(t, os.WriteFile(path, []byte("no JSON\n"), 0o600))
	w.restart()
	fstest.Contains(t, w.hook("claude-code", "UserPromptSubmit", ""), "one")
	w.restart()
	fstest.Equal(t, w.hook("claude-code", "UserPromptSubmit", ""), "", "after it was begun anew")
	fstest.Must(t, os.RemoveAll(filepath.Dir(path)))
	if err := os.WriteFile(filepath.Dir(path), nil, 0o600); err != nil { // nothing can be written there
		t.Fatal(err)
	}
	w.restart()
	fstest.Contains(t, w.hook("claude-code", "UserPromptSubmit", ""), "one")
	fstest.Equal(t, w.hook("claude-code", "UserPromptSubmit", ""), "", "where it cannot be written")
}

// TestLatePage: the page of a workspace that was not known at the start is told at the next
// moment that can say something, once. Where there is none, it is not asked for without end,
// and not by an agent that is in the middle of its work.
func TestLatePage(t *testing.T) {
	w := newWorld(t, "[hooks]\nbudget = 10\n")
	asked := func() (n int) {
		for _, m := range w.last {
			if m.Kind == facts.SessionStarts {
				n++
			}
		}
		return n
	}
	page := func(text string) []facts.News {
		return []facts.News{{Kind: facts.NewsStart, Key: text, Text: text + strings.Repeat(" word", 100) + " END"}}
	}
	for _, next := range []string{"UserPromptSubmit", "PostToolUse"} {
		w.at[facts.SessionStarts] = nil
		session := `,"session_id":"` + next + `"`
		fstest.Equal(t, w.hook("claude-code", "SessionStart", session+`,"source":"startup"`), "")
		w.restart()
		w.at[facts.SessionStarts] = page("PAGE")
		fstest.Contains(t, w.hook("claude-code", next, session), "PAGE", "END")
		w.at[facts.SessionStarts] = page("ANOTHER")
		for range 2 {
			fstest.Equal(t, w.hook("claude-code", next, session), "", "again", next)
		}
	}
	w.at[facts.SessionStarts] = nil
	before := asked()
	for range 5 * mostStarts {
		w.hook("claude-code", "UserPromptSubmit", `,"session_id":"nowhere"`)
	}
	fstest.Equal(t, asked()-before, mostStarts, "where there is no page, it was asked")
}
