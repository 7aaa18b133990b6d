package agents

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/internal/sqlite"
	"ctxfs/providers/internal/zstd"
	"ctxfs/providers/transcripts/agents/database"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

// zed returns the reader of Zed, which stores a thread as one document in a row
// of its database (crates/agent/src/db.rs and thread.rs of its repository): JSON,
// usually compressed. Version 0.3.0 has messages {User} and {Agent}, with the
// results beside their calls; older ones have a role, segments and tool_uses.
// Messages have no times, only the thread has.
func zed() history.Agent {
	return history.InFolder("zed", history.Place{File: func(rel string) history.Format {
		if rel == "threads.db" {
			return history.Store{Sessions: zedSessions, Read: zedRead}
		}
		return nil
	}})
}

// zedData are the names of the column with the thread: JSON, or compressed JSON,
// which begins with zstdMagic whatever data_type says.
const zedData = "data|content"

var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// zedLimit is the size of the largest thread that is read, in bytes.
const zedLimit = 512 << 20

func zedSessions(ctx context.Context, path string) ([]history.Entry, error) {
	return database.Read(ctx, path, func(h *database.Snapshot, add func(history.Entry)) error {
		threads, err := h.Table("threads", []string{"id"}, zedData)
		if err != nil || !threads.Exists() {
			return err
		}
		return h.Each("SELECT "+threads.Pick("id", "parent_id")+", "+threads.Any("summary", "title")+", "+threads.Pick("created_at", "updated_at", "folder_paths", "worktree_branch")+
			", octet_length("+threads.Any(strings.Split(zedData, "|")...)+") FROM "+threads.From()+" ORDER BY 5, 1", func(r sqlite.Row) error {
			folder, _, _ := strings.Cut(r.Text(5), "\n")
			l := history.Entry{Key: r.Text(0), Session: event.Session{
				Agent: "zed", ID: r.Text(0), Parent: r.Text(1), CWD: folder, Branch: r.Text(6),
			}}
			l.Name(event.FromSummary, r.Text(2))
			l.Saw(r.Time(3))
			l.Saw(r.Time(4))
			l.Stamp = history.StampOf(r.Text(4), r.Int(7), r.Text(2))
			add(l)
			return nil
		})
	})
}

func zedRead(ctx context.Context, path, key string, out event.Sink) error {
	type row struct {
		kind string
		data []byte
	}
	rows, err := database.Read(ctx, path, func(h *database.Snapshot, add func(row)) error {
		threads, err := h.Table("threads", []string{"id"}, zedData)
		if err != nil || !threads.Exists() {
			return err
		}
		return h.Each("SELECT "+threads.Pick("data_type")+", "+threads.Any(strings.Split(zedData, "|")...)+" FROM "+threads.From()+" WHERE id = ?", func(r sqlite.Row) error {
			add(row{r.Text(0), r.Bytes(1)})
			return nil
		}, key)
	})
	if err := database.IgnorePartial(err); err != nil || len(rows) == 0 || len(rows[0].data) == 0 {
		return err
	}
	text := rows[0].data
	kind := rows[0].kind
	if kind == "zstd" || bytes.HasPrefix(text, zstdMagic) {
		if text, err = zstd.Decompress(text, zedLimit); err != nil {
			return fmt.Errorf("thread %s: %w", key, err)
		}
	} else if kind != "json" && kind != "" && !lazyjson.Valid(text) {
		return fmt.Errorf("thread %s: data of the unknown type %q", key, kind)
	}
	if !lazyjson.Valid(text) {
		return fmt.Errorf("thread %s: %w", key, errNotJSON)
	}
	zedThread(lazyjson.Parse(text), out)
	return nil
}

var errNotJSON = errors.New("the data is not JSON")

// zedThread emits the messages of a thread.
func zedThread(thread lazyjson.Value, out event.Sink) {
	session := out.Session()
	session.Name(event.FromSummary, thread.Get("title").Str)
	session.Name(event.FromSummary, thread.Get("summary").Str)
	if session.Parent == "" {
		session.Parent = thread.Get("subagent_context.parent_thread_id").Str
	}
	session.Used(thread.Get("model.model").Str)
	z := zedReader{out: out, names: make(records.ToolNames)}
	for _, m := range lazyjson.All(thread.Get("messages")) {
		z.message(m)
	}
}

type zedReader struct {
	out   event.Sink
	names records.ToolNames
	count int
}

// emit emits an event, with a number as its id where the document has no id.
func (z *zedReader) emit(e event.Event) {
	if e.Kind != event.ToolCall && e.Kind != event.ToolResult && !e.Quiet && e.Text == "" && e.Compact == nil {
		return
	}
	if e.Kind == event.User && e.Origin == event.Typed {
		z.out.Session().Name(event.FromPrompt, records.Prompt(e.Text))
	}
	if e.Kind == event.Assistant {
		e.Model = z.out.Session().Model
	}
	z.count++
	if e.ID == "" {
		e.ID = fmt.Sprintf("%d", z.count)
	}
	z.out.Emit(e)
}

func (z *zedReader) message(m lazyjson.Value) {
	if m.Get("role").Exists() {
		z.legacy(m)
		return
	}
	if m.Type == lazyjson.String {
		z.emit(event.Event{Kind: event.System, Text: m.Str, Quiet: true, Record: m.Raw}) // "Resume"
		return
	}
	user, agent := m.Get("User"), m.Get("Agent")
	switch {
	case user.Exists():
		id := user.Get("id").Str
		n := 0
		for _, c := range lazyjson.All(user.Get("content")) {
			e := z.content(event.User, c)
			if id != "" {
				e.ID = records.PartID(id, n)
			}
			n++
			z.emit(e)
		}
	case agent.Exists():
		for _, c := range lazyjson.All(agent.Get("content")) {
			z.emit(z.content(event.Assistant, c))
		}
		for id, r := range lazyjson.All(agent.Get("tool_results")) {
			z.result(id.Str, r)
		}
	default:
		name, _ := variant(m)
		z.emit(event.Event{Kind: event.Unknown, Text: name, Record: m.Raw})
	}
}

// variant returns the first field of an object: the type and the value of a Rust
// enum.
func variant(v lazyjson.Value) (name string, value lazyjson.Value) {
	for name, value := range lazyjson.All(v) {
		return name.Str, value
	}
	return "record", value
}

// content returns the event of a piece of a message: an object with one field,
// its type.
func (z *zedReader) content(kind event.Kind, c lazyjson.Value) event.Event {
	if c.Type == lazyjson.String {
		return event.Event{Kind: kind, Text: c.Str}
	}
	if !c.IsObject() {
		return event.Event{Kind: event.Unknown, Text: "content", Record: c.Raw}
	}
	name, v := variant(c)
	switch name {
	case "Text":
		return event.Event{Kind: kind, Text: v.Str}
	case "Thinking":
		return event.Event{Kind: event.Thinking, Text: v.Get("text").Str}
	case "RedactedThinking":
		return event.Event{Kind: event.Thinking, Quiet: true, Record: c.Raw}
	case "Mention":
		e := event.Event{Kind: kind, Text: mentionText(v), Origin: event.Typed}
		if kind == event.User {
			e.Origin = event.Injected
		}
		return e
	case "Image":
		return event.Event{Kind: kind, Text: records.Base64Note("image", v.Get("source").Str)}
	case "ToolUse":
		e := event.Event{Kind: event.ToolCall, ID: v.Get("id").Str, Call: &event.Call{
			ID: v.Get("id").Str, Name: v.Get("name").Str, Input: v.Get("input").Raw,
		}}
		if raw := v.Get("raw_input"); e.Call.Input == "" || e.Call.Input == "null" {
			e.Call.Input = raw.Str
		}
		z.names[e.Call.ID] = e.Call.Name
		return e
	}
	return event.Event{Kind: event.Unknown, Text: name, Record: c.Raw}
}

// mentionText returns the name of what was mentioned, and the part of it that was
// sent to the model.
func mentionText(v lazyjson.Value) string {
	uri := v.Get("uri")
	name := uri.Str
	if uri.IsObject() {
		name = uri.Raw
	}
	return strings.TrimSpace("[mention] " + name + "\n" + v.Get("content").Str)
}

func (z *zedReader) result(id string, r lazyjson.Value) {
	if callID := r.Get("tool_use_id").Str; callID != "" {
		id = callID
	}
	text := zedOutput(r.Get("content"))
	if output := r.Get("output"); text == "" && output.Type == lazyjson.String {
		text = output.Str
	} else if text == "" && output.Type == lazyjson.JSON {
		text = output.Raw
	}
	e := event.Event{Kind: event.ToolResult, ID: id + ".result", Result: z.names.Result(id, text, r.Get("is_error").Bool())}
	if e.Result.Name == "" {
		e.Result.Name = r.Get("tool_name").Str
	}
	z.emit(e)
}

// zedOutput returns the text of a result's content: one piece or several.
func zedOutput(v lazyjson.Value) string {
	switch {
	case v.IsArray():
		var texts []string
		for _, c := range lazyjson.All(v) {
			texts = append(texts, zedOutput(c))
		}
		return strings.Join(texts, "\n")
	case v.Get("Text").Exists():
		return v.Get("Text").Str
	case v.Get("Image").Exists():
		return records.Base64Note("image", v.Get("Image.source").Str)
	}
	return records.ContentText(v)
}

// legacy emits a message of a thread from before version 0.3.0.
func (z *zedReader) legacy(m lazyjson.Value) {
	kind := event.Assistant
	switch m.Get("role").Str {
	case "user":
		kind = event.User
	case "system":
		kind = event.System
	}
	if files := m.Get("context").Str; files != "" {
		z.emit(event.Event{Kind: event.User, Origin: event.Injected, Text: files})
	}
	for _, s := range lazyjson.All(m.Get("segments")) {
		switch name := s.Get("type").Str; name {
		case "text":
			z.emit(event.Event{Kind: kind, Text: s.Get("text").Str})
		case "thinking":
			z.emit(event.Event{Kind: event.Thinking, Text: s.Get("text").Str})
		case "redacted_thinking":
			z.emit(event.Event{Kind: event.Thinking, Quiet: true, Record: s.Raw})
		default:
			z.emit(event.Event{Kind: event.Unknown, Text: name, Record: s.Raw})
		}
	}
	if !m.Get("segments").Exists() {
		z.emit(event.Event{Kind: kind, Text: m.Get("text").Str})
	}
	for _, u := range lazyjson.All(m.Get("tool_uses")) {
		call := &event.Call{ID: u.Get("id").Str, Name: u.Get("name").Str, Input: u.Get("input").Raw}
		z.names[call.ID] = call.Name
		z.emit(event.Event{Kind: event.ToolCall, ID: call.ID, Call: call})
	}
	for _, r := range lazyjson.All(m.Get("tool_results")) {
		z.result("", r)
	}
}
