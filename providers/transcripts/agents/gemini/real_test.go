package gemini

import (
	"path/filepath"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/agents/historytest"
	"ctxfs/providers/transcripts/event"
)

func TestGeminiReal(t *testing.T) {
	log, c := historytest.ReadRealLog(t, openNowhere, filepath.Join(fstest.Data(t, "sessions", "same-task-per-agent", "gemini"), "convo.jsonl"))
	last := map[string]map[string]any{}
	historytest.EachObject(t, log, func(v map[string]any) {
		if id := historytest.Field(v, "id"); id != "" {
			last[id] = v // the newest version counts
		}
	})
	var want []string
	n := map[string]int{"unknown": 0}
	for _, v := range last {
		want = append(want, historytest.Texts(v["content"])...)
		switch historytest.Field(v, "type") {
		case "user":
			n["typed"]++
		case "gemini":
			if historytest.Field(v, "content") != "" {
				n["assistant"]++
			}
		}
		thoughts, _ := v["thoughts"].([]any)
		for _, th := range thoughts {
			n["thinking"]++
			want = append(want, historytest.Field(th, "description"))
		}
		calls, _ := v["toolCalls"].([]any)
		for _, call := range calls {
			n["tool-call"]++
			results, _ := call.(map[string]any)["result"].([]any)
			for _, res := range results {
				n["tool-result"]++
				for _, key := range []string{"output", "error"} {
					if s := historytest.Field(res, "functionResponse", "response", key); s != "" {
						want = append(want, s)
					}
				}
			}
		}
	}
	if n["typed"] != 1 || n["tool-call"] < 10 {
		t.Fatalf("the count is %v", n)
	}
	historytest.CheckCounts(t, c.Events, n)
	historytest.CheckTexts(t, c.Events, want)
}

func TestGeminiSmallFixtures(t *testing.T) {
	dir := fstest.Data(t, "sessions", "small-fixtures", "gemini")
	tests := map[string]map[string]int{
		"small.json":        {"typed": 1, "assistant": 1, "thinking": 1, "unknown": 0},
		"large.json":        {"typed": 2, "assistant": 2, "thinking": 1, "tool-call": 2, "tool-result": 2, "system": 1, "unknown": 0},
		"schema_drift.json": {"typed": 1, "assistant": 1, "unknown": 0},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name)
			list, err := listSessions(t.Context(), path)
			if err != nil || len(list) != 1 || list[0].ID == "" {
				t.Fatalf("%+v, %v", list, err)
			}
			c := &event.Collector{}
			fstest.Must(t, readSession(t.Context(), path, list[0].Key, c))
			historytest.CheckCounts(t, c.Events, want)
		})
	}
	_, c := historytest.ReadRealLog(t, openNowhere, filepath.Join(dir, "jsonl_v040.jsonl"))
	historytest.CheckCounts(t, c.Events, map[string]int{"typed": 1, "assistant": 1, "tool-call": 1, "tool-result": 1, "unknown": 0})
}
