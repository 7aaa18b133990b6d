package transcripts

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/factbook"
	"ctxfs/providers/stats/spending"
	"ctxfs/providers/transcripts/agents"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/historytest"
)

// TestSpentIsReadOnce reads the log of a session when it has changed, and never else.
func TestSpentIsReadOnce(t *testing.T) {
	home := t.TempDir()
	const a = "00000000-0000-4000-8000-00000000000a"
	log := historytest.WriteFile(t, filepath.Join(home, ".claude", "projects", "-work-app"), a+".jsonl",
		logOf(answer(a, "1T10:00:00.000", "msg_1", "req_1", "", `"input_tokens":5,"output_tokens":6`)))
	historytest.WriteFile(t, filepath.Join(home, ".claude", "projects", "-work-app"), "00000000-0000-4000-8000-00000000000b.jsonl", "{}\n")
	f := start(t, home)
	versions := make(map[string]string)
	read := func() (calls []facts.ModelCall, unchanged int) {
		for part := range f.Facts().Calls(context.Background(), func(name string) string { return versions[name] }) {
			if part.Unchanged {
				unchanged++
			}
			for _, packed := range part.Facts {
				calls = slices.AppendSeq(calls, packed.Each)
			}
			versions[part.Name] = part.Version
		}
		return calls, unchanged
	}
	if calls, _ := read(); len(calls) != 1 || calls[0].Tokens != (facts.Tokens{Input: 5, Output: 6}) {
		t.Errorf("at first there are %+v", calls)
	}
	if calls, unchanged := read(); len(calls) != 0 || unchanged != 2 {
		t.Errorf("again there are %+v, and %d parts are unchanged", calls, unchanged)
	}
	grown, err := os.OpenFile(log, os.O_APPEND|os.O_WRONLY, 0)
	fstest.Must(t, err)
	_, err = grown.WriteString(logOf(answer(a, "1T10:00:01.000", "msg_2", "req_2", "", `"input_tokens":7,"output_tokens":8`)))
	fstest.Must(t, err)
	fstest.Must(t, grown.Close())
	if calls, unchanged := read(); len(calls) != 2 || unchanged != 1 {
		t.Errorf("when a log has grown there are %+v, and %d parts are unchanged", calls, unchanged)
	}
	if sum, err := f.sessionSpent(t.Context(), Wanted{Session: a}); err != nil || sum.Requests != 2 || sum.Tokens != (facts.Tokens{Input: 12, Output: 14}) {
		t.Errorf("in all %+v, %v", sum, err)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	for part := range f.Facts().Calls(ended, func(string) string { return "" }) {
		t.Errorf("after the end of its context there is %s", part.Name)
	}
}

// TestSpentOfDeletedLogs keeps what is known of sessions that only the archive has.
func TestSpentOfDeletedLogs(t *testing.T) {
	home := tempHome(t)
	settingsOf(t, home, "archive = true\n")
	const a = "00000000-0000-4000-8000-00000000000a"
	log := historytest.WriteFile(t, filepath.Join(home, ".claude", "projects", "-work-app"), a+".jsonl", logOf(
		`{"type":"user","uuid":"u0","sessionId":"`+a+`","timestamp":"2026-03-01T10:00:00.000Z","message":{"role":"user","content":"hello"}}`,
		answer(a, "1T10:00:00.000", "msg_1", "req_1", "", `"input_tokens":5,"output_tokens":6`)))
	cache := t.TempDir()
	total := func(f *fixture) int64 {
		book := factbook.Open[facts.Calls](filepath.Join(cache, "book"), nil)
		book.Refresh(context.Background(), f.Facts().Calls)
		fstest.Must(t, book.Save())
		return spending.Count(book.Parts(), spending.Query{Zone: time.UTC, Price: func(facts.ModelCall) (float64, bool) { return 0, true }, ProjectOf: func(dir string) string { return dir }}).Total
	}
	f := start(t, home, offline)
	if n := total(f); n != 11 {
		t.Fatalf("there are %d tokens", n)
	}
	f.keepArchive(t.Context())
	fstest.Must(t, f.Close())
	fstest.Must(t, os.Remove(log))
	f = start(t, home, offline)
	fstest.Equal(t, total(f), 11, "an archived session there")
	fstest.Must(t, f.Close())
	archived, err := filepath.Glob(filepath.Join(home, ".state", "archive", "*", "*"))
	if fstest.Must(t, err); len(archived) != 1 {
		t.Fatalf("%d sessions are archived", len(archived))
	}
	fstest.Must(t, os.Remove(archived[0]))
	fstest.Equal(t, total(start(t, home, offline)), 0, "session that is nowhere there")
}

// FuzzSpent reads any text as the log of each agent.
func FuzzSpent(f *testing.F) {
	var formats []history.Log
	for _, agent := range agents.All() {
		for _, place := range agent.Places(historytest.Linux("/home/user")) {
			for _, name := range []string{"p/00000000-0000-4000-8000-00000000000a.jsonl", "a/chats/session-1-a.jsonl", "--p--/1_00000000-0000-4000-8000-00000000000a.jsonl", "s/events.jsonl",
				"2026/01/01/rollout-2026-01-01T10-00-00-00000000-0000-4000-8000-00000000000a.jsonl"} {
				if log, ok := place.File(name).(history.Log); ok && log.Spent != nil {
					formats = append(formats, log)
				}
			}
		}
	}
	if len(formats) < 5 {
		f.Fatalf("only %d formats tell of requests", len(formats))
	}
	seeds := []string{
		answer("a", "1T10:00:00.000", "msg_1", "req_1", `"isSidechain":true,`, `"input_tokens":5,"cache_creation":{"ephemeral_1h_input_tokens":3},"iterations":[{"type":"advisor_message","model":"m"}]`),
		`{"type":"session_meta","payload":{"id":"b","forked_from_id":"c"}}` + "\n" + tokenCount("1T10:00:00.000", "1000 200 30 5", "1000 200 30 5") + "\n" +
			`{"type":"token_usage_record","payload":{"response_id":"r","usage":{"input_tokens":5}}}` + "\n" + `{"type":"compacted","payload":{"compaction_response_id":"r"}}`,
		`{"id":"m","type":"gemini","tokens":{"input":900,"output":5,"cached":400,"total":914},"model":"g"}` + "\n" + `{"$set":{"messages":[{"type":"gemini","tokens":{"total":-1}}]}}`,
		`{"type":"message","timestamp":"2026-06-01T00:00:00Z","message":{"role":"assistant","model":"m","usage":{"input":1e300,"totalTokens":-5,"cost":{"total":-1}}}}`,
		`{"type":"session.shutdown","id":"x","data":{"modelMetrics":{"m":{"usage":{"inputTokens":5,"cacheReadTokens":50}}}}}`,
	}
	historytest.FuzzText(f, func(t *testing.T, text string) {
		for i, format := range formats {
			read := func() (calls []facts.ModelCall) {
				format.Spent(history.Spending{Session: "s", Lines: func(yield func([]byte) bool) {
					for line := range bytes.Lines([]byte(text)) {
						if !yield(bytes.TrimSuffix(line, []byte("\n"))) {
							return
						}
					}
				}}, func(c facts.ModelCall) { calls = append(calls, c) })
				return calls
			}
			calls := read()
			for _, c := range calls {
				n := c.Tokens
				if min(n.Input, n.Output, n.CacheRead, n.CacheWrite, n.CacheWriteLong, n.Reasoning) < 0 || n.Total() < 0 || !(c.Cost >= 0) {
					t.Errorf("format %d has %+v", i, c)
				}
			}
			if again := read(); !slices.Equal(calls, again) {
				t.Errorf("format %d has %+v, then %+v", i, calls, again)
			}
		}
	}, seeds...)
}
