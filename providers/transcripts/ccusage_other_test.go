package transcripts

import (
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/agents/historytest"
)

// TestNotAsCCUsage checks the differences that BENCHMARKS.md explains.
func TestNotAsCCUsage(t *testing.T) {
	home := t.TempDir()
	const a = "00000000-0000-4000-8000-00000000000a"
	const used = `"input_tokens":5,"output_tokens":6`
	spaced := strings.NewReplacer(`":`, `": `).Replace(answer(a, "3T10:00:00.000", "msg_3", "req_3", "", used))
	historytest.WriteFile(t, filepath.Join(home, ".claude", "projects", "-work-app"), a+".jsonl", logOf(
		answer(a, "1T10:00:00.000", "msg_1", "", "", used), answer(a, "1T10:00:09.000", "msg_1", "", "", used),
		strings.Replace(answer(a, "2T10:00:00.000", "msg_2", "req_2", "", used), `"content":[]`, `"content":[{"type":"tool_use","id":"t","name":"x","input":{"id":null}}]`, 1),
		spaced,
		strings.Replace(answer(a, "4T10:00:00.000", "msg_4", "req_4", "", used), "claude-sonnet-4-5", "claude-sonnet-77", 1),
		answer(a, "5T10:00:00.000", "msg_5", "req_5", "", used),
		strings.Replace(answer(a, "6T10:00:00.000", "msg_6", "req_6", "", used), `"timestamp"`, `"time"`, 1),
	))
	const id = "019f0000-0000-7000-8000-00000000000"
	rollout := func(day, n string) string {
		return logOf(`{"timestamp":"`+day+`T09:00:00.000Z","type":"session_meta","payload":{"id":"`+id+n+`","cwd":"/work/app"}}`,
			`{"timestamp":"`+day+`T09:00:00.000Z","type":"turn_context","payload":{"model":"gpt-5.6-luna"}}`,
			strings.Replace(tokenCount("1T10:00:00.000", "100000 0 0 0", "100000 0 0 0"), "2026-04-01", day, 1))
	}
	packed, err := zstdOf(rollout("2026-08-10", "2"))
	fstest.Must(t, err)
	historytest.WriteFile(t, filepath.Join(home, ".codex/sessions/2026/07/10"), "rollout-2026-07-10T09-00-00-"+id+"1.jsonl", rollout("2026-07-10", "1"))
	historytest.WriteFile(t, filepath.Join(home, ".codex/sessions/2026/08/10"), "rollout-2026-08-10T09-00-00-"+id+"2.jsonl.zst", string(packed))
	f := start(t, home)
	got, theirs := counted(t, f, "UTC"), ccusage(t, home, "UTC")
	const model = " claude-code claude-sonnet-4-5"
	one, two := dayTokens{5, 6, 0, 0, 105}, dayTokens{10, 12, 0, 0, 210}
	for _, test := range []struct {
		key        string
		ours, them dayTokens
	}{
		{"2026-03-01" + model, one, two},
		{"2026-03-02" + model, one, dayTokens{}},
		{"2026-03-03" + model, one, dayTokens{}},
		{"2026-03-04 claude-code claude-sonnet-77", dayTokens{Input: 5, Output: 6}, dayTokens{Input: 5, Output: 6}},
		{"2026-03-05" + model, one, one},
		{model, one, dayTokens{}},
		{"2026-07-10 codex gpt-5.6-luna", dayTokens{Input: 1e5, Cost: 1e5}, dayTokens{Input: 1e5, Cost: 0.2e5}},
		{"2026-08-10 codex gpt-5.6-luna", dayTokens{Input: 1e5, Cost: 0.2e5}, dayTokens{}},
	} {
		fstest.Equal(t, got[test.key], test.ours, test.key)
		fstest.Equal(t, theirs[test.key], test.them, "BENCHMARKS.md says otherwise", test.key)
	}
}
