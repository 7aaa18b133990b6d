package agents

import (
	"context"
	"path/filepath"
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

// amp returns the reader of Sourcegraph's agent. A thread is a document,
// ~/.local/share/amp/threads/T-<id>.json. Since about March 2026 threads are kept
// on its server only.
func amp() history.Agent {
	return history.InFolder("amp", history.Place{File: ampFile})
}

func ampFile(rel string) history.Format {
	if strings.Contains(rel, "/") || !strings.HasPrefix(rel, "T-") || !strings.HasSuffix(rel, ".json") {
		return nil
	}
	return history.Store{Sessions: ampSessions, Read: ampRead, Spent: ampSpent}
}

func ampSessions(_ context.Context, path string) ([]history.Entry, error) {
	doc, err := records.ReadDocument(path)
	if err != nil {
		return nil, err
	}
	l := history.Entry{Session: event.Session{Agent: "amp"}, Stamp: history.FileStamp(path)}
	ampMeta(path, doc, &l.Session)
	l.Key = l.ID
	return []history.Entry{l}, nil
}

// ampMeta stores what the document says of the thread.
func ampMeta(path string, doc lazyjson.Value, s *event.Session) {
	s.ID = strings.TrimSuffix(filepath.Base(path), ".json")
	s.Name(event.FromAgent, doc.Get("title").String())
	s.Saw(records.Time(doc.Get("created")))
	s.CWD = strings.TrimPrefix(doc.Get("env.initial.trees.0.uri").String(), "file://")
	s.Branch = strings.TrimPrefix(doc.Get("env.initial.trees.0.repository.ref").String(), "refs/heads/")
	s.Program = doc.Get("env.initial.platform.clientVersion").String()
	if parent := doc.Get("mainThreadID").String(); parent != s.ID {
		s.Parent = parent
	}
}

func ampRead(_ context.Context, path, _ string, out event.Sink) error {
	doc, err := records.ReadDocument(path)
	if err != nil {
		return err
	}
	ampMeta(path, doc, out.Session())
	b := &records.Blocks{Out: out, Calls: make(map[string]string)}
	for _, v := range lazyjson.All(doc.Get("messages")) {
		ampMessage(b, v)
	}
	return nil
}

func ampMessage(b *records.Blocks, v lazyjson.Value) {
	m := records.Message{ID: v.Get("messageId").String(), User: v.Get("role").Str == "user", Time: records.Time(v.Get("meta.sentAt"))}
	if m.Time.IsZero() {
		m.Time = records.Time(v.Get("usage.timestamp"))
	}
	m.Model = v.Get("usage.model").String()
	b.Out.Session().Used(m.Model)
	content := v.Get("content")
	switch v.Get("role").Str {
	case "user", "assistant", "info":
	default:
		b.Unknown(m, "message of "+v.Get("role").String(), v)
		return
	}
	if v.Get("state.type").Str == "streaming" {
		return // the file is rewritten when it is complete
	}
	if !content.IsArray() {
		b.Emit(m, content)
		return
	}
	for _, block := range lazyjson.All(content) {
		switch kind := block.Get("type").Str; {
		case kind == "tool_result" && block.Get("run").Exists():
			ampResult(b, m, block)
		case kind == "summary":
			e := m.Event(event.Compaction)
			e.Compact = &event.Compact{Summary: records.First(block, "summary.summary", "summary").String()}
			b.Out.Emit(e)
		default:
			b.Block(m, block)
		}
	}
	if m.ID != "" {
		b.Out.Note(m.ID)
	}
}

// ampResult emits the outcome of a call: {toolUseID, run: {status, result,
// error}}.
func ampResult(b *records.Blocks, m records.Message, v lazyjson.Value) {
	id, status := records.First(v, "toolUseID", "tool_use_id").String(), v.Get("run.status").Str
	failed := false
	switch status {
	case "done":
	case "error", "cancelled", "rejected-by-user":
		failed = true
	default:
		return // the call still runs
	}
	result := v.Get("run.result")
	text, bad := ampText(result)
	if text == "" && failed {
		if text = records.First(v, "run.error.message", "run.error", "run.reason").String(); text == "" {
			text = status
		}
	}
	b.Result(m, id, "", text, failed || bad || result.Get("success").Type == lazyjson.False)
}

// ampText returns the text of a result. Most are a string, or an object with the
// output, the content or the difference.
func ampText(v lazyjson.Value) (text string, failed bool) {
	if !v.IsObject() {
		return records.ResultText(v)
	}
	if output := v.Get("output"); output.Exists() {
		text, _ = records.ResultText(output)
		return text, v.Get("exitCode").Int() != 0
	}
	for _, name := range []string{"content", "diff"} {
		if part := v.Get(name); part.Exists() {
			return records.ResultText(part)
		}
	}
	return records.ResultText(v)
}
