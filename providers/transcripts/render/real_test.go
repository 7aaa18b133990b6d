package render

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/providers/transcripts/agents"
	"ctxfs/providers/transcripts/event"
)

// realLogs reads Claude Code's logs of the test data.
func realLogs(t testing.TB) map[string]*event.Collector {
	t.Helper()
	data := os.Getenv("CTXFS_TEST_DATA")
	if data == "" {
		data = "../../../../shared/data"
	}
	files, err := filepath.Glob(filepath.Join(data, "sessions/claude-code/*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Skipf("no session logs in %s: set CTXFS_TEST_DATA", data)
	}
	sessions := make(map[string]*event.Collector)
	for _, path := range files {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		id := strings.TrimSuffix(filepath.Base(path), ".jsonl")
		c := &event.Collector{Of: event.Session{Agent: "claude-code", ID: id}}
		format := agents.All()[0].Places(agents.Machine{Home: "/nowhere", OS: "linux", LookupEnv: func(string) (string, bool) { return "", false }})[0].File("x/" + id + ".jsonl")
		reader := format.(agents.Log).Open(path)
		for line := range bytes.Lines(raw) {
			reader.Record(bytes.TrimSuffix(line, []byte("\n")), c)
		}
		sessions[id] = c
	}
	return sessions
}

// TestRealLogs makes everything of the real logs. CTXFS_LOOK is a folder in
// which it is left, to be read.
func TestRealLogs(t *testing.T) {
	look := os.Getenv("CTXFS_LOOK")
	for id, c := range realLogs(t) {
		out, folded := transcribe(c.Of, c.Events)
		s := Summary{CWD: c.Of.CWD}
		largest := 0
		var messages []byte
		for i := range c.Events {
			e := &c.Events[i]
			s.Add(e)
			if i%50 == 0 || i == len(c.Events)-1 {
				saved, err := json.Marshal(&s)
				if err != nil {
					t.Fatal(err)
				}
				largest = max(largest, len(saved))
				s = Summary{}
				if err := json.Unmarshal(saved, &s); err != nil {
					t.Fatal(err)
				}
			}
			from := len(messages)
			messages = AppendJSON(messages, e)
			if back, err := ParseMessage(messages[from:]); err != nil || back.Text != e.Text || back.Seq != e.Seq {
				t.Errorf("%s %d: %v", id, e.Seq, err)
			}
		}
		if largest > 80<<10 {
			t.Errorf("%s: a summary of %d bytes", id, largest)
		}
		digest := s.Digest(c.Of, 2000, nil)
		files := s.Files()
		t.Logf("%s: %d events, transcript %d, folded %d, messages %d, summary %d, digest %d bytes, %d files", id, len(c.Events), len(out), len(folded), len(messages), largest, len(digest), bytes.Count(files, []byte("\n"))-1)
		if look != "" {
			dir := filepath.Join(look, id)
			if err := os.MkdirAll(filepath.Join(dir, "results"), 0o755); err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string][]byte{"transcript.md": out, "digest.md": digest, "files.tsv": files, "messages.jsonl": messages} {
				if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
