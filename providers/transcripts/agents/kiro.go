package agents

import (
	"path"
	"path/filepath"
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/event"
)

// kiro is Kiro's command line. Each of its engines keeps sessions elsewhere: the
// second in logs, ~/.kiro/sessions/cli/<id>.jsonl, the third in
// ~/.kiro/sessions/<workspace>/sess_<id>/messages.jsonl, both with a document
// beside that describes the session; the first in a database (kiroDatabase).
func kiro() history.Agent {
	return history.Agent{Name: "kiro", Places: func(m history.Machine) []history.Place {
		data := m.Data("kiro-cli")
		if m.OS == "darwin" {
			data = m.Support("kiro-cli")
		}
		return []history.Place{
			{Dir: filepath.Join(m.Home, ".kiro", "sessions"), File: kiroFile},
			{Dir: data, File: kiroDatabase, Skip: func(string) bool { return true }},
		}
	}}
}

func kiroFile(rel string) history.Format {
	folder, name := path.Split(rel)
	if name == "messages.jsonl" {
		session := path.Base(folder)
		if id, ok := strings.CutPrefix(session, "sess_"); ok && strings.Count(rel, "/") == 2 {
			return history.Log{ID: id, Open: func(file string) history.Reader {
				return &kiroReader{about: sibling(file, "session.json")}
			}}
		}
		return nil
	}
	id, ok := strings.CutSuffix(name, ".jsonl")
	if !ok || id == "" || folder != "cli/" {
		return nil
	}
	return history.Log{ID: id, Open: func(file string) history.Reader {
		return &kiroReader{about: strings.TrimSuffix(file, ".jsonl") + ".json"}
	}}
}

// kiroReader reads a session of the second or the third engine.
type kiroReader struct {
	Calls map[string]string
	// about is the document that describes the session; it is read once in a run.
	about string
	known bool
}

// Record implements Reader.
func (r *kiroReader) Record(line []byte, out event.Sink) {
	if !r.known {
		r.known = true
		kiroMeta(beside(r.about), out.Session())
	}
	v, ok := parsed(line, out)
	if !ok {
		return
	}
	if r.Calls == nil {
		r.Calls = make(map[string]string)
	}
	b := &blocks{out: out, calls: r.Calls}
	if payload := v.Get("payload"); payload.IsObject() {
		kiroPayload(b, v, payload)
	} else {
		kiroEntry(b, v)
	}
}

// kiroMeta fills in what the document of a session tells, of either engine.
func kiroMeta(doc lazyjson.Value, s *event.Session) {
	if s.CWD == "" {
		s.CWD = first(doc, "cwd", "workspacePaths.0").String()
	}
	s.Name(event.FromAgent, doc.Get("title").String())
	s.Saw(moment(first(doc, "created_at", "createdAt")))
	s.Saw(moment(first(doc, "updated_at", "lastModifiedAt")))
	if model := first(doc, "session_state.rts_model_state.model_info.model_id", "modelId").String(); model != "" {
		s.Model = model
	}
}

// kiroEntry reads a line of the second engine: {kind, data: {message_id, content:
// [{kind, data}]}}.
func kiroEntry(b *blocks, v lazyjson.Value) {
	data := v.Get("data")
	m := message{id: data.Get("message_id").String(), time: moment(data.Get("meta.timestamp"))}
	kind := v.Get("kind").Str
	switch kind {
	case "Prompt", "ToolResults":
		m.user = true
	case "AssistantMessage":
		m.model = b.out.Session().Model
	case "Compaction":
		e := m.event(event.Compaction)
		summary, _ := resultText(first(data, "summary", "content"))
		e.Compact = &event.Compact{Summary: summary}
		b.out.Emit(e)
		return
	default:
		e := m.event(event.Unknown)
		e.Text, e.Record = kind, recordOf(v)
		b.out.Emit(e)
		return
	}
	data.Get("content").ForEach(func(_, block lazyjson.Value) bool {
		kiroBlock(b, m, block)
		return true
	})
	if m.id != "" {
		b.out.Note(m.id)
	}
}

func kiroBlock(b *blocks, m message, block lazyjson.Value) {
	data := block.Get("data")
	switch kind := block.Get("kind").Str; kind {
	case "text":
		b.text(m, data.String())
	case "thinking", "reasoning":
		b.thought(m, kiroText(data))
	case "toolUse":
		b.call(m, data.Get("toolUseId").String(), data.Get("name").String(), data.Get("input"))
	case "toolResult":
		status := strings.ToLower(data.Get("status").String())
		b.result(m, data.Get("toolUseId").String(), "", kiroText(data.Get("content")), status != "" && status != "success")
	case "image":
		b.text(m, kiroImage(data))
	default:
		e := m.event(event.Unknown)
		e.Text, e.Record = kind, recordOf(block)
		b.out.Emit(e)
	}
}

// kiroText is the text of content: a string, {kind, data} or {Text} and {Json} of
// the first engine, or a list of these.
func kiroText(v lazyjson.Value) string { return kiroWithin(v, 0) }

func kiroWithin(v lazyjson.Value, depth int) string {
	if depth > nested {
		return v.String()
	}
	switch {
	case v.IsArray():
		var parts []string
		v.ForEach(func(_, item lazyjson.Value) bool {
			if part := kiroWithin(item, depth+1); part != "" {
				parts = append(parts, part)
			}
			return true
		})
		return strings.Join(parts, "\n")
	case !v.IsObject():
		return v.String()
	}
	if v.Get("kind").Str == "image" {
		return kiroImage(v.Get("data"))
	}
	if inner := first(v, "data", "Text", "text"); inner.Exists() {
		return kiroWithin(inner, depth+1)
	}
	if inner := v.Get("Json"); inner.Exists() {
		v = inner
	}
	// What commands return: the text is easier to read than its JSON.
	if out, ok := kiroOutput(v); ok {
		return out
	}
	text, _ := resultText(v)
	return text
}

// kiroOutput is the result of a command or of an MCP tool as plain text.
func kiroOutput(v lazyjson.Value) (string, bool) {
	if content := v.Get("content"); content.IsArray() {
		text, _ := resultText(content)
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

// kiroImage is the note for an image: {format, source: {kind, data}}, whose data
// is a list of bytes or base64.
func kiroImage(v lazyjson.Value) string {
	data := first(v, "source.data", "source.Bytes", "source.bytes")
	size := len(data.Str) / 4 * 3
	if data.IsArray() {
		size = strings.Count(data.Raw, ",") + 1
	}
	return event.Blob("image/"+v.Get("format").String(), size)
}

// kiroPayload reads a line of the third engine: {id, timestamp, payload: {type}}.
func kiroPayload(b *blocks, v, p lazyjson.Value) {
	m := message{id: v.Get("id").String(), time: moment(v.Get("timestamp"))}
	kind := p.Get("type").Str
	switch kind {
	case "user":
		m.user = true
		b.text(m, kiroText(p.Get("content")))
	case "assistant":
		m.model = p.Get("reasoningModelId").String()
		if op := p.Get("operationType").Str; op != "" && op != "Say" {
			b.thought(m, kiroText(p.Get("content")))
			break
		}
		b.text(m, kiroText(p.Get("content")))
	case "tool_call":
		b.call(m, p.Get("toolCallId").String(), p.Get("toolName").String(), p.Get("args"))
	case "tool_result":
		b.result(m, p.Get("toolCallId").String(), p.Get("toolName").String(), kiroText(p.Get("content")), p.Get("success").Type == lazyjson.False)
	case "usage_summary":
		e := m.event(event.System)
		e.Text, e.Quiet, e.Record = kind, true, recordOf(v)
		b.out.Emit(e)
	default:
		e := m.event(event.Unknown)
		e.Text, e.Record = kind, recordOf(v)
		b.out.Emit(e)
	}
	if m.id != "" {
		b.out.Note(m.id)
	}
}
