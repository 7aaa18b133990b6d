package cline

import (
	"regexp"
	"slices"
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

// In the texts of the user's side Cline and its kin put together what a person
// has typed, between tags, what tools have answered, below a line "[tool for
// 'x'] Result:", and what the program adds.

// taskParts takes such texts apart.
type taskParts struct {
	b    *records.Blocks
	open records.PendingCalls // calls whose results come as texts
	// reply is the tool whose result the next text is: its head stood alone.
	reply string
	at    records.Message
}

// toolReply is what the program writes above a tool's result.
var toolReply = regexp.MustCompile(`^\[([A-Za-z_][A-Za-z0-9_]*)( [^\n]*?)?\] Result:`)

func isToolReply(text string) bool { return toolReply.MatchString(text) }

// called notes the calls of a message.
func (p *taskParts) called(content lazyjson.Value) {
	content.ForEach(func(_, block lazyjson.Value) bool {
		if block.Get("type").Str == "tool_use" {
			p.open.Add(block.Get("id").String(), block.Get("name").String())
		}
		return true
	})
}

// apart emits the parts of a text, if it has several or is a result.
func (p *taskParts) apart(m records.Message, text string) bool {
	if head := toolReply.FindStringSubmatch(text); head != nil {
		p.end()
		rest := strings.TrimSpace(text[len(head[0]):])
		if p.at = m; rest == "" {
			p.reply = head[1]
			return true
		}
		result, said := cutTyped(rest)
		p.result(m, head[1], result)
		return p.said(m, said) || true
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
		p.b.Text(around, before)
	}
	return p.said(m, said)
}

// said emits what a person typed, and what the program has put behind it.
func (p *taskParts) said(m records.Message, text string) bool {
	for text != "" {
		typed, after := typedText(text)
		if typed != "" {
			e := m.Event(event.User)
			e.Text = typed
			p.b.Out.Emit(e)
			p.b.Out.Session().Name(event.FromPrompt, records.Prompt(typed))
		}
		before, next := cutTyped(after)
		if before != "" {
			around := m
			around.Origin = event.Injected
			p.b.Text(around, before)
		}
		text = next
	}
	return true
}

// result emits what a tool has answered. The call is the oldest of that tool
// that has no answer; calls that stand as text have no id.
func (p *taskParts) result(m records.Message, name, text string) {
	id := ""
	if i := slices.IndexFunc(p.open.Open, func(c records.PendingCall) bool { return c.Name == name }); i >= 0 {
		id = p.open.Open[i].ID
		p.open.Take(id)
	}
	p.b.Result(m, id, name, text, strings.HasPrefix(text, "[ERROR]") || strings.HasPrefix(text, "The tool execution failed") || strings.HasPrefix(text, "Error:"))
}

// end emits a result of which only the head was there.
func (p *taskParts) end() {
	if p.reply != "" {
		p.result(p.at, p.reply, "")
		p.reply = ""
	}
}

// typedTags are the tags between which a person's words stand.
var typedTags = [...]string{"task", "user_message", "feedback", "answer", "user_input"}

// cutTyped cuts a text before the first element with a person's words; said is ""
// where there is none.
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

// typedText is what stands in the element that a text begins with, and what
// comes after it.
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
