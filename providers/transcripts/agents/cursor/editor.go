package cursor

import (
	"context"
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/internal/sqlite"
	"ctxfs/providers/transcripts/agents/database"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

// The keys of the editor's database: composerData:<session> is a session with the
// list of its messages, bubbleId:<session>:<message> a message. Messages that are
// not on the list were taken back. The file is often a gigabyte: keys are looked
// up, never enumerated.
const (
	composerPrefix = "composerData:"
	bubblePrefix   = "bubbleId:"
)

// editor returns the format of the editor's database.
func (h homeFolder) editor() history.Store {
	return history.Store{
		Rank: 3,
		Sessions: func(ctx context.Context, file string) ([]history.Entry, error) {
			transcripts := h.findTranscripts()
			list, err := editorSessions(ctx, file)
			for i, l := range list {
				if t, ok := transcripts[l.ID]; ok {
					list[i].Stamp = history.StampOf(l.Stamp, t.stamp)
					if l.CWD == "" {
						list[i].CWD, list[i].Project = h.workspaceOf(t.project), t.project
					}
					if l.Parent == "" {
						list[i].Parent = t.parent
					}
				}
			}
			return list, err
		},
		Read: func(ctx context.Context, file, key string, out event.Sink) error {
			events, err := editorRead(ctx, file, key)
			if err != nil {
				return err
			}
			return h.emitJoined(events, key, withFiles(ctx, file, events, out))
		},
	}
}

// emitJoined emits a session's events, together with what only its transcript has.
// If the transcript cannot be read, the rest is still emitted.
func (h homeFolder) emitJoined(events []event.Event, id string, out event.Sink) error {
	var fromTranscript []event.Event
	var err error
	if t, ok := h.findTranscripts()[id]; ok {
		fromTranscript, err = readTranscript(t.path)
	}
	emitAll(joinEvents(events, fromTranscript), out)
	return err
}

func editorTable(h *database.Snapshot) (sqlite.Table, error) {
	return h.Table("cursorDiskKV", []string{"key", "value"})
}

func editorSessions(ctx context.Context, file string) ([]history.Entry, error) {
	parents := make(map[string]string)
	list, err := database.Read(ctx, file, func(h *database.Snapshot, add func(history.Entry)) error {
		clear(parents)
		table, err := editorTable(h)
		if err != nil || !table.Exists() {
			return err
		}
		last := make(map[string]string)
		var found []history.Entry
		err = h.Each("SELECT key, value FROM "+table.From()+" WHERE key >= 'composerData:' AND key < 'composerData;'", func(r sqlite.Row) error {
			v := lazyjson.ParseString(r.Text(1))
			id := strings.TrimPrefix(r.Text(0), composerPrefix)
			headers := v.Get("fullConversationHeadersOnly")
			count := headers.Get("#").Int()
			if count == 0 && v.Get("conversation.#").Int() == 0 {
				return nil // an empty draft
			}
			l := history.Entry{Key: id, Session: event.Session{
				Agent: "cursor", ID: id, CWD: v.Get("workspaceIdentifier.uri.fsPath").Str, Archived: v.Get("isArchived").Bool(),
			}}
			if model := v.Get("modelConfig.modelName").Str; model != "default" {
				l.Model = model
			}
			l.Name(event.FromSummary, v.Get("name").Str)
			l.Saw(records.Time(v.Get("createdAt")))
			l.Saw(records.Time(v.Get("lastUpdatedAt")))
			l.Stamp = history.StampOf(v.Get("lastUpdatedAt").Int(), count, len(r.Text(1)))
			if count > 0 {
				last[id] = bubblePrefix + id + ":" + headers.Array()[count-1].Get("bubbleId").Str
			}
			for _, child := range lazyjson.All(v.Get("subagentComposerIds")) {
				parents[child.Str] = id
			}
			found = append(found, l)
			return nil
		})
		if err != nil {
			return err
		}
		// The newest message grows without the session's own row.
		for _, l := range found {
			err := h.Each("SELECT octet_length(value) FROM "+table.From()+" WHERE key = ?", func(r sqlite.Row) error {
				l.Stamp = history.StampOf(l.Stamp, r.Int(0))
				return nil
			}, last[l.ID])
			if err != nil {
				return err
			}
			add(l)
		}
		return nil
	})
	for i, l := range list {
		list[i].Parent = parents[l.ID]
	}
	return list, err
}

// editorMessage is a message of a session. Before version 3 of the editor's
// format messages are in the session's row.
type editorMessage struct{ id, text string }

func editorRead(ctx context.Context, file, id string) ([]event.Event, error) {
	bubbles, err := database.Read(ctx, file, func(h *database.Snapshot, add func(editorMessage)) error {
		table, err := editorTable(h)
		if err != nil || !table.Exists() {
			return err
		}
		var session lazyjson.Value
		value := func(key string, take func(text string)) error {
			return h.Each("SELECT value FROM "+table.From()+" WHERE key = ?", func(r sqlite.Row) error {
				take(r.Text(0))
				return nil
			}, key)
		}
		if err := value(composerPrefix+id, func(text string) { session = lazyjson.ParseString(text) }); err != nil {
			return err
		}
		for _, b := range session.Get("conversation").Array() {
			add(editorMessage{b.Get("bubbleId").Str, b.Raw})
		}
		for _, h := range session.Get("fullConversationHeadersOnly").Array() {
			bubble := h.Get("bubbleId").Str
			if err := value(bubblePrefix+id+":"+bubble, func(text string) { add(editorMessage{bubble, text}) }); err != nil {
				return err
			}
		}
		return nil
	})
	if err := database.IgnorePartial(err); err != nil {
		return nil, err
	}
	c := collector{}
	for _, b := range bubbles {
		c.bubble(b)
	}
	return c.events, nil
}
