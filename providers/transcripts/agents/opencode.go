package agents

import (
	"context"
	"path"
	"path/filepath"
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/internal/sqlite"
	"ctxfs/providers/transcripts/event"
)

// opencode keeps sessions in a database (packages/opencode/src/session, tables
// session, message and part): opencode.db, or opencode-<channel>.db of a channel
// build, or the one that OPENCODE_DB names. Before, it kept the same documents
// as files below storage/, and left those when it moved them (opencode_files.go).
//
// A compaction is a part; what was there before stays. Undoing keeps what was
// undone until the next prompt: session.revert says from where.
func opencode() Agent {
	return Agent{Name: "opencode", Places: func(m Machine) []Place {
		dir := m.Data("opencode")
		database := Store{Sessions: opencodeSessions, Read: opencodeRead, Rank: 1}
		places := []Place{{Dir: dir, Skip: opencodeSkip, File: func(rel string) Format {
			if rel == "opencode.db" {
				return database
			}
			if channel, _ := path.Match("opencode-*.db", rel); channel {
				return database
			}
			if session, _ := path.Match("storage/session/*/*.json", rel); session {
				return Store{Sessions: opencodeFile, Read: opencodeReadFiles}
			}
			return nil
		}}}
		if named := m.Env("OPENCODE_DB", ""); named != "" && named != ":memory:" {
			if !filepath.IsAbs(named) {
				named = filepath.Join(dir, named)
			}
			places = append(places, Place{
				Dir:  filepath.Dir(named),
				Skip: func(string) bool { return true },
				File: func(rel string) Format {
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

func opencodeTables(s *sqlite.Snapshot) (session, message, part sqlite.Table, err error) {
	if session, err = s.Table("session", "id"); err != nil {
		return session, message, part, err
	}
	if message, err = s.Table("message", "id", "session_id", "time_created", "time_updated", "data"); err != nil {
		return session, message, part, err
	}
	part, err = s.Table("part", "id", "message_id", "session_id", "time_updated", "data")
	return session, message, part, err
}

func opencodeSessions(ctx context.Context, file string) ([]Listed, error) {
	return rowsOf(ctx, file, func(s *sqlite.Snapshot, add func(Listed)) error {
		session, _, _, err := opencodeTables(s)
		if err != nil {
			return err
		}
		// What is written is the newest message, and its parts: they are looked at,
		// and no other part.
		return s.Each(`WITH written AS (SELECT session_id, count(*) AS n, sum(time_updated) AS updated,
				max(time_created), id AS newest FROM message GROUP BY session_id)
			SELECT `+session.Pick("id", "parent_id", "directory", "title", "version", "revert", "model",
			"time_created", "time_updated", "time_archived")+`, written.n || ':' || written.updated,
				(SELECT count(*) || ':' || coalesce(sum(time_updated), 0) FROM part WHERE message_id = written.newest)
			FROM session LEFT JOIN written ON written.session_id = session.id ORDER BY 8, 1`, func(r sqlite.Row) error {
			l := Listed{Key: r.Text(0), Session: event.Session{
				Agent: "opencode", ID: r.Text(0), Parent: r.Text(1), CWD: r.Text(2), Program: r.Text(4),
				Model: lazyjson.ParseString(r.Text(6)).Get("id").Str, Archived: r.Int(9) != 0,
			}}
			opencodeTitle(&l.Session, r.Text(3))
			l.Saw(r.Time(7))
			l.Saw(r.Time(8))
			l.Stamp = stampOf(r.Int(8), r.Text(10), r.Text(11), r.Text(5), r.Text(3))
			add(l)
			return nil
		})
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
}

func opencodeRead(ctx context.Context, file, key string, out event.Sink) error {
	rows, err := rowsOf(ctx, file, func(s *sqlite.Snapshot, add func(opencodeRow)) error {
		session, message, part, err := opencodeTables(s)
		if err != nil {
			return err
		}
		err = s.Each("SELECT "+session.Pick("revert")+" FROM session WHERE id = ?", func(r sqlite.Row) error {
			add(opencodeRow{revert: r.Text(0)})
			return nil
		}, key)
		if err != nil {
			return err
		}
		err = s.Each("SELECT "+message.Pick("id", "data", "time_created")+" FROM message WHERE session_id = ? ORDER BY time_created, id", func(r sqlite.Row) error {
			add(opencodeRow{message: r.Text(0), data: r.Text(1), event: event.Event{Time: r.Time(2)}})
			return nil
		}, key)
		if err != nil {
			return err
		}
		return s.Each("SELECT "+part.Pick("message_id", "id", "data", "time_created")+" FROM part WHERE session_id = ? ORDER BY id", func(r sqlite.Row) error {
			add(opencodeRow{message: r.Text(0), part: r.Text(1), data: r.Text(2), event: event.Event{Time: r.Time(3)}})
			return nil
		}, key)
	})
	if err != nil {
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
