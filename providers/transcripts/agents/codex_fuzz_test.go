package agents

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/event"
)

// fuzzLog reads any log, and once more saved and restored after every line: both
// must give as many events, and what is no JSON one unknown event a line.
func fuzzLog(f *testing.F, open func() history.Reader, seeds ...[]byte) {
	var texts []string
	for _, seed := range seeds {
		texts = append(texts, string(seed))
	}
	fuzzText(f, func(t *testing.T, text string) {
		log := []byte(text + "\n")
		c := roundTrip(t, open, log)
		bad := 0
		for _, line := range completeLines(log) {
			if !json.Valid(line) && len(bytes.TrimSpace(line)) > 0 {
				bad++
			}
		}
		if n := kinds(c.Events)["unknown"]; n < bad && bytes.Count(log, []byte{'\n'}) < 100 {
			t.Errorf("%d lines are no JSON, %d events say so", bad, n)
		}
	}, texts...)
}

func FuzzCodex(f *testing.F) {
	fuzzLog(f, openCodex,
		logOf(codexLine("session_meta", `{"id":"f","forked_from_id":"p","cwd":"/w"}`), codexMsg(`{"type":"task_started","turn_id":"t1"}`),
			codexSaid("user", "one"), codexMsg(`{"type":"user_message","message":"one"}`)),
		logOf(codexItem(`{"type":"function_call","name":"shell","arguments":"{}","call_id":"c"}`),
			codexItem(`{"type":"function_call_output","call_id":"c","output":"{\"output\":\"x\",\"metadata\":{\"exit_code\":1}}"}`)),
		logOf(codexMsg(`{"type":"thread_rolled_back","num_turns":2}`), codexLine("compacted", `{"message":"x"}`)),
		logOf(codexMsg(`{"type":"item_completed","item":{"type":"CommandExecution","id":"c","command":["ls"],"aggregated_output":"x"}}`)),
		logOf(`{"type":"message","role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,AA"}]}`))
}

func FuzzGemini(f *testing.F) {
	fuzzLog(f, openGeminiNowhere,
		logOf(geminiHead, `{"id":"u","type":"user","content":[{"text":"x"}],"displayContent":"y"}`, `{"$rewindTo":"u"}`),
		logOf(`{"id":"g","type":"gemini","content":"a","toolCalls":[{"id":"c","result":[{"functionResponse":{"response":{"output":"x"}}}]}]}`,
			`{"id":"g","type":"gemini","content":"ab"}`),
		logOf(`{"$set":{"messages":[{"id":"x","type":"user","content":[{"text":"s"}]},{"id":"y","type":"gemini","content":"z"}]}}`))
}

func FuzzCopilot(f *testing.F) {
	fuzzLog(f, openCopilot,
		logOf(`{"type":"user.message","data":{"content":"x"},"id":"e"}`, `{"type":"session.snapshot_rewind","data":{"upToEventId":"e"}}`),
		logOf(`{"type":"assistant.message","data":{"content":"x","reasoningText":"r","toolRequests":[{"toolCallId":"c","name":"n","arguments":{}}]}}`,
			`{"type":"tool.execution_complete","data":{"toolCallId":"c","success":true,"result":{"content":"x"}}}`))
}

func FuzzVSCode(f *testing.F) {
	f.Add(`{"kind":0,"v":{"requests":[` + strings.ReplaceAll(vscodeAnswer, "\n", "") + `]}}`)
	f.Add(`{"kind":0,"v":{"r":[1]}}` + "\n" + `{"kind":2,"k":["r"],"v":[2,3],"i":0}` + "\n" + `{"kind":1,"k":["r",0],"v":{}}` + "\n" + `{"kind":3,"k":["r"]}`)
	f.Fuzz(func(t *testing.T, log string) {
		chat, _ := applyChanges(strings.NewReader(log))
		if state := chat.value(); !json.Valid([]byte(state.Raw)) {
			t.Fatalf("the state is no JSON: %s", state.Raw)
		}
		c := &event.Collector{}
		for _, r := range chat.get("requests").items() {
			if v := r.value(); v.IsObject() {
				newVSCodeRequest(v, c).emit()
			}
		}
	})
}

func BenchmarkCodex(b *testing.B) {
	lines := [][]byte{
		[]byte(codexItem(`{"type":"function_call","name":"shell","arguments":"{\"command\":[\"bash\",\"-lc\",\"rg -n foo\"]}","call_id":"c"}`)),
		[]byte(codexItem(`{"type":"function_call_output","call_id":"c","output":"Exit code: 0\nOutput:\n` + strings.Repeat(`some/path/file.go:12:\tfoo := \"bar\"\n`, 100) + `"}`)),
		[]byte(codexItem(`{"type":"reasoning","summary":[{"type":"summary_text","text":"**Searching**"}],"encrypted_content":"` + strings.Repeat("gAAAAABp", 200) + `"}`)),
		[]byte(codexMsg(`{"type":"agent_reasoning","text":"**Searching**"}`)),
		[]byte(codexMsg(`{"type":"token_count","info":{"total_token_usage":{"input_tokens":13973,"output_tokens":623,"total_tokens":14596},"last_token_usage":{"input_tokens":13973,"total_tokens":14596}},"rate_limits":{"primary":{"used_percent":1.0}}}`)),
		[]byte(codexItem(`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"` + strings.Repeat("I found it. ", 20) + `"}]}`)),
		[]byte(codexMsg(`{"type":"agent_message","message":"` + strings.Repeat("I found it. ", 20) + `"}`)),
	}
	benchmarkLines(b, openCodex, lines)
}

func BenchmarkCodexReal(b *testing.B) {
	benchmarkLines(b, openCodex, completeLines(realLog(b, "codex")))
}

func BenchmarkGeminiReal(b *testing.B) {
	benchmarkLines(b, openGeminiNowhere, completeLines(realLog(b, "gemini")))
}

func BenchmarkCopilotReal(b *testing.B) {
	benchmarkLines(b, openCopilot, completeLines(realLog(b, "copilot")))
}

// countingSink counts the events that it gets, and keeps none.
type countingSink struct {
	event.Collector
	n int
}

func (s *countingSink) Emit(event.Event) int { s.n++; return s.n }

// benchmarkLines reads the same lines again and again.
func benchmarkLines(b *testing.B, open func() history.Reader, lines [][]byte) {
	size := 0
	for _, line := range lines {
		size += len(line) + 1
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		r, out := open(), &countingSink{}
		for _, line := range lines {
			r.Record(line, out)
		}
		if out.n == 0 {
			b.Fatal("no events")
		}
	}
}
