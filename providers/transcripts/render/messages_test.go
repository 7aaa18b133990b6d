package render

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"time"
	"unicode/utf8"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/transcripts/event"
)

func TestMessages(t *testing.T) {
	_, events := sample()
	events[3].At = event.Span{Offset: 1 << 40, Length: 100, Part: 2}
	var out []byte
	for i := range events {
		from := len(out)
		out = AppendJSON(out, &events[i])
		checkMessage(t, &events[i], out[from:])
	}
	golden(t, "messages.jsonl", out)
}

// checkMessage reads a line back.
func checkMessage(t *testing.T, e *event.Event, line []byte) {
	t.Helper()
	if !json.Valid(line) || bytes.Count(line, []byte("\n")) != 1 || line[len(line)-1] != '\n' || !clean.Safe(line) {
		t.Fatalf("%q", line)
	}
	got, err := ParseMessage(line)
	if err != nil || !reflect.DeepEqual(got, *e) {
		t.Fatalf("%s\nis read as %+v, %v\nnot         %+v", line, got, err, *e)
	}
}

func FuzzMessages(f *testing.F) {
	f.Add("text\n\"\\\x1b\u2028\u202e\U000e0041", `{"a":1}`, "id", int64(1234567890123456789), 5, true)
	f.Add("", " {}", "", int64(0), -1, false)
	f.Add("a", `"\ud800"`, "\r", int64(-1), 0, true)
	f.Fuzz(func(t *testing.T, text, raw, id string, nano int64, n int, quiet bool) {
		for _, s := range []string{text, raw, id} {
			if !utf8.ValidString(s) {
				return
			}
		}
		if !clean.Safe([]byte(raw)) {
			return // its invisible characters become escapes
		}
		e := event.Event{Seq: n, ID: id, Kind: event.Kind(text), Origin: id, Model: text, Agent: id, Text: text, Subagent: id, Quiet: quiet, Record: raw}
		if nano != 0 {
			e.Time = time.Unix(0, nano).UTC()
		}
		e.Call = &event.Call{ID: id, Name: text, Input: raw}
		e.Result = &event.Result{CallID: id, Name: text, Text: raw, Error: quiet, Spill: text}
		e.Compact = &event.Compact{Trigger: id, Tokens: n, Summary: text}
		e.Rewound = &event.Rewound{To: n, Count: n}
		e.At = event.Span{Offset: int64(n), Length: nano, Part: n}
		checkMessage(t, &e, AppendJSON(nil, &e))
	})
}

func FuzzParseMessage(f *testing.F) {
	f.Add([]byte(`{"seq":1,"time":"x","kind":"user","at":[1,2]}`))
	f.Add([]byte(`[]`))
	f.Add([]byte(`{"call":1,"result":[],"record":{"a":[1]}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := ParseMessage(line)
		if err != nil {
			return
		}
		again, err := ParseMessage(AppendJSON(nil, &e))
		if err == nil && again.Kind == "" && e.Kind != "" {
			t.Errorf("%q lost its kind", line)
		}
	})
}
