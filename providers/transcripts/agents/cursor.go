package agents

import (
	"path"
	"path/filepath"
	"strings"

	"ctxfs/providers/transcripts/agents/history"
)

// Cursor keeps a session in up to three places, and none of them has all of it:
//
//   - a transcript, ~/.cursor/projects/<slug>/agent-transcripts/<id>/<id>.jsonl
//     (before: <id>.txt), without results, thinking, times: cursor_transcript.go;
//   - the editor's database, globalStorage/state.vscdb: cursor_editor.go;
//   - the command line's database, ~/.cursor/chats/<hash>/<id>/store.db, without
//     times: cursor_chat.go.
//
// They have the session's id in common. The databases know more and count more;
// who reads one looks up the transcript too, and joins what only that has
// (cursor_join.go). A transcript is written anew when a session is resumed.
//
// The editor's database holds logins too, in other tables: of it, only the keys
// of conversations in the table cursorDiskKV are ever read.
func cursor() history.Agent {
	return history.Agent{Name: "cursor", Places: func(m history.Machine) []history.Place {
		home := cursorHome(filepath.Join(m.Home, ".cursor"))
		return []history.Place{
			{Dir: home.projects(), Skip: cursorSkip, File: func(rel string) history.Format {
				if t, ok := transcriptAt(rel); ok {
					return home.transcripts(t)
				}
				return nil
			}},
			{Dir: filepath.Join(string(home), "chats"), File: func(rel string) history.Format {
				if store, _ := path.Match("*/*/store.db", rel); store {
					return home.chats()
				}
				return nil
			}},
			{Dir: filepath.Join(m.Support("Cursor"), "User", "globalStorage"), Skip: func(string) bool { return true }, File: func(rel string) history.Format {
				if rel == "state.vscdb" {
					return home.editor()
				}
				return nil
			}},
		}
	}}
}

// cursorHome is the folder ~/.cursor.
type cursorHome string

func (h cursorHome) projects() string { return filepath.Join(string(h), "projects") }

// cursorSkip leaves out what is no folder of transcripts.
func cursorSkip(rel string) bool {
	parts := strings.Split(rel, "/")
	return len(parts) > 1 && parts[1] != "agent-transcripts" || len(parts) > 3 && parts[3] != "subagents" || len(parts) > 4
}

// transcript is what the path of a transcript tells.
type transcript struct {
	project, id, parent string
	// plain is the older form, of text.
	plain bool
}

// transcriptAt tells whether a path below projects/ is a transcript.
func transcriptAt(rel string) (t transcript, ok bool) {
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
