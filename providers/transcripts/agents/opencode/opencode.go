// Package opencode reads the sessions of opencode. They are in a database, with
// the tables session, message and part (packages/opencode/src/session of its
// repository; packages/core/src/session/sql.ts for version 2, see v2.go):
// opencode.db, opencode-<channel>.db of a channel build, or the file that
// OPENCODE_DB names. Earlier versions kept the same documents as files below
// storage/, and left those behind when they moved them (files.go).
//
// A compaction is a part; what came before it stays. Undoing keeps what was undone
// until the next prompt: session.revert says where it begins.
package opencode

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

// Agent returns the reader of opencode.
func Agent() history.Agent {
	return history.Agent{Name: "opencode", Places: func(m history.Machine) []history.Place {
		dir := m.Folders("opencode")[0]
		database := history.Store{Sessions: listSessions, Read: readSession, Rank: 1, Spent: spent}
		places := []history.Place{{Dir: dir, Skip: skip, File: func(rel string) history.Format {
			if rel == "opencode.db" {
				return database
			}
			if channel, _ := path.Match("opencode-*.db", rel); channel {
				return database
			}
			if session, _ := path.Match("storage/session/*/*.json", rel); session {
				return history.Store{Sessions: listFile, Read: readFiles, Spent: spentFiles}
			}
			return nil
		}}}
		if named := m.Env("OPENCODE_DB"); named != "" && named != ":memory:" {
			if !filepath.IsAbs(named) {
				named = filepath.Join(dir, named)
			}
			places = append(places, history.OneFile(named, database))
		}
		return places
	}}
}

// skip reports whether a folder contains no sessions: logs, snapshots of
// repositories, and the files of the messages, which are found by the session.
func skip(rel string) bool {
	return rel != "storage" && rel != "storage/session" && path.Dir(rel) != "storage/session"
}

// schema has the tables of a database. Version 2 has session_v2 and session_message
// (v2.go). A migrated database also has the tables of version 1, which version 1
// may have written to since.
type schema struct {
	sessions      []sqlite.Table // the newer first
	two           bool           // there is session_v2
	message, part sqlite.Table
	v2            sqlite.Table
}

func readSchema(h *database.Snapshot) (t schema, err error) {
	for _, name := range []string{"session_v2", "session"} {
		table, err := h.Columns(name)
		if err != nil {
			return t, err
		}
		if table.Has("id") {
			t.sessions = append(t.sessions, table)
			t.two = t.two || name == "session_v2"
		}
	}
	if len(t.sessions) == 0 {
		table, err := h.Table("session", []string{"id"}, "directory", "title", "time_created")
		if err != nil {
			return t, err
		}
		if table.Exists() && table.Any("directory", "title") != "NULL" {
			t.sessions = append(t.sessions, table)
		}
	}
	if t.v2, err = h.Columns("session_message"); err != nil {
		return t, err
	}
	if database.MissingColumn(t.v2, []string{"session_id", "data"}) != "" {
		t.v2 = sqlite.Table{}
	}
	if t.v2.Exists() {
		// A database with only the tables of version 2 is complete.
		if t.message, err = h.Columns("message"); err == nil {
			t.part, err = h.Columns("part")
		}
		if database.MissingColumn(t.message, []string{"id", "session_id", "data"}) != "" {
			t.message = sqlite.Table{}
		}
	} else if t.message, err = h.Table("message", []string{"id", "session_id", "data"}, "time_created"); err == nil {
		t.part, err = h.Table("part", []string{"message_id", "session_id", "data"}, "id")
	}
	return t, err
}

// progress shows whether a session has continued, and when its newest message was
// written.
type progress struct {
	stamp string
	last  int64
}

// written reads the progress of all sessions, in one of the two forms.
func (t *schema) written(h *database.Snapshot, next bool) (map[string]progress, error) {
	all := make(map[string]progress)
	take := func(r sqlite.Row) error {
		all[r.Text(0)] = progress{history.StampOf(r.Int(1), r.Int(2), r.Text(4)), r.Int(3)}
		return nil
	}
	if next {
		if !t.v2.Exists() {
			return all, nil
		}
		return all, h.Each("SELECT session_id, count(*), sum("+t.v2.Any("time_updated", "seq")+"), max("+t.v2.Any("time_created", "rowid")+"), sum(octet_length(data)) FROM "+
			t.v2.From()+" GROUP BY session_id", take)
	}
	if !t.message.Exists() {
		return all, nil
	}
	// Only the newest message and its parts are being written: no other parts are
	// read.
	parts := "NULL"
	if t.part.Has("message_id") {
		parts = "(SELECT count(*) || ':' || coalesce(sum(" + t.part.Any("time_updated", "time_created") + "), 0) FROM " + t.part.From() + " WHERE message_id = written.newest)"
	}
	return all, h.Each("WITH written AS (SELECT session_id, count(*) AS n, sum("+t.message.Any("time_updated", "time_created")+") AS updated, max("+
		t.message.Any("time_created")+") AS last, id AS newest FROM "+t.message.From()+" GROUP BY session_id) SELECT session_id, n, updated, last, "+parts+" FROM written", take)
}

// isNext reports whether version 2 has more of a session. If both have it, the one
// whose newest message is newer is used. Version 1 writes the newer form too, with
// a part of what it knows.
func (t *schema) isNext(old, next progress) bool {
	return next.stamp != "" && (old.stamp == "" || t.two && next.last >= old.last)
}

func listSessions(ctx context.Context, file string) ([]history.Entry, error) {
	return database.Read(ctx, file, func(h *database.Snapshot, add func(history.Entry)) error {
		t, err := readSchema(h)
		if err != nil {
			return err
		}
		old, err := t.written(h, false)
		if err != nil {
			return err
		}
		next, err := t.written(h, true)
		if err != nil {
			return err
		}
		stamps := make(map[string]string)
		for _, form := range []map[string]progress{old, next} {
			for id := range form {
				stamps[id] = history.StampOf(old[id].stamp, next[id].stamp)
			}
		}
		if len(t.sessions) == 0 {
			for _, messages := range []sqlite.Table{t.v2, t.message} {
				if messages.Exists() {
					return h.Orphans("opencode", messages, stamps, add)
				}
			}
			return nil
		}
		seen := make(map[string]bool)
		for _, table := range t.sessions {
			err := h.Each("SELECT "+table.Pick("id", "parent_id", "directory", "title", "version", "revert", "model", "time_created", "time_updated", "time_archived", "fork_session_id")+
				" FROM "+table.From()+" ORDER BY 8, 1", func(r sqlite.Row) error {
				if seen[r.Text(0)] {
					return nil
				}
				seen[r.Text(0)] = true
				l := history.Entry{Key: r.Text(0), Session: event.Session{
					Agent: "opencode", ID: r.Text(0), Parent: r.Text(1), CWD: r.Text(2), Program: r.Text(4), ForkOf: r.Text(10),
					Model: lazyjson.ParseString(r.Text(6)).Get("id").Str, Archived: r.Int(9) != 0,
				}}
				setTitle(&l.Session, r.Text(3))
				l.Saw(r.Time(7))
				l.Saw(r.Time(8))
				l.Stamp = history.StampOf(r.Int(8), stamps[l.ID], r.Text(5), r.Text(3))
				add(l)
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// setTitle stores the title that a model found or the user gave. Until there is
// one, the title only contains the time.
func setTitle(s *event.Session, title string) {
	if strings.HasPrefix(title, "New session - ") || strings.HasPrefix(title, "Child session - ") {
		return
	}
	s.Name(event.FromSummary, title)
}

// row is a row of the tables: the session (only revert), a message, or a part of
// one.
type row struct {
	message, part string
	data          string
	event         event.Event
	revert        string
	next          bool // a message of version 2, with kind as its type
	kind          string
}

func readSession(ctx context.Context, file, key string, out event.Sink) error {
	rows, err := database.Read(ctx, file, func(h *database.Snapshot, add func(row)) error {
		t, err := readSchema(h)
		if err != nil {
			return err
		}
		old, err := t.newest(h, t.message, key)
		if err != nil {
			return err
		}
		next, err := t.newest(h, t.v2, key)
		if err != nil {
			return err
		}
		for _, table := range t.sessions {
			known := false
			err := h.Each("SELECT "+table.Pick("revert")+" FROM "+table.From()+" WHERE id = ?", func(r sqlite.Row) error {
				known = true
				add(row{revert: r.Text(0)})
				return nil
			}, key)
			if err != nil {
				return err
			}
			if known {
				break
			}
		}
		if t.isNext(old, next) {
			return h.Each("SELECT "+t.v2.Any("id", "rowid")+", "+t.v2.Pick("data", "time_created", "type")+" FROM "+t.v2.From()+" WHERE session_id = ? ORDER BY "+
				t.v2.Any("seq", "time_created")+", 1", func(r sqlite.Row) error {
				add(row{message: r.Text(0), data: r.Text(1), event: event.Event{Time: r.Time(2)}, kind: r.Text(3), next: true})
				return nil
			}, key)
		}
		if !t.message.Exists() {
			return nil
		}
		err = h.Each("SELECT "+t.message.Pick("id", "data", "time_created")+" FROM "+t.message.From()+" WHERE session_id = ? ORDER BY 3, 1", func(r sqlite.Row) error {
			add(row{message: r.Text(0), data: r.Text(1), event: event.Event{Time: r.Time(2)}})
			return nil
		}, key)
		if err != nil || database.MissingColumn(t.part, []string{"message_id", "session_id", "data"}) != "" {
			return err
		}
		return h.Each("SELECT "+t.part.Pick("message_id")+", "+t.part.Any("id", "rowid")+", "+t.part.Pick("data", "time_created")+" FROM "+t.part.From()+" WHERE session_id = ? ORDER BY 2", func(r sqlite.Row) error {
			add(row{message: r.Text(0), part: r.Text(1), data: r.Text(2), event: event.Event{Time: r.Time(3)}})
			return nil
		}, key)
	})
	if err := database.IgnorePartial(err); err != nil {
		return err
	}
	var messages []row
	var revert string
	parts := make(map[string][]row)
	for _, r := range rows {
		switch {
		case r.part != "":
			parts[r.message] = append(parts[r.message], r)
		case r.message != "":
			messages = append(messages, r)
		default:
			revert = r.revert
		}
	}
	emitSession(messages, parts, lazyjson.ParseString(revert), true, out)
	return nil
}

// newest reads when the newest message of a session was written.
func (t *schema) newest(h *database.Snapshot, messages sqlite.Table, key string) (w progress, err error) {
	if !messages.Exists() {
		return w, nil
	}
	return w, h.Each("SELECT count(*), max("+messages.Any("time_created", "seq")+") FROM "+messages.From()+" WHERE session_id = ?", func(r sqlite.Row) error {
		if r.Int(0) > 0 {
			w = progress{history.StampOf(r.Int(0)), r.Int(1)}
		}
		return nil
	}, key)
}
