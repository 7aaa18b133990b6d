// Package kiro reads the sessions of Kiro's command line. Each of its engines
// keeps them elsewhere: the first in a database (conversations.go), the second in
// logs, ~/.kiro/sessions/cli/<id>.jsonl, the third in
// ~/.kiro/sessions/<workspace>/sess_<id>/messages.jsonl. The logs of the second and
// third have a document beside them that describes the session.
package kiro

import (
	"path"
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

// Agent returns the reader of Kiro.
func Agent() history.Agent {
	return history.Agent{Name: "kiro", Places: func(m history.Machine) []history.Place {
		folders := m.Folders("kiro")
		return []history.Place{
			{Dir: folders[0], File: formatOf},
			{Dir: folders[1], File: databaseFormat, Skip: func(string) bool { return true }},
		}
	}}
}

func formatOf(rel string) history.Format {
	folder, name := path.Split(rel)
	if name == "messages.jsonl" {
		session := path.Base(folder)
		if id, ok := strings.CutPrefix(session, "sess_"); ok && strings.Count(rel, "/") == 2 {
			return history.Log{ID: id, Open: func(file string) history.Reader {
				return &reader{document: records.Sibling(file, "session.json")}
			}}
		}
		return nil
	}
	id, ok := strings.CutSuffix(name, ".jsonl")
	if !ok || id == "" || folder != "cli/" {
		return nil
	}
	return history.Log{ID: id, Open: func(file string) history.Reader {
		return &reader{document: strings.TrimSuffix(file, ".jsonl") + ".json"}
	}}
}

// reader reads a session of the second or the third engine.
type reader struct {
	Calls map[string]string
	// document is the path of the document that describes the session. It is read
	// once in a run.
	document  string
	described bool
}

// Record implements [history.Reader].
func (r *reader) Record(line []byte, out event.Sink) {
	if !r.described {
		r.described = true
		readMeta(records.ReadOptional(r.document), out.Session())
	}
	v, ok := records.ParseLine(line, out)
	if !ok {
		return
	}
	if r.Calls == nil {
		r.Calls = make(map[string]string)
	}
	b := &records.Blocks{Out: out, Calls: r.Calls}
	if payload := v.Get("payload"); payload.IsObject() {
		readPayload(b, v, payload)
	} else {
		readEntry(b, v)
	}
}

// readMeta stores what the document of a session says, of either engine.
func readMeta(doc lazyjson.Value, s *event.Session) {
	if s.CWD == "" {
		s.CWD = records.First(doc, "cwd", "workspacePaths.0").String()
	}
	s.Name(event.FromAgent, doc.Get("title").String())
	s.Saw(records.Time(records.First(doc, "created_at", "createdAt")))
	s.Saw(records.Time(records.First(doc, "updated_at", "lastModifiedAt")))
	s.Used(records.First(doc, "session_state.rts_model_state.model_info.model_id", "modelId").String())
}

// readEntry reads a line of the second engine: {kind, data: {message_id, content:
// [{kind, data}]}}.
func readEntry(b *records.Blocks, v lazyjson.Value) {
	data := v.Get("data")
	m := records.Message{ID: data.Get("message_id").String(), Time: records.Time(data.Get("meta.timestamp"))}
	kind := v.Get("kind").Str
	switch kind {
	case "Prompt", "ToolResults":
		m.User = true
	case "AssistantMessage":
		m.Model = b.Out.Session().Model
	case "Compaction":
		e := m.Event(event.Compaction)
		summary, _ := records.ResultText(records.First(data, "summary", "content"))
		e.Compact = &event.Compact{Summary: summary}
		b.Out.Emit(e)
		return
	default:
		b.Unknown(m, kind, v)
		return
	}
	for _, block := range lazyjson.All(data.Get("content")) {
		readBlock(b, m, block)
	}
	if m.ID != "" {
		b.Out.Note(m.ID)
	}
}

func readBlock(b *records.Blocks, m records.Message, block lazyjson.Value) {
	data := block.Get("data")
	switch kind := block.Get("kind").Str; kind {
	case "text":
		b.Text(m, data.String())
	case "thinking", "reasoning":
		b.Thinking(m, contentText(data))
	case "toolUse":
		b.Call(m, data.Get("toolUseId").String(), data.Get("name").String(), data.Get("input"))
	case "toolResult":
		status := strings.ToLower(data.Get("status").String())
		b.Result(m, data.Get("toolUseId").String(), "", contentText(data.Get("content")), status != "" && status != "success")
	case "image":
		b.Text(m, imageNote(data))
	default:
		b.Unknown(m, kind, block)
	}
}

// contentText returns the text of a content: a string, {kind, data}, {Text} or
// {Json} of the first engine, or a list of these.
func contentText(v lazyjson.Value) string { return nestedText(v, 0) }

func nestedText(v lazyjson.Value, depth int) string {
	if depth > records.MaxDepth {
		return v.String()
	}
	switch {
	case v.IsArray():
		return records.JoinText(v, func(item lazyjson.Value) string { return nestedText(item, depth+1) })
	case !v.IsObject():
		return v.String()
	}
	if v.Get("kind").Str == "image" {
		return imageNote(v.Get("data"))
	}
	if inner := records.First(v, "data", "Text", "text"); inner.Exists() {
		return nestedText(inner, depth+1)
	}
	if inner := v.Get("Json"); inner.Exists() {
		v = inner
	}
	// What commands return: the text is easier to read than its JSON.
	if out, ok := outputText(v); ok {
		return out
	}
	text, _ := records.ResultText(v)
	return text
}

// outputText returns the result of a command or of an MCP tool as plain text.
func outputText(v lazyjson.Value) (string, bool) {
	if content := v.Get("content"); content.IsArray() {
		text, _ := records.ResultText(content)
		return text, true
	}
	if !v.Get("stdout").Exists() && !v.Get("stderr").Exists() {
		return "", false
	}
	var parts []string
	for _, name := range []string{"exit_status", "stdout", "stderr"} {
		if part := v.Get(name).String(); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "\n"), true
}

// imageNote returns the note that stands for an image: {format, source: {kind,
// data}}, whose data is a list of bytes or base64.
func imageNote(v lazyjson.Value) string {
	data := records.First(v, "source.data", "source.Bytes", "source.bytes")
	size := len(data.Str) / 4 * 3
	if data.IsArray() {
		size = strings.Count(data.Raw, ",") + 1
	}
	return event.Blob("image/"+v.Get("format").String(), size)
}

// readPayload reads a line of the third engine: {id, timestamp, payload: {type}}.
func readPayload(b *records.Blocks, v, p lazyjson.Value) {
	m := records.Message{ID: v.Get("id").String(), Time: records.Time(v.Get("timestamp"))}
	kind := p.Get("type").Str
	switch kind {
	case "user":
		m.User = true
		b.Text(m, contentText(p.Get("content")))
	case "assistant":
		m.Model = p.Get("reasoningModelId").String()
		if op := p.Get("operationType").Str; op != "" && op != "Say" {
			b.Thinking(m, contentText(p.Get("content")))
			break
		}
		b.Text(m, contentText(p.Get("content")))
	case "tool_call":
		b.Call(m, p.Get("toolCallId").String(), p.Get("toolName").String(), p.Get("args"))
	case "tool_result":
		b.Result(m, p.Get("toolCallId").String(), p.Get("toolName").String(), contentText(p.Get("content")), p.Get("success").Type == lazyjson.False)
	case "usage_summary":
		e := m.Event(event.System)
		e.Text, e.Quiet, e.Record = kind, true, records.RecordOf(v)
		b.Out.Emit(e)
	default:
		b.Unknown(m, kind, v)
	}
	if m.ID != "" {
		b.Out.Note(m.ID)
	}
}
