package transcripts

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/tokens"
	"ctxfs/providers/transcripts/catalogue"
	"ctxfs/providers/transcripts/event"
	"ctxfs/providers/transcripts/render"
)

// realHome is a home folder with the real logs where their agents keep them.
func realHome(t testing.TB) string {
	t.Helper()
	home := tempHome(t)
	data := fstest.Data(t, "sessions")
	put := func(from, to string) {
		t.Helper()
		putReal(t, home, from, to)
	}
	logs, err := filepath.Glob(filepath.Join(data, "claude-code", "*.jsonl"))
	fstest.Must(t, err)
	for _, log := range logs {
		put("claude-code/"+filepath.Base(log), ".claude/projects/-work/"+filepath.Base(log))
	}
	subagent := filepath.Join(data, "small-fixtures", "claude", "subagent")
	fstest.Must(t, filepath.WalkDir(subagent, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(subagent, path)
			put("small-fixtures/claude/subagent/"+rel, ".claude/projects/-work/"+rel)
		}
		return err
	}))
	put("same-task-per-agent/claude/convo.jsonl", ".claude/projects/-same/c0000000-0000-4000-8000-000000000001.jsonl")
	put("same-task-per-agent/codex/convo.jsonl", ".codex/sessions/2026/01/01/rollout-2026-01-01T00-00-00-c0000000-0000-4000-8000-000000000002.jsonl")
	put("small-fixtures/codex/small.jsonl", ".codex/sessions/2026/01/01/rollout-2026-01-01T00-00-00-c0000000-0000-4000-8000-000000000003.jsonl")
	put("same-task-per-agent/copilot/convo.jsonl", ".copilot/session-state/c0000000-0000-4000-8000-000000000004/events.jsonl")
	put("same-task-per-agent/gemini/convo.jsonl", ".gemini/tmp/work/chats/session-2026-01-01T00-00-c0000000.jsonl")
	put("same-task-per-agent/pi/convo.jsonl", ".pi/agent/sessions/--work--/2026-01-01T00-00-00-000Z_c0000000-0000-4000-8000-000000000005.jsonl")
	put("pi/large-session.jsonl", ".pi/agent/sessions/--work--/2026-01-01T00-00-00-000Z_c0000000-0000-4000-8000-000000000006.jsonl")
	put("small-fixtures/droid/session_store_small.jsonl", ".factory/sessions/-work/c0000000-0000-4000-8000-000000000007.jsonl")
	put("aider/aider.chat.history.md", "work/.aider.chat.history.md")
	fstest.Must(t, os.WriteFile(filepath.Join(home, "config.toml"), []byte("[transcripts]\nprojects = [\"~/work\"]\n"), 0o600))
	return home
}

// putReal copies a real log to where its agent keeps it.
func putReal(t testing.TB, home, from, to string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(fstest.Data(t, "sessions"), from))
	fstest.Must(t, err)
	to = filepath.Join(home, to)
	fstest.Must(t, os.MkdirAll(filepath.Dir(to), 0o755))
	fstest.Must(t, os.WriteFile(to, text, 0o644))
}

// moreReal adds the small logs, some of which repeat each other's ids.
func moreReal(t testing.TB, home string) {
	t.Helper()
	put := func(from, to string) {
		t.Helper()
		putReal(t, home, from, to)
	}
	for i, from := range []string{
		"claude/small", "claude/large", "claude/schema_drift", "codex/large", "codex/schema_drift", "pi/small", "copilot/small", "copilot/large",
		"copilot/schema_drift", "droid/session_store_large", "droid/session_store_schema_drift", "droid/stream_json_small", "cursor/small",
		"cursor/large", "cursor/schema_drift", "gemini/jsonl_v040",
	} {
		one := fmt.Sprintf("c1000000-0000-4000-8000-%012d", i)
		put("small-fixtures/"+from+".jsonl", map[string]string{
			"claude": ".claude/projects/-small/" + one + ".jsonl",
			"codex":  ".codex/sessions/2026/01/01/rollout-2026-01-01T00-00-00-" + one + ".jsonl",
			"pi":     ".pi/agent/sessions/--work--/2026-01-01T00-00-00-000Z_" + one + ".jsonl", "copilot": ".copilot/session-state/" + one + "/events.jsonl",
			"droid": ".factory/sessions/-work/" + one + ".jsonl", "cursor": ".cursor/projects/work/agent-transcripts/" + one + "/" + one + ".jsonl",
			"gemini": ".gemini/tmp/work/chats/session-2026-01-01T00-01-" + one[:8] + ".jsonl",
		}[path.Dir(from)])
	}
	for i, from := range []string{"small", "large", "schema_drift"} {
		put("small-fixtures/gemini/"+from+".json", fmt.Sprintf(".gemini/tmp/work/chats/session-2026-01-01T00-00-d000000%d.json", i))
	}
	fstest.Must(t, os.CopyFS(filepath.Join(home, ".local/share/opencode/storage"), os.DirFS(fstest.Data(t, "sessions", "small-fixtures", "opencode", "storage_v2"))))
	put("cline-sdk/session/session.messages.json", ".cline/data/sessions/session/session.messages.json")
	put("cline-sdk/session/session.json", ".cline/data/sessions/session/session.json")
}

// TestDigestsEndWithTheLastQuestion: where the model's last words ask something,
// the digest has the question whole.
func TestDigestsEndWithTheLastQuestion(t *testing.T) {
	home := realHome(t)
	moreReal(t, home)
	f := start(t, home, offline)
	f.scanner.First()
	asked, found := make(map[string]int), make(map[string]int)
	for _, s := range sample(f.catalogue.All()) {
		fstest.Must(t, f.cache.Current(t.Context(), s, false))
		path := f.catalogue.Path(s)
		digest := f.read(path + "/digest.md")
		if n := tokens.Count(digest); n > 2000 {
			t.Errorf("%s: %d tokens", path, n)
		}
		last := ""
		for line := range strings.Lines(f.read(path + "/messages.jsonl")) {
			if e, err := render.ParseMessage([]byte(strings.TrimSuffix(line, "\n"))); err == nil && e.Kind == event.Assistant && e.Agent == "" && strings.TrimSpace(e.Text) != "" {
				last = strings.Join(strings.Fields(e.Text), " ")
			}
		}
		near := last[max(0, len(last)-600):]
		i := strings.LastIndexByte(near, '?')
		if i < 0 {
			continue
		}
		question := near[:i+1]
		if j := strings.LastIndexAny(question[:i], ".!?:"); j >= 0 {
			question = question[j+1:]
		}
		asked[s.Agent]++
		_, ending, _ := strings.Cut(digest, "\n## Last words\n")
		if strings.Contains(ending, strings.TrimSpace(question)) {
			found[s.Agent]++
		} else {
			t.Errorf("%s: %q is not at the end:\n%s", path, question, ending)
		}
	}
	t.Logf("questions %v, found %v", asked, found)
}

// sample returns all sessions, or every sixth under the race detector, which has
// nothing to find in them: they are rendered one by one.
func sample(all []*catalogue.Session) (some []*catalogue.Session) {
	if !fstest.Race() {
		return all
	}
	for i := 0; i < len(all); i += 6 {
		some = append(some, all[i])
	}
	return some
}

// TestRealSessions: everything that is made from the real sessions can be read.
func TestRealSessions(t *testing.T) {
	f := start(t, realHome(t), offline)
	agents, folded := make(map[string]int), 0
	f.scanner.First()
	for _, s := range f.catalogue.All() {
		agents[s.Agent]++
	}
	for _, s := range sample(f.catalogue.All()) {
		fstest.Must(t, f.cache.Current(t.Context(), s, false))
		path := f.catalogue.Path(s)
		text := f.read(path + "/transcript.md")
		fstest.Equal(t, s.Published.Fault, "", path)
		for _, name := range f.names(path + "/results") {
			folded++
			if body := f.read(path + "/results/" + name); body == "" || !strings.Contains(text, "results/"+name) {
				t.Errorf("%s/results/%s: %d bytes", path, name, len(body))
			}
		}
		for _, name := range []string{"digest.md", "files.tsv", "meta.json"} {
			if f.read(path+"/"+name) == "" {
				t.Errorf("%s/%s is empty", path, name)
			}
		}
		if i := strings.IndexFunc(text, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' }); i >= 0 {
			t.Errorf("%s: a control byte at %d", path, i)
		}
		fstest.Equal(t, strings.Count(f.read(path+"/messages.jsonl"), "\n"), s.Published.Events, "messages", path)
	}
	t.Log(agents, folded, "long texts")
	for agent, least := range map[string]int{"claude-code": 24, "codex": 2, "copilot": 1, "gemini": 1, "pi": 2, "droid": 1, "aider": 1000} {
		if agents[agent] < least {
			t.Errorf("%d sessions of %s", agents[agent], agent)
		}
	}
}
