package claudecode

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/historytest"
	"ctxfs/providers/transcripts/event"
)

// realLogs returns the real logs, by path.
func realLogs(t testing.TB) map[string][]byte {
	t.Helper()
	logs := make(map[string][]byte)
	for _, dir := range []string{"claude-code", "same-task-per-agent/claude", "small-fixtures/claude"} {
		err := filepath.WalkDir(fstest.Data(t, "sessions", dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".jsonl" {
				return err
			}
			log, err := os.ReadFile(path)
			logs[path] = append(log, '\n')
			return err
		})
		fstest.Must(t, err)
	}
	return logs
}

// logTally counts what a log contains, and has all that was said in it.
type logTally struct {
	users, assistants, thoughts, calls, results, reported int
	// removed are queued prompts that appear nowhere else.
	removed int
	said    []string
}

// plainMessage is a message as encoding/json decodes it.
type plainMessage struct {
	ID      string
	Model   string
	Content json.RawMessage
}

type plainBlock struct {
	Type, Text, Thinking string
	Input                json.RawMessage
	Content              json.RawMessage
}

func (m plainMessage) blocks() []plainBlock {
	var text string
	if json.Unmarshal(m.Content, &text) == nil {
		return []plainBlock{{Type: "text", Text: text}}
	}
	var blocks []plainBlock
	if json.Unmarshal(m.Content, &blocks) != nil {
		return nil
	}
	return blocks
}

// countRecords counts a log with plain encoding/json, each uuid once.
func countRecords(t *testing.T, log []byte) logTally {
	t.Helper()
	var n logTally
	seen := make(map[string]bool)
	for _, line := range historytest.CompleteLines(log) {
		if len(line) == 0 {
			continue
		}
		var rec struct {
			Type, UUID        string
			IsAPIErrorMessage bool `json:"isApiErrorMessage"`
			Message           plainMessage
			Operation         string
			Attachment        struct {
				Type   string
				Prompt json.RawMessage
			}
			Data struct {
				Type    string
				Message struct {
					Type, UUID string
					Message    plainMessage
				}
			}
		}
		// Fields of other types than these are in records that are not counted.
		if err := json.Unmarshal(line, &rec); err != nil && rec.Type == "" {
			t.Fatal(err)
		}
		if rec.UUID != "" && seen[rec.UUID] {
			continue
		}
		seen[rec.UUID] = true
		message, kind := rec.Message, rec.Type
		inner := rec.Data.Message
		if kind == "progress" && rec.Data.Type == "agent_progress" && !seen[inner.UUID] {
			seen[inner.UUID] = true
			message, kind = inner.Message, inner.Type
			n.reported++
		}
		switch {
		case kind == "tool_use":
			n.calls++
		case kind == "tool_result":
			n.results++
		case rec.Operation == "remove":
			n.removed++
		case rec.Attachment.Type == "queued_command":
			message, kind = plainMessage{Content: rec.Attachment.Prompt}, "user"
		}
		if kind != "user" && kind != "assistant" {
			continue
		}
		for _, b := range message.blocks() {
			n.said = append(n.said, b.Text, b.Thinking)
			switch {
			case b.Type == "tool_use":
				n.calls++
			case b.Type == "tool_result":
				n.results++
				var text string
				var blocks []plainBlock
				if json.Unmarshal(b.Content, &text) != nil {
					_ = json.Unmarshal(b.Content, &blocks)
				}
				n.said = append(n.said, text)
				for _, b := range blocks {
					n.said = append(n.said, b.Text)
				}
			case b.Type == "thinking" && b.Thinking != "":
				n.thoughts++
			case kind == "user" && (b.Type == "image" || b.Type == "text" && b.Text != ""):
				n.users++
			case b.Type == "text" && b.Text != "":
				n.assistants++
			}
		}
	}
	return n
}

func TestClaudeRealLogs(t *testing.T) {
	var sum logTally
	var lines int
	for path, log := range realLogs(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			want := countRecords(t, log)
			got := logTally{reported: want.reported}
			out := historytest.RoundTrip(t, func() history.Reader { return newReader(path) }, log)
			texts := make(map[string]bool)
			var all strings.Builder
			for _, e := range out.Events {
				said := e.Text
				switch {
				case e.Kind == event.Unknown:
					t.Errorf("not understood: %s", e.Record[:min(len(e.Record), 300)])
				case e.Kind == event.Rewind:
					t.Errorf("a rewind where there is none: %+v", e.Rewound)
				case e.Quiet:
					if e.Record == "" && e.Kind == event.System {
						t.Errorf("quiet, and its record is gone: %+v", e)
					}
					continue
				case e.Kind == event.User && e.ID == "":
					got.removed++
				case e.Kind == event.User:
					got.users++
				case e.Kind == event.Assistant:
					got.assistants++
				case e.Kind == event.Thinking:
					got.thoughts++
				case e.Kind == event.ToolCall:
					got.calls++
				case e.Kind == event.ToolResult:
					got.results++
					said = e.Result.Text
				}
				texts[said] = true
				all.WriteString(said)
			}
			for _, said := range want.said {
				if said != "" && !texts[said] && !strings.Contains(all.String(), said) {
					t.Errorf("lost: %.200q", said)
				}
			}
			want.said = nil
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
			sum.users += got.users
			sum.assistants += got.assistants
			sum.thoughts += got.thoughts
			sum.calls += got.calls
			sum.results += got.results
			sum.reported += got.reported
			sum.removed += got.removed
			lines += bytes.Count(log, []byte("\n"))
		})
	}
	t.Logf("%d lines: %+v", lines, sum)
}
