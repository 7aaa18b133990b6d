package agents

import (
	"os"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/historytest"
	"ctxfs/providers/transcripts/event"
)

const piHeader = `{"type":"session","version":3,"id":"s1","timestamp":"2026-05-07T18:36:14.561Z","cwd":"/p"}` + "\n"

// piLine returns an entry with a message.
func piLine(id, parent, message string) string {
	if parent != "null" {
		parent = `"` + parent + `"`
	}
	return `{"type":"message","id":"` + id + `","parentId":` + parent + `,"timestamp":"2026-05-07T18:36:15Z","message":` + message + "}\n"
}

func piSays(id, parent, role, text string) string {
	return piLine(id, parent, `{"role":"`+role+`","content":[{"type":"text","text":"`+text+`"}]}`)
}

func TestPi(t *testing.T) {
	tests := []struct {
		name, log, want string
	}{
		{"empty", "", ""},
		{"header", piHeader, "system (quiet) session\n"},
		{"not JSON", "{\"type\":\"mes\n", "unknown not JSON\n"},
		{"unknown record", `{"type":"dream","id":"a"}`, "unknown dream\n"},
		{
			"content of all kinds",
			piLine("a", "null", `{"role":"user","content":"see"}`) +
				piLine("b", "a", `{"role":"user","content":[{"type":"image","mimeType":"image/png","data":"QUJD"}]}`) +
				piLine("c", "b", `{"role":"assistant","model":"m","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"so"},{"type":"toolCall","id":"t1","name":"read","arguments":{"path":"x"}}]}`) +
				piLine("d", "c", `{"role":"toolResult","toolCallId":"t1","toolName":"read","content":[{"type":"text","text":"no"}],"isError":true}`) +
				piLine("e", "d", `{"role":"bashExecution","command":"ls","output":"x\n","exitCode":1}`) +
				piLine("f", "e", `{"role":"assistant","content":[],"stopReason":"aborted","errorMessage":"Request was aborted"}`),
			"user see\nuser [image/png 3 bytes]\nthinking hm\nassistant so\ntool-call t1 read {\"path\":\"x\"}\ntool-result t1 read no FAILED\n" +
				"user ! ls\ntool-result  bash x⏎ FAILED\nassistant (quiet)\nsystem Request was aborted\n",
		},
		{
			"a branch goes on from an earlier entry",
			piSays("a", "null", "user", "one") + piSays("b", "a", "assistant", "two") + piSays("c", "b", "user", "three") +
				piSays("d", "c", "assistant", "four") + piSays("e", "b", "user", "other") + piSays("f", "e", "assistant", "five"),
			"user one\nassistant two\nuser three\nassistant four\nrewind to 2 count 0\nuser other\nassistant five\n",
		},
		{
			"a branch from the beginning, with a summary of what was left",
			piSays("a", "null", "user", "one") +
				`{"type":"branch_summary","id":"b","parentId":null,"timestamp":"2026-05-07T18:36:15Z","fromId":"a","summary":"was one"}` + "\n" +
				piSays("c", "b", "user", "two"),
			"user one\nrewind to 0 count 0\nuser/injected was one\nuser two\n",
		},
		{
			"going back over nothing that was said is no rewind",
			piSays("a", "null", "user", "one") +
				`{"type":"thinking_level_change","id":"b","parentId":"a","timestamp":"2026-05-07T18:36:15Z","thinkingLevel":"off"}` + "\n" +
				piSays("c", "a", "assistant", "two"),
			"user one\nsystem (quiet) thinking_level_change\nassistant two\n",
		},
		{
			"compaction",
			piSays("a", "null", "user", "one") +
				`{"type":"compaction","id":"b","parentId":"a","timestamp":"2026-05-07T18:36:15Z","summary":"short","firstKeptEntryId":"a","tokensBefore":19}` + "\n" +
				`{"type":"custom_message","id":"c","parentId":"b","timestamp":"2026-05-07T18:36:15Z","customType":"x","content":"hint","display":true}`,
			"user one\ncompaction  19 short\nuser/injected hint\n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fstest.Equal(t, historytest.Lines(historytest.ReadText(t, newPi, test.log).Events), test.want)
		})
	}
}

func TestPiFork(t *testing.T) {
	c := event.Collector{Parent: map[string]bool{"a": true, "b": true}}
	r := new(piReader)
	log := `{"type":"session","version":3,"id":"s2","timestamp":"2026-05-07T18:36:14.561Z","cwd":"/p","parentSession":"/x/2026-05-07T18-36-14-561Z_s1.jsonl"}` + "\n" +
		piSays("a", "null", "user", "one") + piSays("b", "a", "assistant", "two") + piSays("c", "b", "user", "three")
	for line := range strings.Lines(log) {
		r.Record([]byte(strings.TrimSuffix(line, "\n")), &c)
	}
	want := "system (quiet) session\nfork s1 to 0 count 2\nuser three\n"
	if got := historytest.Lines(c.Events); got != want || c.Of.ForkOf != "s1" {
		t.Errorf("fork of %q:\n%swant\n%s", c.Of.ForkOf, got, want)
	}
}

func TestPiPlaces(t *testing.T) {
	for rel, want := range map[string]string{
		"--p--/2026-05-07T18-36-14-561Z_019e.jsonl": "019e",
		"--p--/notes.txt":                          "",
		"--p--/auth.json":                          "",
		"--p--/x/2026-05-07T18-36-14-561Z_1.jsonl": "",
	} {
		log, _ := piFile(rel).(history.Log)
		fstest.Equal(t, log.ID, want, "session", rel)
	}
}

// TestPiReal compares with what plain decoding of the real sessions finds.
func TestPiReal(t *testing.T) {
	for _, path := range []string{"pi/large-session.jsonl", "small-fixtures/pi/small.jsonl", "same-task-per-agent/pi/convo.jsonl"} {
		t.Run(path, func(t *testing.T) {
			text, err := os.ReadFile(historytest.RealSessions(t, path))
			fstest.Must(t, err)
			c := historytest.ReadText(t, newPi, string(text))
			want := make(map[string]int)
			for line := range strings.Lines(string(text)) {
				v := historytest.DecodeJSON(t, line)
				if v["type"] == "compaction" {
					want["compaction"]++
				}
				m, ok := v["message"].(map[string]any)
				if !ok {
					continue
				}
				if m["errorMessage"] != nil {
					want["system"]++
				}
				if m["role"] == "toolResult" {
					want["tool-result"]++
					if m["isError"] == true {
						want["failed"]++
					}
				}
				for _, b := range m["content"].([]any) {
					block := b.(map[string]any)
					kind := map[any]string{"text": m["role"].(string), "thinking": "thinking", "toolCall": "tool-call"}[block["type"]]
					said, _ := block["text"].(string)
					if thought, ok := block["thinking"].(string); ok {
						said = thought
					}
					if !historytest.HasText(c.Events, said) {
						t.Errorf("not told: %.80q", said)
					}
					if kind != "toolResult" && (said != "" || kind == "tool-call") {
						want[kind]++
					}
				}
			}
			got := historytest.Tally(c.Events)
			t.Log(got, c.Of)
			for kind, n := range want {
				fstest.Equal(t, got[kind], n, kind)
			}
			if got["rewind"]+got["unknown"]+got["fork"] > 0 {
				t.Errorf("marks that are not in the session: %v", got)
			}
			if c.Of.CWD == "" || c.Of.Title == "" || c.Of.Model == "" || c.Of.Start.IsZero() {
				t.Errorf("not known: %+v", c.Of)
			}
		})
	}
}

func FuzzPi(f *testing.F) {
	historytest.FuzzText(f, func(t *testing.T, log string) { historytest.ReadText(t, newPi, log) },
		piHeader+piSays("a", "null", "user", "one")+piSays("b", "a", "assistant", "two")+piSays("c", "a", "user", "three"),
		`{"type":"message","id":"a","parentId":null,"message":{"role":"bashExecution"}}`,
		`{"type":"message","message":{"role":"assistant","content":[{"type":"image"},{"type":"toolCall"}]}}`,
		`{"type":"compaction","id":"a","parentId":"b"}`)
}

func newPi() history.Reader { return new(piReader) }
