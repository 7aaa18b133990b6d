package agents

import (
	"context"
	"strconv"
	"strings"

	"ctxfs/fs/facts"
	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/internal/sqlite"
	"ctxfs/providers/transcripts/agents/database"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

// goose returns the reader of Goose, which keeps all sessions in one database
// (crates/goose/src/session and crates/goose/src/conversation/message.rs of its
// repository, schema versions 1 to 15): sessions, and messages whose content_json
// is a list of blocks. A compaction keeps the old messages (no longer
// agentVisible) and adds a summary that only the model sees (not userVisible).
// Times are in UTC; those of messages in seconds.
func goose() history.Agent {
	return history.InFolder("goose", history.Place{File: func(rel string) history.Format {
		if rel == "sessions.db" {
			return history.Store{Sessions: gooseSessions, Read: gooseRead, Spent: gooseSpent}
		}
		return nil
	}})
}

func gooseTables(h *database.Snapshot) (sessions, messages sqlite.Table, err error) {
	if sessions, err = h.Table("sessions", []string{"id"}); err == nil {
		messages, err = h.Table("messages", []string{"session_id"}, "role", gooseContent)
	}
	return sessions, messages, err
}

// gooseContent are the names of the column with the blocks.
const gooseContent = "content_json|content"

func gooseSessions(ctx context.Context, path string) ([]history.Entry, error) {
	return database.Read(ctx, path, func(h *database.Snapshot, add func(history.Entry)) error {
		sessions, messages, err := gooseTables(h)
		if err != nil {
			return err
		}
		// The number of the newest message also changes when a conversation is
		// replaced, and is found in the index.
		written := make(map[string]string)
		if messages.Exists() {
			err = h.Each("SELECT session_id, count(*), max(rowid) FROM "+messages.From()+" GROUP BY session_id", func(r sqlite.Row) error {
				written[r.Text(0)] = history.StampOf(r.Int(1), r.Int(2))
				return nil
			})
		}
		switch {
		case err != nil:
			return err
		case !sessions.Exists() && messages.Exists():
			return h.Orphans("goose", messages, written, add)
		case !sessions.Exists():
			return nil
		}
		return h.Each("SELECT "+sessions.Pick("id", "name", "description", "user_set_name", "working_dir", "created_at", "updated_at",
			"model_config_json", "parent_session_id", "archived_at", "session_type")+" FROM "+sessions.From()+" ORDER BY 6, 1",
			func(r sqlite.Row) error {
				l := history.Entry{Key: r.Text(0), Session: event.Session{
					Agent: "goose", ID: r.Text(0), CWD: r.Text(4), Parent: r.Text(8),
					Model: lazyjson.ParseString(r.Text(7)).Get("model_name").Str, Archived: !r.Null(9),
				}}
				l.Name(event.FromSummary, r.Text(2))
				if rank := event.FromSummary; r.Text(1) != "" {
					if r.Int(3) != 0 {
						rank = event.FromUser
					}
					l.Name(rank, r.Text(1))
				}
				l.Saw(r.Time(5))
				l.Saw(r.Time(6))
				l.Stamp = history.StampOf(r.Text(6), written[l.ID], r.Text(1), r.Text(2), r.Text(9))
				add(l)
				return nil
			})
	})
}

// gooseMessage is a row of messages.
type gooseMessage struct {
	id, role, content, metadata string
	event                       event.Event
}

func gooseRead(ctx context.Context, path, key string, out event.Sink) error {
	rows, err := database.Read(ctx, path, func(h *database.Snapshot, add func(gooseMessage)) error {
		_, messages, err := gooseTables(h)
		if err != nil || !messages.Exists() {
			return err
		}
		return h.Each("SELECT "+messages.Any("id", "rowid")+", "+messages.Pick("message_id", "role")+", "+messages.Any(strings.Split(gooseContent, "|")...)+", "+
			messages.Pick("metadata_json", "created_timestamp", "timestamp")+
			" FROM "+messages.From()+" WHERE session_id = ? ORDER BY 6, rowid", func(r sqlite.Row) error {
			m := gooseMessage{id: r.Text(1), role: r.Text(2), content: r.Text(3), metadata: r.Text(4)}
			if m.id == "" {
				m.id = strconv.FormatInt(r.Int(0), 10)
			}
			if m.event.Time = r.Time(5); m.event.Time.IsZero() {
				m.event.Time = r.Time(6)
			}
			add(m)
			return nil
		}, key)
	})
	if err := database.IgnorePartial(err); err != nil {
		return err
	}
	reader := gooseReader{out: out, names: make(records.ToolNames)}
	for _, m := range rows {
		reader.message(m)
	}
	return nil
}

type gooseReader struct {
	out   event.Sink
	names records.ToolNames
	// hidden is set where the previous message is no longer shown to the model.
	hidden bool
}

func (g *gooseReader) message(m gooseMessage) {
	metadata := lazyjson.ParseString(m.metadata)
	forUser := metadata.Get("userVisible").Type != lazyjson.False
	forModel := metadata.Get("agentVisible").Type != lazyjson.False
	e := m.event
	e.ID = m.id
	content, ok := records.ParseRow(g.out, e, m.content)
	if !ok {
		return
	}
	if g.hidden && forModel && !forUser {
		e := e
		e.Kind, e.ID, e.Compact = event.Compaction, m.id+".compaction", &event.Compact{}
		g.out.Emit(e)
	}
	g.hidden = !forModel
	if m.role == "user" {
		e.Kind = event.User
		if !forUser {
			e.Origin = event.Injected
		}
	} else {
		e.Kind, e.Model = event.Assistant, g.out.Session().Model
	}
	if !content.IsArray() {
		e.Kind, e.Text, e.Record = event.Unknown, "content", m.content
		g.out.Emit(e)
		return
	}
	n := 0
	for _, block := range lazyjson.All(content) {
		e.ID = records.PartID(m.id, n)
		n++
		g.block(e, block)
	}
}

func (g *gooseReader) block(e event.Event, block lazyjson.Value) {
	switch kind := block.Get("type").Str; kind {
	case "text":
		e.Text = block.Get("text").Str
		if e.Kind == event.User && e.Origin == event.Typed {
			g.out.Session().Name(event.FromPrompt, records.Prompt(e.Text))
		}
	case "image":
		e.Text = records.Base64Note(block.Get("mimeType").Str, block.Get("data").Str)
	case "thinking", "reasoning":
		e.Kind, e.Text = event.Thinking, block.Get("thinking").Str
		if e.Text == "" {
			e.Text = block.Get("text").Str
		}
	case "redactedThinking":
		e.Kind, e.Quiet, e.Record = event.Thinking, true, block.Raw
	case "toolRequest", "frontendToolRequest":
		g.call(&e, block)
	case "toolResponse":
		g.result(&e, block)
	case "conversationCompacted", "contextLengthExceeded", "summarizationRequested":
		e.Kind, e.Compact = event.Compaction, &event.Compact{Summary: block.Get("msg").Str}
	case "systemNotification":
		e.Kind, e.Text = event.System, block.Get("msg").Str
	case "toolConfirmationRequest", "actionRequired":
		e.Kind, e.Record = event.System, block.Raw
		if e.Text = block.Get("prompt").Str; e.Text == "" {
			e.Quiet = true
		}
	default:
		e.Kind, e.Text, e.Record = event.Unknown, kind, block.Raw
	}
	if e.Text == "" && (e.Kind == event.User || e.Kind == event.Assistant || e.Kind == event.Thinking) && !e.Quiet {
		return
	}
	g.out.Emit(e)
}

// call reads a request, which may be a malformed one of the model's.
func (g *gooseReader) call(e *event.Event, block lazyjson.Value) {
	call := block.Get("toolCall")
	value := call.Get("value")
	if !value.Exists() {
		if value = call; call.Get("error").Exists() {
			e.Kind, e.Text, e.Record = event.System, records.ContentText(call.Get("error")), block.Raw
			return
		}
	}
	e.Kind = event.ToolCall
	e.Call = &event.Call{ID: block.Get("id").Str, Name: value.Get("name").Str, Input: value.Get("arguments").Raw}
	g.names[e.Call.ID] = e.Call.Name
}

func (g *gooseReader) result(e *event.Event, block lazyjson.Value) {
	result := block.Get("toolResult")
	value := result.Get("value")
	failed := result.Get("status").Str == "error" || value.Get("isError").Bool()
	text := records.ContentText(result.Get("error"))
	switch {
	case value.IsArray(), !value.IsObject() && value.Exists():
		text = records.ContentText(value)
	case value.Get("content").Exists():
		text = records.ContentText(value.Get("content"))
		if structured := value.Get("structuredContent"); text == "" && structured.IsObject() {
			text = structured.Raw
		}
	case value.Exists():
		text = value.Raw
	}
	e.Kind, e.Origin, e.Model = event.ToolResult, "", ""
	e.Result = g.names.Result(block.Get("id").Str, text, failed)
}

// gooseSpent reads what a session took, which is known of all its requests together.
func gooseSpent(ctx context.Context, path, key string, out func(facts.ModelCall)) error {
	calls, err := database.Read(ctx, path, func(h *database.Snapshot, add func(facts.ModelCall)) error {
		sessions, _, err := gooseTables(h)
		if err != nil || !sessions.Exists() {
			return err
		}
		return h.Each("SELECT "+sessions.Pick("model_config_json", "created_at", "accumulated_input_tokens", "input_tokens", "accumulated_output_tokens", "output_tokens",
			"accumulated_total_tokens", "total_tokens")+" FROM "+sessions.From()+" WHERE id = ?", func(r sqlite.Row) error {
			or := func(i int) int64 { // the sum or, in older versions, the last request
				if n := r.Int(i); n > 0 {
					return n
				}
				return max(0, r.Int(i+1))
			}
			c := facts.ModelCall{Model: lazyjson.ParseString(r.Text(0)).Get("model_name").Str, Time: r.Time(1)}
			c.Tokens = facts.Tokens{Input: or(2), Output: or(4)}
			c.Tokens.Reasoning = max(0, or(6)-c.Tokens.Total())
			if c.Tokens.Total() > 0 {
				add(c)
			}
			return nil
		}, key)
	})
	for _, c := range calls {
		out(c)
	}
	return database.IgnorePartial(err)
}
