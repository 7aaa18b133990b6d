package agents

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/event"
)

// eachObject decodes the lines of a log plainly, apart from the readers.
func eachObject(t *testing.T, log []byte, do func(map[string]any)) {
	t.Helper()
	for line := range bytes.Lines(log) {
		var v map[string]any
		if err := json.Unmarshal(line, &v); err == nil {
			do(v)
		}
	}
}

// field is a text at a path of a decoded object.
func field(v any, path ...string) string {
	for _, key := range path {
		m, _ := v.(map[string]any)
		v = m[key]
	}
	s, _ := v.(string)
	return s
}

// texts are the texts of the parts of a content, or the content.
func texts(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var list []string
		for _, p := range v {
			if s := field(p, "text"); s != "" {
				list = append(list, s)
			}
		}
		return list
	}
	return nil
}

// readReal reads a real log, whose last line may have no end.
func readReal(t *testing.T, open func() history.Reader, path string) (log []byte, c *event.Collector) {
	t.Helper()
	log, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	log = append(bytes.TrimRight(log, "\n"), '\n')
	return log, roundTrip(t, open, log)
}

// checkCounts compares how often kinds occur among the events.
func checkCounts(t *testing.T, events []event.Event, want map[string]int) {
	t.Helper()
	got := kinds(events)
	for kind, n := range want {
		if got[kind] != n {
			t.Errorf("%d of %s, want %d", got[kind], kind, n)
		}
	}
}

// checkSaid tells of texts that no event holds. White space does not count: a
// thought that is repeated in another layout is told once.
func checkSaid(t *testing.T, events []event.Event, want []string) {
	t.Helper()
	squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
	all := squeeze(allSaid(events))
	for _, text := range want {
		if !strings.Contains(all, squeeze(text)) {
			t.Errorf("no event holds %.200q", text)
		}
	}
	if len(want) == 0 {
		t.Error("nothing was looked for")
	}
}

func TestCodexReal(t *testing.T) {
	log, c := readReal(t, openCodex, filepath.Join(realData(t, "sessions", "same-task-per-agent", "codex"), "convo.jsonl"))
	var want []string
	typed, assistant := map[string]bool{}, map[string]bool{}
	calls, results := 0, 0
	eachObject(t, log, func(v map[string]any) {
		p, _ := v["payload"].(map[string]any)
		switch field(v, "type") + " " + field(p, "type") {
		case "event_msg user_message":
			typed[field(p, "message")] = true
			want = append(want, field(p, "message"))
		case "event_msg agent_message":
			assistant[field(p, "message")] = true
			want = append(want, field(p, "message"))
		case "response_item message":
			want = append(want, texts(p["content"])...)
			if field(p, "role") == "assistant" {
				assistant[texts(p["content"])[0]] = true
			}
		case "response_item function_call":
			calls++
			want = append(want, field(p, "arguments"))
		case "response_item function_call_output":
			results++
			want = append(want, field(p, "output"))
		}
	})
	// By jq: 2 prompts, 13 texts of the assistant (2 of them twice), 1 call, 1 result.
	if len(typed) != 2 || len(assistant) != 13 || calls != 1 || results != 1 {
		t.Fatalf("the count is %d %d %d %d", len(typed), len(assistant), calls, results)
	}
	checkCounts(t, c.Events, map[string]int{"typed": 2, "assistant": 13, "tool-call": calls, "tool-result": results, "unknown": 0})
	checkSaid(t, c.Events, want)
	if c.Of.ID != "019e03b2-11a2-7320-9098-5d831813e66c" || c.Of.ForkOf != "019e03b1-6422-7510-b349-b4d4765a28a8" || c.Of.Parent != c.Of.ForkOf {
		t.Errorf("%+v", c.Of)
	}
	// With the parent at hand its part is left to it.
	forked := roundTrip(t, openCodex, log, "session:019e03b1-6422-7510-b349-b4d4765a28a8", "turn:019e03b1-6438-7b43-804d-fbbbe91c3971")
	checkCounts(t, forked.Events, map[string]int{"fork": 1, "typed": 1, "assistant": 2, "tool-call": 1, "tool-result": 1})
}

func TestCodexSmallFixtures(t *testing.T) {
	dir := realData(t, "sessions", "small-fixtures", "codex")
	tests := map[string]map[string]int{
		"large.jsonl":        {"typed": 6, "user": 1, "assistant": 7, "tool-call": 1, "tool-result": 1, "unknown": 0},
		"schema_drift.jsonl": {"typed": 1, "assistant": 1, "tool-call": 1, "tool-result": 1, "unknown": 0},
		"small.jsonl":        {"compaction": 6, "unknown": 0},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			_, c := readReal(t, openCodex, filepath.Join(dir, name))
			checkCounts(t, c.Events, want)
		})
	}
}

func TestGeminiReal(t *testing.T) {
	log, c := readReal(t, openGeminiNowhere, filepath.Join(realData(t, "sessions", "same-task-per-agent", "gemini"), "convo.jsonl"))
	last := map[string]map[string]any{}
	eachObject(t, log, func(v map[string]any) {
		if id := field(v, "id"); id != "" {
			last[id] = v // the newest version counts
		}
	})
	var want []string
	n := map[string]int{"unknown": 0}
	for _, v := range last {
		want = append(want, texts(v["content"])...)
		switch field(v, "type") {
		case "user":
			n["typed"]++
		case "gemini":
			if field(v, "content") != "" {
				n["assistant"]++
			}
		}
		thoughts, _ := v["thoughts"].([]any)
		for _, th := range thoughts {
			n["thinking"]++
			want = append(want, field(th, "description"))
		}
		calls, _ := v["toolCalls"].([]any)
		for _, call := range calls {
			n["tool-call"]++
			results, _ := call.(map[string]any)["result"].([]any)
			for _, res := range results {
				n["tool-result"]++
				for _, key := range []string{"output", "error"} {
					if s := field(res, "functionResponse", "response", key); s != "" {
						want = append(want, s)
					}
				}
			}
		}
	}
	if n["typed"] != 1 || n["tool-call"] < 10 {
		t.Fatalf("the count is %v", n)
	}
	checkCounts(t, c.Events, n)
	checkSaid(t, c.Events, want)
}

func TestGeminiSmallFixtures(t *testing.T) {
	dir := realData(t, "sessions", "small-fixtures", "gemini")
	tests := map[string]map[string]int{
		"small.json":        {"typed": 1, "assistant": 1, "thinking": 1, "unknown": 0},
		"large.json":        {"typed": 2, "assistant": 2, "thinking": 1, "tool-call": 2, "tool-result": 2, "system": 1, "unknown": 0},
		"schema_drift.json": {"typed": 1, "assistant": 1, "unknown": 0},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name)
			list, err := geminiListed(t.Context(), path)
			if err != nil || len(list) != 1 || list[0].ID == "" {
				t.Fatalf("%+v, %v", list, err)
			}
			c := &event.Collector{}
			if err := geminiRead(t.Context(), path, list[0].Key, c); err != nil {
				t.Fatal(err)
			}
			checkCounts(t, c.Events, want)
		})
	}
	_, c := readReal(t, openGeminiNowhere, filepath.Join(dir, "jsonl_v040.jsonl"))
	checkCounts(t, c.Events, map[string]int{"typed": 1, "assistant": 1, "tool-call": 1, "tool-result": 1, "unknown": 0})
}

func TestCopilotReal(t *testing.T) {
	dir := realData(t, "sessions")
	for _, name := range []string{"same-task-per-agent/copilot/convo.jsonl", "small-fixtures/copilot/large.jsonl", "small-fixtures/copilot/schema_drift.jsonl",
		"small-fixtures/copilot/subdir_v1/aaaabbbb-1111-2222-3333-ccccddddeeee/events.jsonl"} {
		t.Run(name, func(t *testing.T) {
			log, c := readReal(t, openCopilot, filepath.Join(dir, filepath.FromSlash(name)))
			var want []string
			calls := map[string]bool{}
			n := map[string]int{"unknown": 0}
			eachObject(t, log, func(v map[string]any) {
				d, _ := v["data"].(map[string]any)
				switch field(v, "type") {
				case "user.message":
					n["typed"]++
					want = append(want, field(d, "content"))
				case "assistant.message":
					if s := field(d, "content"); s != "" {
						n["assistant"]++
						want = append(want, s)
					}
					want = append(want, field(d, "reasoningText"))
					requests, _ := d["toolRequests"].([]any)
					for _, r := range requests {
						calls[field(r, "toolCallId")] = true
					}
				case "tool.execution_start":
					calls[field(d, "toolCallId")] = true
				case "tool.execution_complete":
					n["tool-result"]++
					want = append(want, field(d, "result", "content"), field(d, "error", "message"))
				}
			})
			n["tool-call"] = len(calls)
			checkCounts(t, c.Events, n)
			checkSaid(t, c.Events, want)
		})
	}
}

// realLog is the log of the task that every agent was given.
func realLog(t testing.TB, agent string) []byte {
	t.Helper()
	log, err := os.ReadFile(filepath.Join(realData(t, "sessions", "same-task-per-agent", agent), "convo.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return append(bytes.TrimRight(log, "\n"), '\n')
}
