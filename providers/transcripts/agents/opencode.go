package agents

import (
	"context"
	"path"
	"path/filepath"
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/internal/sqlite"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/event"
)

// opencode keeps sessions in a database (packages/opencode/src/session, tables
// session, message and part; packages/core/src/session/sql.ts of version 2): opencode.db, or opencode-<channel>.db of a channel
// build, or the one that OPENCODE_DB names. Before, it kept the same documents
// as files below storage/, and left those when it moved them (opencode_files.go).
//
// A compaction is a part; what was there before stays. Undoing keeps what was
// undone until the next prompt: session.revert says from where.
func opencode() history.Agent {
	return history.Agent{Name: "opencode", Places: func(m history.Machine) []history.Place {
		dir := m.Data("opencode")
		database := history.Store{Sessions: opencodeSessions, Read: opencodeRead, Rank: 1}
		places := []history.Place{{Dir: dir, Skip: opencodeSkip, File: func(rel string) history.Format {
			if rel == "opencode.db" {
				return database
			}
			if channel, _ := path.Match("opencode-*.db", rel); channel {
				return database
			}
			if session, _ := path.Match("storage/session/*/*.json", rel); session {
				return history.Store{Sessions: opencodeFile, Read: opencodeReadFiles}
			}
			return nil
		}}}
		if named := m.Env("OPENCODE_DB", ""); named != "" && named != ":memory:" {
			if !filepath.IsAbs(named) {
				named = filepath.Join(dir, named)
			}
			places = append(places, history.Place{
				Dir:  filepath.Dir(named),
				Skip: func(string) bool { return true },
				File: func(rel string) history.Format {
					if rel == filepath.Base(named) {
						return database
					}
					return nil
				},
			})
		}
		return places
	}}
}

// opencodeSkip leaves out all folders but those of sessions: logs, snapshots of
// repositories, and the files of the messages, which are found by the session.
func opencodeSkip(rel string) bool {
	return rel != "storage" && rel != "storage/session" && path.Dir(rel) != "storage/session"
}

// opencodeTables are those of a database. Version 2 has session_v2 and
// session_message (opencode_next.go); one that was migrated has the tables of
// version 1 as well, in which version 1 may have gone on since.
type opencodeTables struct {
	sessions      []sqlite.Table // the newer first
	two           bool           // there is session_v2
	message, part sqlite.Table
	next          sqlite.Table
}

func opencodeShape(h *shape) (t opencodeTables, err error) {
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
		table, err := h.table("session", []string{"id"}, "directory", "title", "time_created")
		if err != nil {
			return t, err
		}
		if table.Exists() && table.Any("directory", "title") != "NULL" {
			t.sessions = append(t.sessions, table)
		}
	}
	if t.next, err = h.Columns("session_message"); err != nil {
		return t, err
	}
	if lacking(t.next, []string{"session_id", "data"}) != "" {
		t.next = sqlite.Table{}
	}
	if t.next.Exists() {
		// That it has only these is as it should be.
		if t.message, err = h.Columns("message"); err == nil {
			t.part, err = h.Columns("part")
		}
		if lacking(t.message, []string{"id", "session_id", "data"}) != "" {
			t.message = sqlite.Table{}
		}
	} else if t.message, err = h.table("message", []string{"id", "session_id", "data"}, "time_created"); err == nil {
		t.part, err = h.table("part", []string{"message_id", "session_id", "data"}, "id")
	}
	return t, err
}

// opencodeWritten is what tells that a session goes on, and when its newest
// message was written.
type opencodeWritten struct {
	stamp string
	last  int64
}

// written looks at the messages of all sessions, in one of the two forms.
func (t *opencodeTables) written(h *shape, next bool) (map[string]opencodeWritten, error) {
	all := make(map[string]opencodeWritten)
	take := func(r sqlite.Row) error {
		all[r.Text(0)] = opencodeWritten{history.StampOf(r.Int(1), r.Int(2), r.Text(4)), r.Int(3)}
		return nil
	}
	if next {
		if !t.next.Exists() {
			return all, nil
		}
		return all, h.Each("SELECT session_id, count(*), sum("+t.next.Any("time_updated", "seq")+"), max("+t.next.Any("time_created", "rowid")+"), sum(octet_length(data)) FROM "+
			t.next.From()+" GROUP BY session_id", take)
	}
	if !t.message.Exists() {
		return all, nil
	}
	// What is written is the newest message, and its parts: they are looked at,
	// and no other part.
	parts := "NULL"
	if t.part.Has("message_id") {
		parts = "(SELECT count(*) || ':' || coalesce(sum(" + t.part.Any("time_updated", "time_created") + "), 0) FROM " + t.part.From() + " WHERE message_id = written.newest)"
	}
	return all, h.Each("WITH written AS (SELECT session_id, count(*) AS n, sum("+t.message.Any("time_updated", "time_created")+") AS updated, max("+
		t.message.Any("time_created")+") AS last, id AS newest FROM "+t.message.From()+" GROUP BY session_id) SELECT session_id, n, updated, last, "+parts+" FROM written", take)
}

// isNext reports which of the two forms has more of a session: where both
// have it, the one whose newest message is newer.
// Version 1 has the newer form too, in which it keeps a part of what it knows.
func (t *opencodeTables) isNext(old, next opencodeWritten) bool {
	return next.stamp != "" && (old.stamp == "" || t.two && next.last >= old.last)
}

func opencodeSessions(ctx context.Context, file string) ([]history.Entry, error) {
	return rowsOf(ctx, file, func(h *shape, add func(history.Entry)) error {
		t, err := opencodeShape(h)
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
		for _, form := range []map[string]opencodeWritten{old, next} {
			for id := range form {
				stamps[id] = history.StampOf(old[id].stamp, next[id].stamp)
			}
		}
		if len(t.sessions) == 0 {
			for _, messages := range []sqlite.Table{t.next, t.message} {
				if messages.Exists() {
					return h.strayed("opencode", messages, stamps, add)
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
				opencodeTitle(&l.Session, r.Text(3))
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

// opencodeTitle is the title that a model found, or the user gave. Before that
// it is one that only tells the time.
func opencodeTitle(s *event.Session, title string) {
	if strings.HasPrefix(title, "New session - ") || strings.HasPrefix(title, "Child session - ") {
		return
	}
	s.Name(event.FromSummary, title)
}

// opencodeRow is a row of the tables: the session (only revert), then its
// messages, then their parts.
type opencodeRow struct {
	message, part string
	data          string
	event         event.Event
	revert        string
	next          bool // a message of version 2, whose type kind is
	kind          string
}

func opencodeRead(ctx context.Context, file, key string, out event.Sink) error {
	rows, err := rowsOf(ctx, file, func(h *shape, add func(opencodeRow)) error {
		t, err := opencodeShape(h)
		if err != nil {
			return err
		}
		old, err := t.newest(h, t.message, key)
		if err != nil {
			return err
		}
		next, err := t.newest(h, t.next, key)
		if err != nil {
			return err
		}
		for _, table := range t.sessions {
			known := false
			err := h.Each("SELECT "+table.Pick("revert")+" FROM "+table.From()+" WHERE id = ?", func(r sqlite.Row) error {
				known = true
				add(opencodeRow{revert: r.Text(0)})
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
			return h.Each("SELECT "+t.next.Any("id", "rowid")+", "+t.next.Pick("data", "time_created", "type")+" FROM "+t.next.From()+" WHERE session_id = ? ORDER BY "+
				t.next.Any("seq", "time_created")+", 1", func(r sqlite.Row) error {
				add(opencodeRow{message: r.Text(0), data: r.Text(1), event: event.Event{Time: r.Time(2)}, kind: r.Text(3), next: true})
				return nil
			}, key)
		}
		if !t.message.Exists() {
			return nil
		}
		err = h.Each("SELECT "+t.message.Pick("id", "data", "time_created")+" FROM "+t.message.From()+" WHERE session_id = ? ORDER BY 3, 1", func(r sqlite.Row) error {
			add(opencodeRow{message: r.Text(0), data: r.Text(1), event: event.Event{Time: r.Time(2)}})
			return nil
		}, key)
		if err != nil || lacking(t.part, []string{"message_id", "session_id", "data"}) != "" {
			return err
		}
		return h.Each("SELECT "+t.part.Pick("message_id")+", "+t.part.Any("id", "rowid")+", "+t.part.Pick("data", "time_created")+" FROM "+t.part.From()+" WHERE session_id = ? ORDER BY 2", func(r sqlite.Row) error {
			add(opencodeRow{message: r.Text(0), part: r.Text(1), data: r.Text(2), event: event.Event{Time: r.Time(3)}})
			return nil
		}, key)
	})
	if err := unlessPartial(err); err != nil {
		return err
	}
	var messages []opencodeRow
	var revert string
	parts := make(map[string][]opencodeRow)
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
	opencodeEmit(messages, parts, lazyjson.ParseString(revert), true, out)
	return nil
}

// newest tells when the newest message of a session was written.
func (t *opencodeTables) newest(h *shape, messages sqlite.Table, key string) (w opencodeWritten, err error) {
	if !messages.Exists() {
		return w, nil
	}
	return w, h.Each("SELECT count(*), max("+messages.Any("time_created", "seq")+") FROM "+messages.From()+" WHERE session_id = ?", func(r sqlite.Row) error {
		if r.Int(0) > 0 {
			w = opencodeWritten{history.StampOf(r.Int(0)), r.Int(1)}
		}
		return nil
	}, key)
}
