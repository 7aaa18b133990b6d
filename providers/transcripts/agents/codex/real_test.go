package codex

import (
	"path/filepath"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/agents/historytest"
)

func TestCodexReal(t *testing.T) {
	log, c := historytest.ReadRealLog(t, open, filepath.Join(fstest.Data(t, "sessions", "same-task-per-agent", "codex"), "convo.jsonl"))
	var want []string
	typed, assistant := map[string]bool{}, map[string]bool{}
	calls, results := 0, 0
	historytest.EachObject(t, log, func(v map[string]any) {
		p, _ := v["payload"].(map[string]any)
		switch historytest.Field(v, "type") + " " + historytest.Field(p, "type") {
		case "event_msg user_message":
			typed[historytest.Field(p, "message")] = true
			want = append(want, historytest.Field(p, "message"))
		case "event_msg agent_message":
			assistant[historytest.Field(p, "message")] = true
			want = append(want, historytest.Field(p, "message"))
		case "response_item message":
			want = append(want, historytest.Texts(p["content"])...)
			if historytest.Field(p, "role") == "assistant" {
				assistant[historytest.Texts(p["content"])[0]] = true
			}
		case "response_item function_call":
			calls++
			want = append(want, historytest.Field(p, "arguments"))
		case "response_item function_call_output":
			results++
			want = append(want, historytest.Field(p, "output"))
		}
	})
	// By jq: 2 prompts, 13 texts of the assistant (2 of them twice), 1 call, 1 result.
	if len(typed) != 2 || len(assistant) != 13 || calls != 1 || results != 1 {
		t.Fatalf("the count is %d %d %d %d", len(typed), len(assistant), calls, results)
	}
	historytest.CheckCounts(t, c.Events, map[string]int{"typed": 2, "assistant": 13, "tool-call": calls, "tool-result": results, "unknown": 0})
	historytest.CheckTexts(t, c.Events, want)
	if c.Of.ID != "019e03b2-11a2-7320-9098-5d831813e66c" || c.Of.ForkOf != "019e03b1-6422-7510-b349-b4d4765a28a8" || c.Of.Parent != c.Of.ForkOf {
		t.Errorf("%+v", c.Of)
	}
	// Where the parent exists its part is left to it.
	forked := historytest.RoundTrip(t, open, log, "session:019e03b1-6422-7510-b349-b4d4765a28a8", "turn:019e03b1-6438-7b43-804d-fbbbe91c3971")
	historytest.CheckCounts(t, forked.Events, map[string]int{"fork": 1, "typed": 1, "assistant": 2, "tool-call": 1, "tool-result": 1})
}

func TestCodexSmallFixtures(t *testing.T) {
	dir := fstest.Data(t, "sessions", "small-fixtures", "codex")
	tests := map[string]map[string]int{
		"large.jsonl":        {"typed": 6, "user": 1, "assistant": 7, "tool-call": 1, "tool-result": 1, "unknown": 0},
		"schema_drift.jsonl": {"typed": 1, "assistant": 1, "tool-call": 1, "tool-result": 1, "unknown": 0},
		"small.jsonl":        {"compaction": 6, "unknown": 0},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			_, c := historytest.ReadRealLog(t, open, filepath.Join(dir, name))
			historytest.CheckCounts(t, c.Events, want)
		})
	}
}
