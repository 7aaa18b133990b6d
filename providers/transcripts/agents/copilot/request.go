package copilot

import (
	"strings"
	"time"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

// request emits one request of a chat: a prompt and the whole answer to it. The
// parts of the answer are what the window shows; what the model was told about
// tools and by them is in the result's metadata, as rounds of calls.
type request struct {
	lazyjson.Value
	out   event.Sink
	id    string
	time  time.Time
	model string
	// text is the text since the last event. The window's parts divide it at every
	// link.
	text strings.Builder
	// rounds are the calls that the model made, in order; emitted are the ids of
	// those that were emitted.
	rounds  []toolCall
	emitted map[string]bool
	// hasText and hasThinking are set where the parts of the answer contain text
	// and thinking.
	hasText, hasThinking bool
}

// toolCall is a call as the model made it.
type toolCall struct {
	id, name, args string
	time           time.Time
}

func newRequest(v lazyjson.Value, out event.Sink) *request {
	r := &request{Value: v, out: out, id: v.Get("requestId").Str, time: records.Millis(v.Get("timestamp").Int()),
		model: modelName(v.Get("modelId").Str), emitted: make(map[string]bool)}
	for _, round := range lazyjson.All(v.Get("result.metadata.toolCallRounds")) {
		at := records.Millis(round.Get("timestamp").Int())
		for _, c := range lazyjson.All(round.Get("toolCalls")) {
			r.rounds = append(r.rounds, toolCall{c.Get("id").Str, c.Get("name").Str, c.Get("arguments").String(), at})
		}
	}
	return r
}

// emit emits the events of the request.
func (r *request) emit() {
	r.prompt()
	parts := r.Get("response").Array()
	byOrder := r.inSameOrder(parts)
	n := 0
	for _, p := range parts {
		if p.Get("kind").Str == "toolInvocationSerialized" {
			r.flush()
			r.tool(p, byOrder, n)
			n++
			continue
		}
		r.part(p)
	}
	r.flush()
	r.unshown()
	if msg := r.Get("result.errorDetails.message").Str; msg != "" {
		r.system("error: " + msg)
	}
	if r.Get("isCanceled").Bool() {
		r.system("canceled")
	}
	r.summaries()
}

// prompt emits what the user typed and attached.
func (r *request) prompt() {
	parts := []string{}
	if text := promptText(r.Value); text != "" {
		parts = append(parts, text)
	}
	for _, v := range lazyjson.All(r.Get("variableData.variables")) {
		parts = append(parts, variableNote(v))
	}
	e := event.Event{Kind: event.User, ID: r.id, Time: r.time, Text: strings.Join(parts, "\n")}
	if r.Get("isSystemInitiated").Bool() {
		e.Origin = event.Injected
	}
	r.out.Emit(e)
}

// variableNote returns the note that stands for something attached to a prompt.
func variableNote(v lazyjson.Value) string {
	kind := v.Get("kind").Str
	if kind == "image" {
		return "[image " + v.Get("name").String() + "]"
	}
	value := v.Get("value")
	for _, key := range []string{"uri.fsPath", "fsPath", "uri.path", "path"} {
		if s := value.Get(key).Str; s != "" {
			return "[" + kind + " " + s + "]"
		}
	}
	if value.Type == lazyjson.String && kind != "file" {
		return "[" + kind + " " + v.Get("name").String() + "]\n" + value.Str
	}
	return "[" + kind + " " + v.Get("name").String() + "]"
}

// system emits a text of the program.
func (r *request) system(text string) {
	r.out.Emit(event.Event{Kind: event.System, ID: r.id, Text: text})
}

// emitText emits a text of the model.
func (r *request) emitText(kind event.Kind, text string) {
	if text != "" {
		r.out.Emit(event.Event{Kind: kind, ID: r.id, Model: r.model, Text: text})
	}
}

// flush emits the text so far.
func (r *request) flush() {
	if text := r.text.String(); strings.TrimSpace(text) != "" {
		r.emitText(event.Assistant, text)
		r.hasText = true
	}
	r.text.Reset()
}

// part reads a part of the answer that is not a call.
func (r *request) part(p lazyjson.Value) {
	switch kind := p.Get("kind").Str; kind {
	case "", "markdownContent", "markdownVuln":
		r.text.WriteString(markdown(p))
	case "inlineReference":
		r.text.WriteString(linkText(p))
	case "thinking":
		r.flush()
		if text := joined(p.Get("value")); text != "" {
			r.emitText(event.Thinking, text)
			r.hasThinking = true
		}
	case "textEditGroup", "notebookEditGroup":
		r.flush()
		r.out.Emit(event.Event{Kind: event.ToolCall, ID: r.id, Model: r.model, Call: &event.Call{Name: kind, Input: p.Raw}})
	case "warning", "info":
		r.flush()
		r.system(kind + ": " + markdown(p))
	case "confirmation":
		r.flush()
		r.system(p.Get("title").String() + "\n" + stringOf(p.Get("message")))
	case "elicitation", "elicitationSerialized", "questionCarousel", "planReview":
		r.flush()
		r.system(strings.TrimSpace(stringOf(p.Get("title")) + "\n" + stringOf(p.Get("message"))))
	case "undoStop", "codeblockUri", "prepareToolInvocation", "mcpServersStarting", "progressTaskSerialized", "progressTask",
		"progressMessage", "command", "references", "codeCitation", "treeData", "multiDiffData", "extensions", "pullRequest",
		"workspaceEdit", "hook", "disabledClaudeHooks", "externalEdits", "autoModeResolution":
		r.out.Emit(event.Event{Kind: event.System, ID: r.id, Quiet: true, Record: p.Raw})
	default:
		r.flush()
		r.out.Emit(event.Event{Kind: event.Unknown, ID: r.id, Text: kind, Record: p.Raw})
	}
}

// unshown emits what the model said and did that no part of the answer shows.
func (r *request) unshown() {
	for _, round := range lazyjson.All(r.Get("result.metadata.toolCallRounds")) {
		if text := joined(round.Get("thinking.text")); !r.hasThinking {
			r.emitText(event.Thinking, text)
		}
		if !r.hasText {
			r.emitText(event.Assistant, round.Get("response").Str)
		}
		for _, c := range lazyjson.All(round.Get("toolCalls")) {
			if id := c.Get("id").Str; !r.emitted[id] {
				r.emitted[id] = true
				r.call(toolCall{id: id, name: c.Get("name").Str, args: c.Get("arguments").String()}, "")
				r.result(id, c.Get("name").Str, lazyjson.Value{}, "")
			}
		}
	}
}

// summaries marks where the context was replaced by a summary.
func (r *request) summaries() {
	list := r.Get("result.metadata.summaries").Array()
	if one := r.Get("result.metadata.summary"); len(list) == 0 && one.Exists() {
		list = append(list, one)
	}
	for _, s := range list {
		if text := s.Get("text").Str; text != "" {
			r.out.Emit(event.Event{Kind: event.Compaction, ID: s.Get("toolCallRoundId").Str, Compact: &event.Compact{Summary: text}})
		}
	}
}

// markdown returns the text of a part.
func markdown(p lazyjson.Value) string {
	for _, key := range []string{"content", "value"} {
		if v := p.Get(key); v.Exists() {
			return stringOf(v)
		}
	}
	return stringOf(p)
}

// stringOf returns a text, or the value of a text with markup.
func stringOf(v lazyjson.Value) string {
	if v.IsObject() {
		return v.Get("value").Str
	}
	return v.Str
}

// joined returns a text that may be in pieces.
func joined(v lazyjson.Value) string {
	if !v.IsArray() {
		return v.Str
	}
	var b strings.Builder
	for _, p := range lazyjson.All(v) {
		b.WriteString(p.Str)
	}
	return b.String()
}

// linkText returns the text that stands for a link.
func linkText(p lazyjson.Value) string {
	if name := p.Get("name").Str; name != "" {
		return name
	}
	ref := p.Get("inlineReference")
	for _, key := range []string{"name", "fsPath", "uri.fsPath", "location.uri.fsPath", "path", "uri.path"} {
		if s := ref.Get(key).Str; s != "" {
			return "`" + s + "`"
		}
	}
	return ""
}
