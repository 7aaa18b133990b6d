package claudecode

import (
	"encoding/json"
	"testing"

	"ctxfs/providers/transcripts/agents/historytest"
	"ctxfs/providers/transcripts/event"
)

// BenchmarkClaudeCode reads the real logs. "structs" measures how long
// encoding/json takes to decode only the fields that the reader uses.
func BenchmarkClaudeCode(b *testing.B) {
	logs := realLogs(b)
	var size int64
	lines := make(map[string][][]byte)
	for path, log := range logs {
		size += int64(len(log))
		lines[path] = historytest.CompleteLines(log)
	}
	b.Run("reader", func(b *testing.B) {
		b.SetBytes(size)
		b.ReportAllocs()
		for b.Loop() {
			for path, lines := range lines {
				r, out := newReader(path), &forgetful{Collector: &event.Collector{}}
				for _, line := range lines {
					r.Record(line, out)
				}
			}
		}
	})
	b.Run("structs", func(b *testing.B) {
		b.SetBytes(size)
		b.ReportAllocs()
		for b.Loop() {
			for _, lines := range lines {
				for _, line := range lines {
					var rec struct {
						Type, Subtype, UUID, ParentUUID, SessionID, Timestamp, CWD, GitBranch, Version string
						Message                                                                        struct {
							ID, Model string
							Content   json.RawMessage
						}
					}
					if json.Unmarshal(line, &rec) != nil {
						continue
					}
					var blocks []struct {
						Type, ID, Name, Text, Thinking, ToolUseID string
						Input, Content                            json.RawMessage
					}
					_ = json.Unmarshal(rec.Message.Content, &blocks) // a text, else
				}
			}
		}
	})
}

// forgetful numbers events without storing them: only the reader is measured.
type forgetful struct {
	*event.Collector
	seq   int
	noted map[string]int
}

func (f *forgetful) Emit(e event.Event) int {
	f.seq++
	f.Of.Saw(e.Time)
	return f.seq
}

func (f *forgetful) Note(id string) {
	if f.noted == nil {
		f.noted = make(map[string]int)
	}
	f.noted[id] = f.seq
}

func (f *forgetful) Known(id string) (int, bool) {
	seq, ok := f.noted[id]
	return seq, ok
}
