package agents

import (
	"context"
	"fmt"
	"hash/crc32"
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/internal/sqlite"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/event"
)

// kiroDatabase is the file of the first engine. Tables with credentials are in it
// too: only the two with conversations are ever read.
func kiroDatabase(rel string) history.Format {
	if rel != "data.sqlite3" {
		return nil
	}
	return history.Store{Sessions: kiroSessions, Read: kiroRead}
}

// kiroTable is a table with conversations: conversations_v2 has one row each,
// the older conversations one for each folder.
type kiroTable struct{ name, id string }

// kiroTables are the tables that the database has, with their names in Key.
func kiroTables(h *shape) (tables []kiroRows, err error) {
	for _, t := range []kiroTable{{"conversations_v2", "conversation_id"}, {"conversations", "key"}} {
		table, err := h.Columns(t.name)
		if err != nil {
			return nil, err
		}
		if table.Exists() && lacking(table, []string{"key", "value"}) == "" {
			if lacking(table, []string{t.id}) != "" {
				t.id = "rowid"
			}
			tables = append(tables, kiroRows{t, table})
		}
	}
	if len(tables) > 0 {
		return tables, nil
	}
	table, err := h.table("conversations_v2", []string{"key", "value"}, "conversation_id")
	if err == nil && !table.Exists() {
		h.lacks = nil
		table, err = h.table("conversations", []string{"key", "value"})
	}
	if err != nil || !table.Exists() {
		return nil, err
	}
	id := "key"
	if table.Has("conversation_id") {
		id = "conversation_id"
	}
	return []kiroRows{{kiroTable{strings.Trim(table.From(), `"`), id}, table}}, nil
}

// kiroRows is such a table as it is.
type kiroRows struct {
	kiroTable
	table sqlite.Table
}

// columns are folder, id, created, updated and value, in this order.
func (t kiroRows) columns() string {
	id := t.id
	if id != "rowid" {
		id = t.table.Pick(id)
	}
	return t.table.Pick("key") + ", " + id + ", " + t.table.Pick("created_at", "updated_at", "value")
}

func kiroSessions(ctx context.Context, path string) ([]history.Entry, error) {
	return rowsOf(ctx, path, func(h *shape, add func(history.Entry)) error {
		tables, err := kiroTables(h)
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
				kiroRow(r, doc, &l.Session)
				if turn := doc.Get("history.0"); turn.Exists() {
					user, _ := kiroTurn(turn)
					l.Name(event.FromPrompt, prompt(user.Get("content.Prompt.prompt").String()))
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

// kiroRow fills in what a row tells of its session.
func kiroRow(r sqlite.Row, doc lazyjson.Value, s *event.Session) {
	if s.ID = doc.Get("conversation_id").String(); s.ID == "" {
		s.ID = r.Text(1)
	}
	s.CWD = r.Text(0)
	s.Model = first(doc, "model_info.model_id", "model").String()
	s.Saw(r.Time(2))
	s.Saw(r.Time(3))
}

func kiroRead(ctx context.Context, path, key string, out event.Sink) error {
	table, id, _ := strings.Cut(key, "/")
	type row struct {
		of   event.Session
		text []byte
	}
	rows, err := rowsOf(ctx, path, func(h *shape, add func(row)) error {
		tables, err := kiroTables(h)
		if err != nil {
			return err
		}
		for _, t := range tables {
			if t.name != table {
				continue
			}
			err = h.Each("SELECT "+t.columns()+" FROM "+t.table.From()+" WHERE "+t.id+" = ?", func(r sqlite.Row) error {
				one := row{text: r.Bytes(4)}
				kiroRow(r, lazyjson.Parse(one.text), &one.of)
				add(one)
				return nil
			}, id)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err := unlessPartial(err); err != nil {
		return err
	}
	var text []byte
	var of event.Session
	for _, one := range rows {
		of, text = one.of, one.text
	}
	if !lazyjson.Valid(text) {
		return fmt.Errorf("%s: the conversation %s is gone or not JSON", path, id)
	}
	s := out.Session()
	s.ID, s.CWD, s.Model = of.ID, of.CWD, of.Model
	s.Saw(of.Start)
	s.Saw(of.Last)
	kiroConversation(lazyjson.Parse(text), out)
	return nil
}

// kiroConversation reads a conversation of the first engine: {history: [{user,
// assistant}], latest_summary}. Compacting drops what the summary replaces.
func kiroConversation(doc lazyjson.Value, out event.Sink) {
	if summary := first(doc, "latest_summary"); summary.Type == lazyjson.String || summary.IsArray() {
		if summary.IsArray() {
			summary = summary.Get("0")
		}
		out.Emit(event.Event{Kind: event.Compaction, Compact: &event.Compact{Summary: summary.String()}})
	}
	b := &blocks{out: out, calls: make(map[string]string)}
	doc.Get("history").ForEach(func(_, turn lazyjson.Value) bool {
		user, assistant := kiroTurn(turn)
		kiroUser(b, user)
		meta := turn.Get("request_metadata")
		kiroAssistant(b, assistant, message{time: moment(meta.Get("stream_end_timestamp_ms")), model: meta.Get("model_id").String()})
		return true
	})
	kiroUser(b, doc.Get("next_message"))
}

// kiroTurn is the two sides of a turn, which older versions kept as a pair.
func kiroTurn(turn lazyjson.Value) (user, assistant lazyjson.Value) {
	if turn.IsArray() {
		return turn.Get("0"), turn.Get("1")
	}
	return turn.Get("user"), turn.Get("assistant")
}

func kiroUser(b *blocks, v lazyjson.Value) {
	if !v.IsObject() {
		return
	}
	m := message{user: true, time: moment(v.Get("timestamp"))}
	if extra := v.Get("additional_context").String(); strings.TrimSpace(extra) != "" {
		hint := m
		hint.origin = event.Injected
		b.text(hint, extra)
	}
	v.Get("content").ForEach(func(kind, content lazyjson.Value) bool {
		switch kind.Str {
		case "Prompt", "ToolUseResults", "CancelledToolUses":
			content.Get("tool_use_results").ForEach(func(_, r lazyjson.Value) bool {
				b.result(m, r.Get("tool_use_id").String(), "", kiroText(r.Get("content")), !strings.EqualFold(r.Get("status").String(), "success"))
				return true
			})
			b.text(m, content.Get("prompt").String())
		default:
			e := m.event(event.Unknown)
			e.Text, e.Record = kind.Str, recordOf(content)
			b.out.Emit(e)
		}
		return true
	})
	v.Get("images").ForEach(func(_, image lazyjson.Value) bool {
		b.text(m, kiroImage(image))
		return true
	})
}

func kiroAssistant(b *blocks, v lazyjson.Value, m message) {
	v.ForEach(func(kind, content lazyjson.Value) bool {
		m.id = content.Get("message_id").String()
		switch kind.Str {
		case "Response", "ToolUse":
			b.text(m, content.Get("content").String())
			content.Get("tool_uses").ForEach(func(_, call lazyjson.Value) bool {
				b.call(m, call.Get("id").String(), call.Get("name").String(), call.Get("args"))
				return true
			})
		default:
			e := m.event(event.Unknown)
			e.Text, e.Record = kind.Str, recordOf(content)
			b.out.Emit(e)
		}
		if m.id != "" {
			b.out.Note(m.id)
		}
		return true
	})
}
