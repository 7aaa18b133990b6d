package gemini

import (
	"cmp"
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/internal/regexps"
	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

// message reads a message, or what is new in a newer version of it.
func (r *reader) message(rec records.Line, out event.Sink) {
	id := rec.Text("id")
	_, again := out.Known("msg:" + id)
	again = again && id != ""
	r.First = cmp.Or(r.First, id)
	t := &emitter{r: r, rec: rec, out: out, id: id, seenBefore: again}
	content := rec.Get("content")
	if !content.Exists() {
		content = rec.Get("parts")
	}
	typ := rec.Text("type")
	if typ == "" {
		typ = rec.Text("role")
	}
	switch typ {
	case "user":
		t.user(content)
	case "gemini", "model", "assistant":
		out.Session().Used(rec.Text("model"))
		t.thoughts()
		t.text(event.Assistant, event.Typed, contentText(content))
		t.parts(content)
		for _, c := range lazyjson.All(rec.Get("toolCalls")) {
			t.call(c)
		}
	case "info", "error", "warning":
		text := contentText(content)
		if typ != "info" && text != "" {
			text = typ + ": " + text
		}
		t.text(event.System, event.Typed, text)
	default:
		records.EmitUnknown(out, typ, rec.Source)
		t.noteMessage()
	}
	if !t.emittedAny && !again {
		rec.EmitQuiet(event.System, out)
		t.noteMessage()
	}
}

// emitter emits the parts of a message that were not emitted before.
type emitter struct {
	r          *reader
	rec        records.Line
	out        event.Sink
	id         string
	seenBefore bool
	emittedAny bool
}

// noteMessage notes the message's id, with its first event.
func (t *emitter) noteMessage() {
	if !t.emittedAny && !t.seenBefore && t.id != "" {
		t.out.Note("msg:" + t.id)
	}
	t.emittedAny = true
}

func (t *emitter) emit(e event.Event) {
	e.Time, e.ID = t.rec.Time, t.id
	if e.Kind != event.User && e.Kind != event.System {
		e.Model = t.rec.Text("model")
	}
	t.out.Emit(e)
	t.noteMessage()
}

// emitNew emits something with an id of its own, unless it was emitted before.
func (t *emitter) emitNew(id string, e event.Event) {
	if _, known := t.out.Known(id); known && t.seenBefore {
		return
	}
	t.emit(e)
	t.out.Note(id)
}

// text emits the text of a message: only the addition if it has grown, all of it if
// it has changed otherwise.
func (t *emitter) text(kind event.Kind, origin, text string) {
	if text == "" {
		return
	}
	said := textID(text)
	if _, known := t.out.Known(said); known && t.seenBefore {
		return
	}
	fresh := text
	for i, old := range t.r.Last {
		if t.seenBefore && old.ID == t.id && old.Len < len(text) && records.TextHash(text[:old.Len]) == old.Hash {
			fresh = text[old.Len:]
			t.r.Last = append(t.r.Last[:i:i], t.r.Last[i+1:]...)
			break
		}
	}
	t.emit(event.Event{Kind: kind, Origin: origin, Text: fresh})
	t.out.Note(said)
	if len(t.r.Last) == maxVersions {
		t.r.Last = append([]version(nil), t.r.Last[1:]...)
	}
	t.r.Last = append(t.r.Last, version{ID: t.id, Len: len(text), Hash: records.TextHash(text)})
}

// user emits what the user typed and, as an event of its own, what the program
// added to it: the files that were named.
func (t *emitter) user(content lazyjson.Value) {
	text, shown := contentText(content), contentText(t.rec.Get("displayContent"))
	origin := event.Typed
	if trimmed := strings.TrimSpace(text); strings.HasPrefix(trimmed, "<session_context>") || strings.HasPrefix(trimmed, "<state_snapshot>") ||
		strings.HasPrefix(trimmed, "This is the Gemini CLI. We are setting up the context") {
		origin = event.Injected
	}
	if shown == "" || records.TextHash(shown) == records.TextHash(text) {
		t.text(event.User, origin, text)
		shown = text
	} else {
		t.text(event.User, origin, shown)
		rest, _ := strings.CutPrefix(text, shown)
		t.text(event.User, event.Injected, strings.TrimLeft(rest, "\n"))
	}
	if origin == event.Typed {
		t.out.Session().Name(event.FromPrompt, records.FirstLine(shown))
	}
	t.parts(content)
}

// thoughts emits what the model thought.
func (t *emitter) thoughts() {
	for _, v := range lazyjson.All(t.rec.Get("thoughts")) {
		subject, text := v.Get("subject").Str, v.Get("description").Str
		if v.Type == lazyjson.String {
			text = v.Str
		}
		if subject != "" {
			text = strings.TrimSpace(subject + "\n" + text)
		}
		if text != "" {
			t.emitNew(textID(text), event.Event{Kind: event.Thinking, Text: text})
		}
	}
}

// parts emits the calls and results among the parts of a content. Usually the
// message has them as toolCalls.
func (t *emitter) parts(content lazyjson.Value) {
	if !content.IsArray() {
		return
	}
	for _, p := range lazyjson.All(content) {
		if c := p.Get("functionCall"); c.Exists() {
			id := c.Get("id").Str
			t.emitOnce("call:"+id, id, event.Event{Kind: event.ToolCall,
				Call: &event.Call{ID: id, Name: c.Get("name").Str, Input: c.Get("args").Raw}})
		}
		if f := p.Get("functionResponse"); f.Exists() {
			id := f.Get("id").Str
			text, failed := responseText(f.Get("response"))
			t.emitOnce("result:"+id, id, event.Event{Kind: event.ToolResult,
				Result: &event.Result{CallID: id, Name: f.Get("name").Str, Text: text, Error: failed, Spill: findSpill(text)}})
		}
	}
}

// emitOnce emits a call or a result, unless any message had it before.
func (t *emitter) emitOnce(note, id string, e event.Event) {
	if _, known := t.out.Known(note); known && id != "" {
		return
	}
	t.emit(e)
	t.out.Note(note)
}

// call emits a call and, as soon as there is one, its result. A result that has
// changed is emitted again.
func (t *emitter) call(c lazyjson.Value) {
	id, name := c.Get("id").Str, c.Get("name").Str
	t.emitOnce("call:"+id, id, event.Event{Kind: event.ToolCall, Subagent: c.Get("agentId").Str,
		Call: &event.Call{ID: id, Name: name, Input: c.Get("args").Raw}})
	res := &event.Result{CallID: id, Name: name}
	status := c.Get("status").Str
	res.Error = status == "error" || status == "cancelled"
	result := c.Get("result")
	if display := c.Get("resultDisplay"); !result.Exists() || result.Type == lazyjson.Null {
		if display.Type != lazyjson.String || display.Str == "" {
			return
		}
		res.Text = display.Str
	} else {
		text, failed := resultText(result)
		res.Text, res.Error = text, res.Error || failed
	}
	res.Spill = findSpill(res.Text)
	note := "result:" + id
	if _, known := t.out.Known(note); !known || id == "" {
		t.emit(event.Event{Kind: event.ToolResult, Result: res})
		t.out.Note(note)
		t.out.Note(note + textID(res.Text))
		return
	}
	t.emitNew(note+textID(res.Text), event.Event{Kind: event.ToolResult, Result: res})
}

// resultText returns the text of a result: the responses in it and the texts
// beside them.
func resultText(v lazyjson.Value) (text string, failed bool) {
	if !v.IsArray() {
		return responseText(v)
	}
	text = records.JoinText(v, func(p lazyjson.Value) string {
		f := p.Get("functionResponse")
		if !f.Exists() {
			return partText(p)
		}
		part, bad := responseText(f.Get("response"))
		failed = failed || bad
		return part
	})
	return text, failed
}

// exitLine matches the line of a shell command's output that reports its failure.
var exitLine = regexps.Lazy(`(?m)^Exit Code: [1-9-]`)

// responseText returns the text of one response, and whether it is a failure.
func responseText(v lazyjson.Value) (text string, failed bool) {
	switch out, bad := v.Get("output"), v.Get("error"); {
	case bad.Exists() && bad.Type != lazyjson.Null:
		return bad.String(), true
	case out.Exists():
		text = out.String()
	default:
		text = v.String()
	}
	return text, strings.Contains(text, "Exit Code: ") && exitLine().MatchString(text)
}

// contentText returns the text of a content, with notes for what is not text.
func contentText(v lazyjson.Value) string {
	if !v.IsArray() {
		if v.IsObject() {
			return partText(v)
		}
		return v.String()
	}
	return records.JoinText(v, partText)
}

// partText returns the text of one part. Calls and responses become events of
// their own.
func partText(p lazyjson.Value) string {
	if p.Type == lazyjson.String {
		return p.Str
	}
	if data := p.Get("inlineData"); data.Exists() {
		return event.Blob(data.Get("mimeType").Str, records.Base64Size(data.Get("data").Str))
	}
	if file := p.Get("fileData"); file.Exists() {
		return "[" + file.Get("mimeType").Str + " " + file.Get("fileUri").Str + "]"
	}
	return p.Get("text").Str
}

// spillPath matches the path of a file that contains the full text of a long
// output.
var spillPath = regexps.Lazy(`/[^\n"'<>]*?/tool-outputs/[^\s"'<>]+\.txt`)

func findSpill(text string) string {
	if !strings.Contains(text, "/tool-outputs/") {
		return ""
	}
	return spillPath().FindString(text)
}
