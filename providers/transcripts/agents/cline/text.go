package cline

import (
	"slices"
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/internal/regexps"
	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

// In the texts on the user's side Cline and Roo combine what a person typed,
// between tags, what tools answered, below a line "[tool for 'x'] Result:", and
// what the program adds.

// splitter takes such texts apart.
type splitter struct {
	blocks *records.Blocks
	open   records.PendingCalls // calls whose results come as texts
	// reply is the tool whose result the next text is: its head was alone in a
	// text.
	reply   string
	message records.Message
}

// toolReply matches the head that the program writes above a tool's result.
var toolReply = regexps.Lazy(`^\[([A-Za-z_][A-Za-z0-9_]*)( [^\n]*?)?\] Result:`)

func isToolReply(text string) bool { return toolReply().MatchString(text) }

// noteCalls remembers the calls of a message.
func (p *splitter) noteCalls(content lazyjson.Value) {
	for _, block := range lazyjson.All(content) {
		if block.Get("type").Str == "tool_use" {
			p.open.Add(block.Get("id").String(), block.Get("name").String())
		}
	}
}

// split emits the parts of a text, and reports whether it has several or is a
// result.
func (p *splitter) split(m records.Message, text string) bool {
	if head := toolReply().FindStringSubmatch(text); head != nil {
		p.endReply()
		rest := strings.TrimSpace(text[len(head[0]):])
		if p.message = m; rest == "" {
			p.reply = head[1]
			return true
		}
		result, said := cutTyped(rest)
		p.result(m, head[1], result)
		return p.emitTyped(m, said) || true
	}
	if p.reply != "" && taskOrigin(text, false) == event.Injected && !programText(text) {
		name := p.reply
		p.reply = ""
		p.result(m, name, text)
		return true
	}
	before, said := cutTyped(text)
	if said == "" {
		return false
	}
	if before != "" {
		around := m
		around.Origin = event.Injected
		p.blocks.Text(around, before)
	}
	return p.emitTyped(m, said)
}

// emitTyped emits what a person typed, and what the program added after it.
func (p *splitter) emitTyped(m records.Message, text string) bool {
	for text != "" {
		typed, after := typedText(text)
		if typed != "" {
			e := m.Event(event.User)
			e.Text = typed
			p.blocks.Out.Emit(e)
			p.blocks.Out.Session().Name(event.FromPrompt, records.Prompt(typed))
		}
		before, next := cutTyped(after)
		if before != "" {
			around := m
			around.Origin = event.Injected
			p.blocks.Text(around, before)
		}
		text = next
	}
	return true
}

// result emits what a tool answered. The call is the oldest unanswered one of
// that tool; calls that were made in text have no id.
func (p *splitter) result(m records.Message, name, text string) {
	id := ""
	if i := slices.IndexFunc(p.open.Open, func(c records.PendingCall) bool { return c.Name == name }); i >= 0 {
		id = p.open.Open[i].ID
		p.open.Take(id)
	}
	p.blocks.Result(m, id, name, text, strings.HasPrefix(text, "[ERROR]") || strings.HasPrefix(text, "The tool execution failed") || strings.HasPrefix(text, "Error:"))
}

// endReply emits a result that had only a head.
func (p *splitter) endReply() {
	if p.reply != "" {
		p.result(p.message, p.reply, "")
		p.reply = ""
	}
}

// typedTags are the tags around a person's words.
var typedTags = [...]string{"task", "user_message", "feedback", "answer", "user_input"}

// cutTyped divides a text before the first element with a person's words; said may
// be "".
func cutTyped(text string) (before, said string) {
	at := -1
	for _, tag := range typedTags {
		i := strings.Index(text, "<"+tag)
		if i >= 0 && (at < 0 || i < at) && i+len(tag)+1 < len(text) && strings.IndexByte("> ", text[i+len(tag)+1]) >= 0 && strings.Contains(text[i:], "</"+tag+">") {
			at = i
		}
	}
	if at < 0 {
		return strings.TrimSpace(text), ""
	}
	return strings.TrimSpace(text[:at]), text[at:]
}

// typedText returns the content of the element at the beginning of a text, and
// what comes after it.
func typedText(text string) (typed, after string) {
	name := text[1:strings.IndexAny(text, " >")]
	_, inner, _ := strings.Cut(text, ">")
	inner, after, _ = strings.Cut(inner, "</"+name+">")
	return strings.TrimSpace(inner), after
}

// programText reports whether a text is one that the program adds to a message.
func programText(text string) bool {
	text = strings.TrimSpace(text)
	return slices.ContainsFunc(programTexts[:], func(start string) bool { return strings.HasPrefix(text, start) })
}

var programTexts = [...]string{
	"<environment_details>", "<explicit_instructions", "<file_content", "<system", "<SYSTEM", "<mode_notice", "[ERROR]", "[TASK RESUMPTION]",
}
