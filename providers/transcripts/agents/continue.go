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

// continueDev returns the reader of Continue. A session is a document,
// ~/.continue/sessions/<id>.json, without times. The result of a tool is beside
// the call (toolCallStates[].output), in older sessions in a message of its own.
func continueDev() history.Agent {
	return history.InFolder("continue", history.Place{File: continueFile})
}

func continueFile(rel string) history.Format {
	if strings.Contains(rel, "/") || !strings.HasSuffix(rel, ".json") || rel == "sessions.json" {
		return nil // sessions.json is an index
	}
	return history.Store{Sessions: continueSessions, Read: continueRead}
}

func continueSessions(_ context.Context, path string) ([]history.Entry, error) {
	doc, err := records.ReadDocument(path)
	if err != nil {
		return nil, err
	}
	l := history.Entry{Session: event.Session{Agent: "continue"}, Stamp: history.FileStamp(path)}
	continueMeta(path, doc, &l.Session)
	l.Key = l.ID
	for _, item := range lazyjson.All(doc.Get("history")) {
		if m := item.Get("message"); m.Get("role").Str == "user" {
			text, _ := records.ResultText(m.Get("content"))
			l.Name(event.FromPrompt, records.Prompt(text))
			break
		}
	}
	return []history.Entry{l}, nil
}

// continueMeta stores what the document says of the session.
func continueMeta(path string, doc lazyjson.Value, s *event.Session) {
	if s.ID = doc.Get("sessionId").String(); s.ID == "" {
		s.ID = strings.TrimSuffix(filepath.Base(path), ".json")
	}
	s.CWD = strings.TrimPrefix(doc.Get("workspaceDirectory").String(), "file://")
	s.Model = doc.Get("chatModelTitle").String()
	if title := doc.Get("title").String(); title != "New Session" {
		s.Name(event.FromAgent, title)
	}
}

func continueRead(_ context.Context, path, _ string, out event.Sink) error {
	doc, err := records.ReadDocument(path)
	if err != nil {
		return err
	}
	continueMeta(path, doc, out.Session())
	r := continueReader{blocks: &records.Blocks{Out: out, Calls: make(map[string]string)}, separate: make(map[string]bool)}
	history := doc.Get("history")
	for _, item := range lazyjson.All(history) {
		if m := item.Get("message"); m.Get("role").Str == "tool" {
			r.separate[m.Get("toolCallId").String()] = true
		}
	}
	for _, item := range lazyjson.All(history) {
		r.item(item)
	}
	return nil
}

// continueReader reads the items of a session's history.
type continueReader struct {
	blocks *records.Blocks
	// separate are the calls whose results are messages of their own.
	separate map[string]bool
	// failed are those of them that failed.
	failed map[string]bool
}

func (r *continueReader) item(item lazyjson.Value) {
	v := item.Get("message")
	m := records.Message{ID: v.Get("id").String()}
	role := v.Get("role").Str
	switch role {
	case "user":
		m.User = true
		r.context(m, item)
		r.blocks.Emit(m, v.Get("content"))
	case "assistant":
		m.Model = item.Get("promptLogs.0.modelTitle").String()
		r.reasoning(m, item.Get("reasoning"))
		if content := v.Get("content"); content.IsArray() || content.String() != "" {
			r.blocks.Emit(m, content)
		}
	case "thinking":
		text, _ := records.ResultText(v.Get("content"))
		r.blocks.Thinking(m, text)
	case "tool":
		id := v.Get("toolCallId").String()
		text, _ := records.ResultText(v.Get("content"))
		r.blocks.Result(m, id, "", text, r.failed[id])
	case "system":
		e := m.Event(event.System)
		e.Text, _ = records.ResultText(v.Get("content"))
		e.Quiet = true
		r.blocks.Out.Emit(e)
	default:
		r.blocks.Unknown(m, "message of "+role, item)
	}
	r.calls(m, item, v)
	if summary := item.Get("conversationSummary").String(); summary != "" {
		e := m.Event(event.Compaction)
		e.Compact = &event.Compact{Summary: summary}
		r.blocks.Out.Emit(e)
	}
}

// context emits the files and other things that a prompt refers to.
func (r *continueReader) context(m records.Message, item lazyjson.Value) {
	for _, c := range lazyjson.All(item.Get("contextItems")) {
		e := m.Event(event.User)
		e.Origin, e.Text = event.Injected, c.Get("name").String()+"\n"+c.Get("content").String()
		r.blocks.Out.Emit(e)
	}
}

func (r *continueReader) reasoning(m records.Message, v lazyjson.Value) {
	m.Time = records.Time(v.Get("startAt"))
	r.blocks.Thinking(m, v.Get("text").String())
}

// calls emits the calls of a message, with their results.
func (r *continueReader) calls(m records.Message, item, v lazyjson.Value) {
	states := item.Get("toolCallStates")
	if !states.Exists() {
		states = lazyjson.ParseString("[" + item.Get("toolCallState").Raw + "]")
	}
	seen := make(map[string]bool)
	for _, state := range lazyjson.All(states) {
		if !state.IsObject() {
			continue
		}
		id := records.First(state, "toolCallId", "toolCall.id").String()
		seen[id] = true
		r.call(m, id, state.Get("toolCall"))
		r.outcome(m, id, state)
	}
	for _, call := range lazyjson.All(v.Get("toolCalls")) {
		if id := call.Get("id").String(); !seen[id] {
			r.call(m, id, call)
		}
	}
}

func (r *continueReader) call(m records.Message, id string, v lazyjson.Value) {
	r.blocks.Call(m, id, v.Get("function.name").String(), v.Get("function.arguments"))
}

// outcome emits the result beside a call, unless a message has it.
func (r *continueReader) outcome(m records.Message, id string, state lazyjson.Value) {
	status := state.Get("status").Str
	failed := status == "errored" || status == "canceled"
	if r.separate[id] {
		if failed {
			if r.failed == nil {
				r.failed = make(map[string]bool)
			}
			r.failed[id] = true
		}
		return
	}
	if !failed && status != "done" {
		return // the call still runs
	}
	var parts []string
	for _, c := range lazyjson.All(state.Get("output")) {
		parts = append(parts, c.Get("content").String())
	}
	if status == "canceled" && len(parts) == 0 {
		parts = []string{"canceled"}
	}
	r.blocks.Result(m, id, "", strings.Join(parts, "\n"), failed)
}
