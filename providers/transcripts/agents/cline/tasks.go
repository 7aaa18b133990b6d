package cline

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

func taskSessions(agent, path string) ([]history.Entry, error) {
	doc, err := records.ReadHead(path)
	if err != nil {
		return nil, err
	}
	l := history.Entry{
		Session: event.Session{Agent: agent},
		Stamp:   history.FileStamp(path, records.Sibling(path, taskScreen), records.Sibling(path, taskItem), records.Sibling(path, taskModels)),
	}
	taskMeta(path, taskMessages(doc).Get("0"), &l.Session)
	l.Key = l.ID
	return []history.Entry{l}, nil
}

// taskMessages returns the list of messages in a history. One version of Roo
// wrapped it in an object.
func taskMessages(doc lazyjson.Value) lazyjson.Value {
	if doc.IsObject() {
		return doc.Get("messages")
	}
	return doc
}

// taskMeta stores what is known about a task before its messages are read; opened
// is the first message.
func taskMeta(path string, opened lazyjson.Value, s *event.Session) {
	s.ID = filepath.Base(filepath.Dir(path))
	if ms, err := strconv.ParseInt(s.ID, 10, 64); err == nil && len(s.ID) == 13 {
		s.Saw(time.UnixMilli(ms).UTC()) // Cline names a task by its start
	}
	item := records.ReadOptional(records.Sibling(path, taskItem))
	s.CWD = item.Get("workspace").String()
	s.Parent = item.Get("parentTaskId").String()
	s.Name(event.FromPrompt, records.Prompt(item.Get("task").String()))
	s.Saw(records.Time(item.Get("ts")))
	for _, text := range taskTexts(opened.Get("content")) {
		if s.CWD == "" {
			s.CWD = taskFolder(text)
		}
		if taskOrigin(text, true) == event.Typed {
			s.Name(event.FromPrompt, records.Prompt(text))
		}
	}
	s.Saw(records.Time(opened.Get("ts")))
}

// taskTexts returns the texts of a message.
func taskTexts(content lazyjson.Value) []string {
	if !content.IsArray() {
		return []string{content.String()}
	}
	var texts []string
	for _, block := range lazyjson.All(content) {
		if text := block.Get("text").String(); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// taskFolder returns the task's folder, from what the program tells the model about
// its environment.
func taskFolder(text string) string {
	for _, head := range []string{"# Current Workspace Directory (", "# Current Working Directory ("} {
		if _, rest, ok := strings.Cut(text, head); ok {
			if folder, _, ok := strings.Cut(rest, ")"); ok {
				return folder
			}
		}
	}
	return ""
}

func taskRead(path string, out event.Sink) error {
	doc, err := records.ReadDocument(path)
	if err != nil {
		return err
	}
	messages := taskMessages(doc)
	s := out.Session()
	taskMeta(path, messages.Get("0"), s)
	r := taskReader{
		blocks: &records.Blocks{Out: out, Calls: make(map[string]string)},
		screen: readScreen(records.ReadOptional(records.Sibling(path, taskScreen))),
	}
	r.parts.blocks, r.blocks.Split = r.blocks, r.parts.split
	for _, v := range lazyjson.All(records.ReadOptional(records.Sibling(path, taskModels)).Get("model_usage")) {
		s.Model = v.Get("model_id").String()
	}
	i := 0
	for _, v := range lazyjson.All(messages) {
		r.message(i, v)
		i++
	}
	s.Saw(r.screen.seen.Start)
	s.Saw(r.screen.seen.Last)
	return nil
}

// taskReader reads the messages of a task.
type taskReader struct {
	blocks *records.Blocks
	parts  splitter
	screen screen
}

func (r *taskReader) message(i int, v lazyjson.Value) {
	role := v.Get("role").Str
	m := records.Message{ID: v.Get("id").String(), Time: records.Time(v.Get("ts")), User: role == "user"}
	m.Time = cmp.Or(m.Time, r.screen.times[i])
	m.Model = records.First(v.Get("modelInfo"), "modelId", "id").String()
	r.blocks.Out.Session().Used(m.Model)
	content := v.Get("content")
	switch {
	case v.Get("isSummary").Bool() || v.Get("isTruncationMarker").Bool():
		r.compaction(m, v, content)
	case v.Get("type").Str == "reasoning":
		r.reasoning(m, v)
	case role == "user" || role == "assistant" || role == "tool":
		texts := taskTexts(content)
		reply := slices.ContainsFunc(texts, isToolReply)
		r.blocks.Origin = func(text string) string { return taskOrigin(text, i == 0 || !reply && !hasEnvironment(texts)) }
		r.blocks.Thinking(m, v.Get("reasoning_content").String())
		if !m.User {
			r.parts.noteCalls(content)
		}
		r.blocks.Emit(m, content)
		r.parts.endReply()
		r.emitCondensed(m, content)
	default:
		r.blocks.Unknown(m, "message of "+role, v)
	}
}

// compaction emits the compaction mark of Roo. Nothing is lost by it: the
// messages that the summary replaces stay where they are.
func (r *taskReader) compaction(m records.Message, v, content lazyjson.Value) {
	e := m.Event(event.Compaction)
	e.Compact = &event.Compact{Summary: strings.Join(taskTexts(content), "\n")}
	if v.Get("isTruncationMarker").Bool() {
		e.Compact.Trigger = "truncation"
	}
	for _, name := range []string{"condenseId", "truncationId"} {
		if id := v.Get(name).String(); id != "" {
			e.ID, e.Compact.Tokens = id, r.screen.tokens[id]
		}
	}
	r.blocks.Out.Emit(e)
	if e.ID != "" {
		r.blocks.Out.Note(e.ID)
	}
}

// emitCondensed emits the compaction mark of Cline, where the model writes the
// summary as the argument of a tool.
func (r *taskReader) emitCondensed(m records.Message, content lazyjson.Value) {
	if !content.IsArray() {
		return
	}
	for _, block := range lazyjson.All(content) {
		if block.Get("type").Str != "tool_use" {
			continue
		}
		e := m.Event(event.Compaction)
		switch block.Get("name").Str {
		case "summarize_task":
			e.Compact = &event.Compact{Trigger: "auto"}
		case "condense":
			e.Compact = &event.Compact{Trigger: "manual"}
		default:
			continue
		}
		r.blocks.Out.Emit(e)
	}
}

// reasoning emits what models of OpenAI disclose of their thinking, as an item of
// its own.
func (r *taskReader) reasoning(m records.Message, v lazyjson.Value) {
	var parts []string
	if text := v.Get("text").String(); text != "" {
		parts = append(parts, text)
	}
	parts = append(parts, taskTexts(v.Get("summary"))...)
	e := m.Event(event.Thinking)
	if e.Text = strings.TrimSpace(strings.Join(parts, "\n")); e.Text == "" {
		e.Text, e.Quiet = event.Blob("encrypted thinking", len(v.Get("encrypted_content").Str)), true
	}
	r.blocks.Out.Emit(e)
}

// hasEnvironment reports whether the program composed a message: it adds what it
// knows of the environment.
func hasEnvironment(texts []string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return strings.HasPrefix(text, "<environment_details>") })
}

// taskOrigin returns the origin of a text. What a person typed is between tags in
// the program's text; without tags, only the single text of a message is a
// person's.
func taskOrigin(text string, alone bool) string {
	for _, tag := range []string{"<task>", "<user_message>", "<feedback>", "<answer>", "<user_input"} {
		if strings.Contains(text, tag) {
			return event.Typed
		}
	}
	if programText(text) || !alone || isToolReply(text) {
		return event.Injected
	}
	return event.Typed
}

// screen is what the shown messages have that the history lacks.
type screen struct {
	// seen has the first and the last time of them.
	seen event.Session
	// times are those of messages of the history, by index.
	times map[int]time.Time
	// tokens are the sizes of the context before it was condensed, by condenseId.
	tokens map[string]int
}

func readScreen(doc lazyjson.Value) screen {
	s := screen{times: make(map[int]time.Time), tokens: make(map[string]int)}
	for _, v := range lazyjson.All(doc) {
		t := records.Time(v.Get("ts"))
		if t.IsZero() {
			continue
		}
		s.seen.Saw(t)
		if c := v.Get("contextCondense"); c.Exists() {
			s.tokens[c.Get("condenseId").String()] = int(c.Get("prevContextTokens").Int())
		}
		// The index of the last message in the history when this was shown.
		if at := v.Get("conversationHistoryIndex"); at.Type == lazyjson.Number && at.Int() >= 0 {
			i := int(at.Int())
			if known, ok := s.times[i]; !ok || t.Before(known) {
				s.times[i] = t
			}
		}
	}
	return s
}
