package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/tokens"
	"ctxfs/providers/transcripts/agents"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/event"
)

// realLogs reads Claude Code's logs of the test data.
func realLogs(t testing.TB) map[string]*event.Collector {
	t.Helper()
	files, err := filepath.Glob(fstest.Data(t, "sessions/claude-code") + "/*.jsonl")
	fstest.Must(t, err)
	sessions := make(map[string]*event.Collector)
	for _, path := range files {
		raw, err := os.ReadFile(path)
		fstest.Must(t, err)
		id := strings.TrimSuffix(filepath.Base(path), ".jsonl")
		c := &event.Collector{Of: event.Session{Agent: "claude-code", ID: id}}
		format := agents.All()[0].Places(history.Machine{Home: "/nowhere", OS: "linux", LookupEnv: func(string) (string, bool) { return "", false }})[0].File("x/" + id + ".jsonl")
		reader := format.(history.Log).Open(path)
		for line := range bytes.Lines(raw) {
			reader.Record(bytes.TrimSuffix(line, []byte("\n")), c)
		}
		sessions[id] = c
	}
	return sessions
}

// TestRealLogs makes everything of the real logs. CTXFS_LOOK is a folder where it
// is left, to be read.
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
				fstest.Must(t, err)
				largest = max(largest, len(saved))
				s = Summary{}
				fstest.Must(t, json.Unmarshal(saved, &s))
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
		digest := s.Digest(c.Of, 2000, tokens.Count)
		if n := tokens.Count(string(digest)); n > 2000 {
			t.Errorf("%s: a digest of %d tokens", id, n)
		}
		checkWords(t, c, out, folded)
		files := s.Files()
		t.Logf("%s: %d events, transcript %d, folded %d, messages %d, summary %d, digest %d bytes of %d tokens, %d files", id, len(c.Events), len(out), len(folded), len(messages), largest, len(digest), tokens.Count(string(digest)), bytes.Count(files, []byte("\n"))-1)
		if look != "" {
			dir := filepath.Join(look, id)
			fstest.Must(t, os.MkdirAll(filepath.Join(dir, "results"), 0o755))
			for name, text := range map[string][]byte{"transcript.md": out, "digest.md": digest, "files.tsv": files, "messages.jsonl": messages} {
				fstest.Must(t, os.WriteFile(filepath.Join(dir, name), text, 0o644))
			}
		}
	}
}

// checkWords looks for every line of what was said and answered in the
// transcript, or in the whole of what it folds.
func checkWords(t *testing.T, c *event.Collector, transcript []byte, folded map[string]Folded) {
	t.Helper()
	shown := string(transcript)
	for i := range c.Events {
		e := &c.Events[i]
		if e.Quiet || isMark(e.Kind) {
			continue
		}
		all := string(ResultText(e))
		for line := range strings.Lines(all) {
			line = strings.TrimRight(line, "\n")
			if strings.Contains(shown, line) {
				continue
			}
			pointer := fmt.Sprintf(", %s, %d line", wording.Size(int64(len(all))), countLines(all))
			if !strings.Contains(shown, pointer) {
				t.Errorf("%s %d: %.80q is nowhere, in %d folded", c.Of.ID, e.Seq, line, len(folded))
			}
			break
		}
	}
}
