// Package cursor reads the sessions of Cursor, which keeps a session in up to
// three places, none of them complete:
//
//   - a transcript, ~/.cursor/projects/<slug>/agent-transcripts/<id>/<id>.jsonl
//     (formerly <id>.txt), without results, thinking and times: transcript.go;
//   - the editor's database, globalStorage/state.vscdb: editor.go, bubble.go;
//   - the command line's database, ~/.cursor/chats/<hash>/<id>/store.db, without
//     times: chat.go.
//
// All have the session's id in common. The databases know more and rank higher;
// reading one also reads the transcript and merges what only that has (join.go).
// A transcript is rewritten when a session is resumed.
//
// The editor's database also holds logins, in other tables: only the keys of
// conversations in the table cursorDiskKV are ever read.
package cursor

import (
	"context"
	"path"
	"path/filepath"
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/internal/sqlite"
	"ctxfs/providers/transcripts/agents/database"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/event"
)

// Agent returns the reader of Cursor.
func Agent() history.Agent {
	return history.Agent{Name: "cursor", Places: func(m history.Machine) []history.Place {
		folders := m.Folders("cursor")
		home := homeFolder(filepath.Dir(folders[0]))
		return []history.Place{
			{Dir: home.projects(), Skip: skip, File: func(rel string) history.Format {
				if t, ok := transcriptAt(rel); ok {
					return home.transcripts(t)
				}
				return nil
			}},
			{Dir: folders[1], File: func(rel string) history.Format {
				if store, _ := path.Match("*/*/store.db", rel); store {
					return home.chats()
				}
				return nil
			}},
			history.OneFile(filepath.Join(folders[2], "state.vscdb"), home.editor()),
		}
	}}
}

// homeFolder is the folder ~/.cursor.
type homeFolder string

func (h homeFolder) projects() string { return filepath.Join(string(h), "projects") }

// skip reports whether a folder below projects/ contains no transcripts.
func skip(rel string) bool {
	parts := strings.Split(rel, "/")
	return len(parts) > 1 && parts[1] != "agent-transcripts" || len(parts) > 3 && parts[3] != "subagents" || len(parts) > 4
}

// transcriptPath is what the path of a transcript tells.
type transcriptPath struct {
	project, id, parent string
	// plain is set for the older form, of plain text.
	plain bool
}

// transcriptAt parses a path below projects/; ok reports whether it is a
// transcript's.
func transcriptAt(rel string) (t transcriptPath, ok bool) {
	parts := strings.Split(rel, "/")
	if len(parts) < 3 || parts[1] != "agent-transcripts" {
		return t, false
	}
	t.project = parts[0]
	name := parts[len(parts)-1]
	ext := path.Ext(name)
	t.id, t.plain = strings.TrimSuffix(name, ext), ext == ".txt"
	if ext != ".jsonl" && ext != ".txt" || t.id == "" {
		return t, false
	}
	switch {
	case len(parts) == 3, len(parts) == 4 && parts[2] == t.id:
		return t, true
	case len(parts) == 5 && parts[3] == "subagents":
		t.parent = parts[2]
		return t, true
	}
	return t, false
}

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
