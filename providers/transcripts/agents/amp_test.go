package agents

import (
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/agents/historytest"
	"ctxfs/providers/transcripts/event"
)

const ampThread = `{"v":1,"id":"T-1","created":1783376868000,"title":"The fix","env":{"initial":{"trees":[{"displayName":"w","uri":"file:///w","repository":{"ref":"refs/heads/main"}}],"platform":{"clientVersion":"0.1"}}},"messages":[
 {"role":"user","messageId":0,"meta":{"sentAt":1783376868500},"content":[{"type":"text","text":"fix it"}]},
 {"role":"assistant","messageId":1,"usage":{"model":"m","timestamp":"2026-07-06T22:27:51Z"},"state":{"type":"complete"},"content":[{"type":"thinking","thinking":"hm","signature":"x"},{"type":"text","text":"so"},{"type":"tool_use","id":"t1","name":"Bash","input":{"cmd":"ls"}},{"type":"tool_use","id":"t2","name":"Read","input":{}},{"type":"tool_use","id":"t3","name":"Edit","input":{}}]},
 {"role":"user","messageId":2,"content":[{"type":"tool_result","toolUseID":"t1","run":{"status":"done","result":{"output":"a.go\n","exitCode":1}}},{"type":"tool_result","toolUseID":"t2","run":{"status":"error","error":{"message":"no such file"}}},{"type":"tool_result","toolUseID":"t3","run":{"status":"in-progress"}}]},
 {"role":"info","messageId":3,"content":[{"type":"summary","summary":{"type":"message","summary":"all of it"}}]},
 {"role":"dream","messageId":4,"content":[]},
 {"role":"assistant","messageId":5,"state":{"type":"streaming"},"content":[{"type":"text","text":"half a wo"}]}
]}`

func TestAmp(t *testing.T) {
	l, c := historytest.ReadOne(t, ampFile("T-1.json"), historytest.WriteFile(t, t.TempDir(), "T-1.json", ampThread))
	want := "user fix it\nthinking hm\nassistant so\ntool-call t1 Bash {\"cmd\":\"ls\"}\ntool-call t2 Read {}\ntool-call t3 Edit {}\n" +
		"tool-result t1 Bash a.go⏎ FAILED\ntool-result t2 Read no such file FAILED\ncompaction  0 all of it\nunknown message of dream\n"
	fstest.Equal(t, historytest.Lines(c.Events), want)
	if l.ID != "T-1" || l.Title != "The fix" || l.CWD != "/w" || l.Branch != "main" || c.Of.Model != "m" || l.Start.UnixMilli() != 1783376868000 {
		t.Errorf("listed %+v, read %+v", l, c.Of)
	}
}

func TestAmpPlaces(t *testing.T) {
	for _, rel := range []string{"secrets.json", "x/T-1.json", "T-1.json.tmp", "history.jsonl"} {
		if ampFile(rel) != nil {
			t.Errorf("%s would be opened", rel)
		}
	}
}

func FuzzAmp(f *testing.F) {
	dir := f.TempDir()
	historytest.FuzzText(f, func(t *testing.T, text string) {
		path := historytest.WriteFile(t, dir, "T-1.json", text)
		_, _ = ampSessions(t.Context(), path)
		_ = ampRead(t.Context(), path, "", &event.Collector{})
	}, ampThread)
}
