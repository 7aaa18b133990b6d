package kiro

import (
	"context"
	"fmt"
	"hash/crc32"
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/internal/sqlite"
	"ctxfs/providers/transcripts/agents/database"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

// databaseFormat returns the format of the first engine's database. It also has
// tables with credentials: only the two with conversations are ever read.
func databaseFormat(rel string) history.Format {
	if rel != "data.sqlite3" {
		return nil
	}
	return history.Store{Sessions: listSessions, Read: readSession}
}

// tableID is a table with conversations and the column with their ids.
// conversations_v2 has one row for each, the older conversations one for each
// folder.
type tableID struct{ name, id string }

// findTables returns the tables with conversations that the database has. Their
// names are part of [history.Entry.Key].
func findTables(h *database.Snapshot) (tables []conversationTable, err error) {
	for _, t := range []tableID{{"conversations_v2", "conversation_id"}, {"conversations", "key"}} {
		table, err := h.Columns(t.name)
		if err != nil {
			return nil, err
		}
		if table.Exists() && database.MissingColumn(table, []string{"key", "value"}) == "" {
			if database.MissingColumn(table, []string{t.id}) != "" {
				t.id = "rowid"
			}
			tables = append(tables, conversationTable{t, table})
		}
	}
	if len(tables) > 0 {
		return tables, nil
	}
	table, err := h.Table("conversations_v2", []string{"key", "value"}, "conversation_id")
	if err == nil && !table.Exists() {
		h.Lacks = nil
		table, err = h.Table("conversations", []string{"key", "value"})
	}
	if err != nil || !table.Exists() {
		return nil, err
	}
	id := "key"
	if table.Has("conversation_id") {
		id = "conversation_id"
	}
	return []conversationTable{{tableID{strings.Trim(table.From(), `"`), id}, table}}, nil
}

// conversationTable is a table with conversations and its actual columns.
type conversationTable struct {
	tableID
	table sqlite.Table
}

// columns returns the columns folder, id, created, updated and value, in this
// order.
func (t conversationTable) columns() string {
	id := t.id
	if id != "rowid" {
		id = t.table.Pick(id)
	}
	return t.table.Pick("key") + ", " + id + ", " + t.table.Pick("created_at", "updated_at", "value")
}

func listSessions(ctx context.Context, path string) ([]history.Entry, error) {
	return database.Read(ctx, path, func(h *database.Snapshot, add func(history.Entry)) error {
		tables, err := findTables(h)
		if err != nil {
			return err
		}
		seen := make(map[string]bool)
		for _, t := range tables {
			err = h.Each("SELECT "+t.columns()+" FROM "+t.table.From()+" ORDER BY 1, 2", func(r sqlite.Row) error {
				text := r.Bytes(4)
				doc := lazyjson.Parse(text)
				l := history.Entry{Session: event.Session{Agent: "kiro"}, Key: t.name + "/" + r.Text(1)}
				l.Stamp = fmt.Sprintf("%s-%d-%08x", r.Text(3), len(text), crc32.ChecksumIEEE(text))
				readRow(r, doc, &l.Session)
				if turn := doc.Get("history.0"); turn.Exists() {
					user, _ := sides(turn)
					l.Name(event.FromPrompt, records.Prompt(user.Get("content.Prompt.prompt").String()))
				}
				if !seen[l.ID] {
					seen[l.ID] = true
					add(l)
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// readRow stores what a row says of its session.
func readRow(r sqlite.Row, doc lazyjson.Value, s *event.Session) {
	if s.ID = doc.Get("conversation_id").String(); s.ID == "" {
		s.ID = r.Text(1)
	}
	s.CWD = r.Text(0)
	s.Model = records.First(doc, "model_info.model_id", "model").String()
	s.Saw(r.Time(2))
	s.Saw(r.Time(3))
}

func readSession(ctx context.Context, path, key string, out event.Sink) error {
	table, id, _ := strings.Cut(key, "/")
	type row struct {
		of   event.Session
		text []byte
	}
	rows, err := database.Read(ctx, path, func(h *database.Snapshot, add func(row)) error {
		tables, err := findTables(h)
		if err != nil {
			return err
		}
		for _, t := range tables {
			if t.name != table {
				continue
			}
			err = h.Each("SELECT "+t.columns()+" FROM "+t.table.From()+" WHERE "+t.id+" = ?", func(r sqlite.Row) error {
				one := row{text: r.Bytes(4)}
				readRow(r, lazyjson.Parse(one.text), &one.of)
				add(one)
				return nil
			}, id)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err := database.IgnorePartial(err); err != nil {
		return err
	}
	var text []byte
	var of event.Session
	for _, one := range rows {
		of, text = one.of, one.text
	}
	if !lazyjson.Valid(text) {
		return fmt.Errorf("%s: the conversation %s was removed or is not JSON", path, id)
	}
	s := out.Session()
	s.ID, s.CWD, s.Model = of.ID, of.CWD, of.Model
	s.Saw(of.Start)
	s.Saw(of.Last)
	readConversation(lazyjson.Parse(text), out)
	return nil
}

// readConversation reads a conversation of the first engine: {history: [{user,
// assistant}], latest_summary}. A compaction drops what its summary replaces.
func readConversation(doc lazyjson.Value, out event.Sink) {
	if summary := records.First(doc, "latest_summary"); summary.Type == lazyjson.String || summary.IsArray() {
		if summary.IsArray() {
			summary = summary.Get("0")
		}
		out.Emit(event.Event{Kind: event.Compaction, Compact: &event.Compact{Summary: summary.String()}})
	}
	b := &records.Blocks{Out: out, Calls: make(map[string]string)}
	for _, turn := range lazyjson.All(doc.Get("history")) {
		user, assistant := sides(turn)
		readUser(b, user)
		meta := turn.Get("request_metadata")
		readAssistant(b, assistant, records.Message{Time: records.Time(meta.Get("stream_end_timestamp_ms")), Model: meta.Get("model_id").String()})
	}
	readUser(b, doc.Get("next_message"))
}

// sides returns the two sides of a turn, which older versions stored as a pair.
func sides(turn lazyjson.Value) (user, assistant lazyjson.Value) {
	if turn.IsArray() {
		return turn.Get("0"), turn.Get("1")
	}
	return turn.Get("user"), turn.Get("assistant")
}

func readUser(b *records.Blocks, v lazyjson.Value) {
	if !v.IsObject() {
		return
	}
	m := records.Message{User: true, Time: records.Time(v.Get("timestamp"))}
	if extra := v.Get("additional_context").String(); strings.TrimSpace(extra) != "" {
		hint := m
		hint.Origin = event.Injected
		b.Text(hint, extra)
	}
	for kind, content := range lazyjson.All(v.Get("content")) {
		switch kind.Str {
		case "Prompt", "ToolUseResults", "CancelledToolUses":
			for _, r := range lazyjson.All(content.Get("tool_use_results")) {
				b.Result(m, r.Get("tool_use_id").String(), "", contentText(r.Get("content")), !strings.EqualFold(r.Get("status").String(), "success"))
			}
			b.Text(m, content.Get("prompt").String())
		default:
			b.Unknown(m, kind.Str, content)
		}
	}
	for _, image := range lazyjson.All(v.Get("images")) {
		b.Text(m, imageNote(image))
	}
}

func readAssistant(b *records.Blocks, v lazyjson.Value, m records.Message) {
	for kind, content := range lazyjson.All(v) {
		m.ID = content.Get("message_id").String()
		switch kind.Str {
		case "Response", "ToolUse":
			b.Text(m, content.Get("content").String())
			for _, call := range lazyjson.All(content.Get("tool_uses")) {
				b.Call(m, call.Get("id").String(), call.Get("name").String(), call.Get("args"))
			}
		default:
			b.Unknown(m, kind.Str, content)
		}
		if m.ID != "" {
			b.Out.Note(m.ID)
		}
	}
}
