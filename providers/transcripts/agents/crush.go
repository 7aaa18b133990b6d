package agents

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/internal/sqlite"
	"ctxfs/providers/transcripts/agents/database"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

// crush returns the reader of Crush, which has a database for each project
// (internal/db/migrations, internal/message/content.go and internal/projects of
// its repository), and a list of the projects in projects.json. The parts of a
// message are {type,data}. The schema has declared times as seconds and as
// milliseconds; they have always been seconds. A subagent's session is named
// after the message and the call that started it: <message>$$<call>.
//
// The folder of the list is a place too: it is watched, and the places change
// with the list.
func crush() history.Agent {
	return history.Agent{Name: "crush", Places: func(m history.Machine) []history.Place {
		global := m.Folders("crush")[0]
		places := []history.Place{crushPlace(global, m.Home)}
		for _, p := range crushProjects(filepath.Join(global, "projects.json")) {
			if p.Path == "" {
				continue
			}
			p.DataDir = cmp.Or(p.DataDir, ".crush")
			if !filepath.IsAbs(p.DataDir) {
				p.DataDir = filepath.Join(p.Path, p.DataDir)
			}
			places = append(places, crushPlace(p.DataDir, p.Path))
		}
		for _, p := range m.Projects {
			places = append(places, crushPlace(filepath.Join(p, ".crush"), p))
		}
		seen := make(map[string]bool)
		return slices.DeleteFunc(places, func(p history.Place) bool {
			again := seen[p.Dir]
			seen[p.Dir] = true
			return again
		})
	}}
}

func crushPlace(dir, project string) history.Place {
	return history.OneFile(filepath.Join(dir, "crush.db"), history.Store{
		Sessions: func(ctx context.Context, path string) ([]history.Entry, error) {
			return crushSessions(ctx, path, project)
		},
		Read: crushRead,
	})
}

// crushProject is an entry of the list.
type crushProject struct {
	Path    string `json:"path"`
	DataDir string `json:"data_dir"`
}

// crushProjects reads the list. A list that cannot be read is empty.
func crushProjects(path string) []crushProject {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	var list struct {
		Projects []crushProject `json:"projects"`
	}
	if json.Unmarshal(text, &list) != nil {
		return nil
	}
	return list.Projects
}

func crushTables(h *database.Snapshot) (sessions, messages sqlite.Table, err error) {
	if sessions, err = h.Table("sessions", []string{"id"}); err == nil {
		messages, err = h.Table("messages", []string{"session_id"}, "role", crushParts, "created_at")
	}
	return sessions, messages, err
}

// crushParts are the names of the column with the parts.
const crushParts = "parts|content"

func crushSessions(ctx context.Context, path, project string) ([]history.Entry, error) {
	return database.Read(ctx, path, func(h *database.Snapshot, add func(history.Entry)) error {
		sessions, messages, err := crushTables(h)
		if err != nil {
			return err
		}
		written := make(map[string]string)
		if messages.Exists() {
			// Times are too coarse to show that a message grows; lengths are read
			// without reading the values.
			err = h.Each("SELECT session_id, count(*), max("+messages.Any("updated_at", "created_at")+"), sum(octet_length("+messages.Any(strings.Split(crushParts, "|")...)+")) FROM "+
				messages.From()+" GROUP BY session_id",
				func(r sqlite.Row) error {
					written[r.Text(0)] = history.StampOf(r.Int(1), r.Int(2), r.Int(3))
					return nil
				})
		}
		switch {
		case err != nil:
			return err
		case !sessions.Exists() && messages.Exists():
			return h.Orphans("crush", messages, written, func(l history.Entry) {
				l.CWD = project
				add(l)
			})
		case !sessions.Exists():
			return nil
		}
		return h.Each("SELECT "+sessions.Pick("id", "parent_session_id", "title", "created_at", "updated_at", "workspace_cwd", "archived_at")+
			" FROM "+sessions.From()+" ORDER BY 4, 1", func(r sqlite.Row) error {
			l := history.Entry{Key: r.Text(0), Session: event.Session{
				Agent: "crush", ID: r.Text(0), Parent: r.Text(1), CWD: r.Text(5), Archived: r.Int(6) != 0,
			}}
			l.CWD = cmp.Or(l.CWD, project)
			content, ok := written[l.ID]
			if !ok && l.Parent != "" {
				return nil // created to give its parent a title
			}
			l.Name(event.FromSummary, r.Text(2))
			l.Saw(r.Time(3))
			l.Saw(r.Time(4))
			l.Stamp = history.StampOf(r.Int(4), content, r.Text(2))
			add(l)
			return nil
		})
	})
}

// crushMessage is a row of messages or, where child is set, the id of a session
// that a call started.
type crushMessage struct {
	id, role, parts, model string
	summary                bool
	event                  event.Event
	child                  string
}

func crushRead(ctx context.Context, path, key string, out event.Sink) error {
	rows, err := database.Read(ctx, path, func(h *database.Snapshot, add func(crushMessage)) error {
		sessions, messages, err := crushTables(h)
		if err != nil {
			return err
		}
		if sessions.Has("parent_session_id") {
			err := h.Each("SELECT id FROM "+sessions.From()+" WHERE parent_session_id = ?", func(r sqlite.Row) error {
				add(crushMessage{child: r.Text(0)})
				return nil
			}, key)
			if err != nil {
				return err
			}
		}
		if !messages.Exists() {
			return nil
		}
		return h.Each("SELECT "+messages.Pick("id", "role")+", "+messages.Any(strings.Split(crushParts, "|")...)+", "+messages.Pick("model", "is_summary_message", "created_at")+
			" FROM "+messages.From()+" WHERE session_id = ? ORDER BY 6, rowid", func(r sqlite.Row) error {
			add(crushMessage{
				id: r.Text(0), role: r.Text(1), parts: r.Text(2), model: r.Text(3), summary: r.Int(4) != 0,
				event: event.Event{Time: r.Time(5)},
			})
			return nil
		}, key)
	})
	if err := database.IgnorePartial(err); err != nil {
		return err
	}
	reader := crushReader{out: out, names: make(records.ToolNames), children: make(map[string]string)}
	for i, m := range rows {
		if m.child != "" {
			if _, call, ok := strings.Cut(m.child, "$$"); ok {
				reader.children[call] = m.child
			}
			continue
		}
		reader.message(m, i == len(rows)-1)
	}
	return nil
}

type crushReader struct {
	out      event.Sink
	names    records.ToolNames
	children map[string]string
}

func (c *crushReader) message(m crushMessage, newest bool) {
	e := m.event
	e.ID = m.id
	parts, ok := records.ParseRow(c.out, e, m.parts)
	if !ok {
		return
	}
	if m.summary {
		e := e
		e.Kind, e.ID, e.Compact = event.Compaction, m.id+".compaction", &event.Compact{}
		c.out.Emit(e)
	}
	switch m.role {
	case "user", "tool":
		e.Kind = event.User
	case "system":
		e.Kind = event.System
	default:
		e.Kind, e.Model = event.Assistant, m.model
		c.out.Session().Used(m.model)
	}
	list := parts.Array()
	finished := slices.ContainsFunc(list, func(p lazyjson.Value) bool { return p.Get("type").Str == "finish" })
	for i, part := range list {
		// Text grows word by word until something follows it.
		live := newest && !finished && e.Kind == event.Assistant
		e.ID = records.PartID(m.id, i)
		c.part(e, part, live, live && i == len(list)-1)
	}
}

// part emits one of a message's parts. live is set while the message is being
// written, open while this part is.
func (c *crushReader) part(e event.Event, part lazyjson.Value, live, open bool) {
	data := part.Get("data")
	switch kind := part.Get("type").Str; kind {
	case "text":
		e.Text = data.Get("text").Str
		if e.Kind == event.User && data.Get("hidden").Bool() {
			e.Origin = event.Injected
		}
		if open || e.Text == "" {
			return
		}
		if e.Kind == event.User && e.Origin == event.Typed {
			c.out.Session().Name(event.FromPrompt, records.Prompt(e.Text))
		}
	case "reasoning":
		e.Kind, e.Text = event.Thinking, data.Get("thinking").Str
		if e.Text == "" || open && data.Get("finished_at").Int() == 0 {
			return
		}
	case "image_url":
		e.Text = records.LinkNote("", data.Get("url").Str)
	case "binary":
		e.Text = strings.TrimSpace(data.Get("Path").Str + " " + records.Base64Note(data.Get("MIMEType").Str, data.Get("Data").Str))
	case "tool_call":
		if live && !data.Get("finished").Bool() {
			return
		}
		e.Kind = event.ToolCall
		e.Call = &event.Call{ID: data.Get("id").Str, Name: data.Get("name").Str, Input: data.Get("input").Str}
		e.Subagent = c.children[e.Call.ID]
		c.names[e.Call.ID] = e.Call.Name
	case "tool_result":
		id, text := data.Get("tool_call_id").Str, data.Get("content").Str
		if blob := data.Get("data").Str; blob != "" {
			text = strings.TrimSpace(text + "\n" + records.Base64Note(data.Get("mime_type").Str, blob))
		}
		e.Kind = event.ToolResult
		e.Result = c.names.Result(id, text, data.Get("is_error").Bool())
		if e.Result.Name == "" {
			e.Result.Name = data.Get("name").Str
		}
	case "shell_command":
		e.Text = "$ " + data.Get("command").Str + "\n" + data.Get("output").Str
	case "finish":
		e.Kind, e.Record = event.System, data.Raw
		e.Text = strings.TrimSpace(data.Get("message").Str + "\n" + data.Get("details").Str)
		e.Quiet = e.Text == ""
	default:
		e.Kind, e.Text, e.Record = event.Unknown, kind, part.Raw
	}
	c.out.Emit(e)
}
