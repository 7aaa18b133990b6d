package cursor

import (
	"context"
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/internal/sqlite"
	"ctxfs/providers/transcripts/agents/database"
	"ctxfs/providers/transcripts/event"
)

// contentPrefix begins the keys of the editor's database under which the texts of files
// lie, before and after each edit: composer.content.<sum>. The result of an edit names
// them as beforeContentId and afterContentId.
const contentPrefix = "composer.content."

// fileTeller passes on the contents of files after edits, before the results of those.
type fileTeller struct {
	event.FileSink
	after map[string]event.File // by id of the call
}

// Emit implements event.Sink.
func (t *fileTeller) Emit(e event.Event) int {
	if e.Result != nil {
		if f, ok := t.after[e.Result.CallID]; ok {
			t.File(e.Result.CallID, f)
		}
	}
	return t.FileSink.Emit(e)
}

// withFiles returns a sink that is also told what was in the files that a session has
// edited, where it wants to know that.
func withFiles(ctx context.Context, file string, events []event.Event, out event.Sink) event.Sink {
	to, ok := out.(event.FileSink)
	if !ok {
		return out
	}
	type content struct {
		call string
		event.File
	}
	contents, _ := database.Read(ctx, file, func(h *database.Snapshot, add func(content)) error { // without them the texts are not known
		table, err := editorTable(h)
		if err != nil || !table.Exists() {
			return err
		}
		for _, e := range events {
			if e.Result == nil || e.Result.Error {
				continue
			}
			key := lazyjson.ParseString(e.Result.Text).Get("afterContentId").Str
			if !strings.HasPrefix(key, contentPrefix) {
				continue
			}
			err := h.Each("SELECT value FROM "+table.From()+" WHERE key = ?", func(r sqlite.Row) error {
				add(content{e.Result.CallID, event.File{Text: r.Text(0), Line: 1, Whole: true}})
				return nil
			}, key)
			if err != nil {
				return err
			}
		}
		return nil
	})
	t := &fileTeller{to, make(map[string]event.File)}
	for _, c := range contents {
		t.after[c.call] = c.File
	}
	return t
}
