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
	"path"
	"path/filepath"
	"strings"

	"ctxfs/providers/transcripts/agents/history"
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
			{Dir: folders[2], Skip: func(string) bool { return true }, File: func(rel string) history.Format {
				if rel == "state.vscdb" {
					return home.editor()
				}
				return nil
			}},
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
