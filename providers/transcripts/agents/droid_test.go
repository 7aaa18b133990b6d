package agents

import (
	"os"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/historytest"
)

func TestDroid(t *testing.T) {
	const session = `{"type":"session_start","id":"d1","title":"New Session","sessionTitle":"The fix","cwd":"/w","version":2,"callingSessionId":"d0","callingToolUseId":"t0"}
{"type":"message","id":"m1","timestamp":"2025-12-26T00:00:00.000Z","message":{"role":"user","content":[{"type":"text","text":"<system-reminder>\nBe concise.\n</system-reminder>\n\nDo it"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"QUJD"}}]}}
{"type":"message","id":"m2","parentId":"m1","timestamp":"2025-12-26T00:00:01.000Z","message":{"role":"assistant","model":"m","content":[{"type":"thinking","thinking":"hm"},{"type":"redacted_thinking","data":"AAAA"},{"type":"tool_use","id":"t1","name":"Execute","input":{"command":"ls"}}]}}
{"type":"message","id":"m3","parentId":"m2","timestamp":"2025-12-26T00:00:02.000Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"no"},{"type":"text","text":"<system-reminder>again</system-reminder>"}]}}
{"type":"todo_state","id":"x","timestamp":"2025-12-26T00:00:03.000Z","todos":{}}
{"type":"compaction_state","id":"c","timestamp":"2025-12-26T00:00:04.000Z","summaryText":"all of it"}
{"type":"dream"}
{"type":"message","message":{"role":"user","content":"plain"}}
{"type":"mess`
	c := historytest.ReadText(t, newDroid, session)
	want := "system (quiet) session_start\n" +
		"user <system-reminder>⏎Be concise.⏎</system-reminder>⏎⏎Do it\nuser [image/png 3 bytes]\n" +
		"thinking hm\nthinking (quiet) [encrypted thinking 4 bytes]\ntool-call t1 Execute {\"command\":\"ls\"}\n" +
		"tool-result t1 Execute no FAILED\nuser/injected <system-reminder>again</system-reminder>\n" +
		"system (quiet) todo_state\ncompaction  0 all of it\nunknown dream\nuser plain\nunknown not JSON\n"
	fstest.Equal(t, historytest.Lines(c.Events), want)
	if c.Of.ID != "d1" || c.Of.Parent != "d0" || c.Of.CWD != "/w" || c.Of.Title != "The fix" || c.Of.Model != "m" {
		t.Errorf("read %+v", c.Of)
	}
}

// TestDroidReal compares with what plain decoding of the real sessions finds.
func TestDroidReal(t *testing.T) {
	for _, name := range []string{"session_store_small", "session_store_large", "session_store_schema_drift"} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(historytest.RealSessions(t, "small-fixtures", "droid", name+".jsonl"))
			fstest.Must(t, err)
			c := historytest.ReadText(t, newDroid, string(text))
			want := make(map[string]int)
			for line := range strings.Lines(strings.TrimSpace(string(text))) {
				m, ok := historytest.DecodeJSON(t, line)["message"].(map[string]any)
				if !ok {
					continue
				}
				for _, b := range m["content"].([]any) {
					block := b.(map[string]any)
					kind := map[any]string{"text": m["role"].(string), "tool_use": "tool-call", "tool_result": "tool-result"}[block["type"]]
					want[kind]++
					for _, name := range []string{"text", "content"} {
						if said, _ := block[name].(string); !historytest.HasText(c.Events, said) {
							t.Errorf("not told: %q", said)
						}
					}
				}
			}
			historytest.CheckTally(t, c.Events, want)
		})
	}
}

// TestDroidPrinted: printed sessions are read as well as stored ones.
func TestDroidPrinted(t *testing.T) {
	for name, want := range map[string]string{
		"stream_json_small": "user Do thing\ntool-call c1 Shell {\"command\":\"echo hi\"}\ntool-result c1 Shell hi⏎\nassistant Done\n",
		"stream_json_large": "system (quiet) system\nuser Step 1\nassistant Ok\ntool-call c1 Shell {\"command\":\"printf 'line1\\\\nline2\\\\nline3\\\\n'\"}\n" +
			"tool-result c1 Shell line1⏎line2⏎line3⏎\nassistant Captured multiline output.\n",
		"stream_json_schema_drift": "system (quiet) system\nuser <system-reminder>⏎Be safe.⏎</system-reminder>⏎⏎List files\n" +
			"tool-call call_1 Execute {\"command\":\"ls -la\",\"riskLevel\":\"low\",\"riskLevelReason\":\"Read-only directory listing.\"}\n" +
			"tool-result call_1 Execute ls: /non-existent-directory: No such file or directory FAILED\nassistant Done\n" +
			"system Authentication failed. Set FACTORY_API_KEY.\n",
	} {
		text, err := os.ReadFile(historytest.RealSessions(t, "small-fixtures", "droid", name+".jsonl"))
		fstest.Must(t, err)
		fstest.Equal(t, historytest.Lines(historytest.ReadText(t, newDroid, string(text)).Events), want, name)
	}
}

func TestDroidPlaces(t *testing.T) {
	for rel, want := range map[string]string{"-w/d1.jsonl": "d1", "d1.jsonl": "d1", "-w/d1.settings.json": "", "-w/x/d1.jsonl": "", "auth.json": ""} {
		log, _ := droidFile(rel).(history.Log)
		fstest.Equal(t, log.ID, want, "session", rel)
	}
}

func FuzzDroid(f *testing.F) {
	historytest.FuzzText(f, func(t *testing.T, log string) { historytest.ReadText(t, newDroid, log) },
		`{"type":"session_start","id":"d1","title":"x"}`+"\n"+`{"type":"message","id":"m1","message":{"role":"user","content":[{"type":"text","text":"x"}]}}`,
		`{"type":"tool_result","toolCallId":"c1","value":{"stdout":"x"}}`+"\n"+`{"type":"completion","finalText":"Done"}`)
}

func newDroid() history.Reader { return new(droidReader) }
