package opencode

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/internal/sqlite"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

// listFile lists the session of a file storage/session/<project>/<id>.json.
func listFile(_ context.Context, file string) ([]history.Entry, error) {
	info, err := records.ReadDocument(file)
	if err != nil {
		return nil, err
	}
	id := info.Get("id").Str
	if id == "" || filepath.Base(id) != id {
		return nil, fmt.Errorf("%s: a session without an id", file)
	}
	l := history.Entry{Key: id, Session: event.Session{
		Agent: "opencode", ID: id, Parent: info.Get("parentID").Str, CWD: info.Get("directory").Str,
		Program: info.Get("version").Str, Archived: info.Get("time.archived").Exists(),
	}}
	setTitle(&l.Session, info.Get("title").Str)
	l.Saw(sqlite.Time(info.Get("time.created").Int()))
	l.Saw(sqlite.Time(info.Get("time.updated").Int()))
	// The messages are files of their own. Their folder changes with each new
	// one.
	stamp := []any{info.Get("time.updated").Int(), info.Get("revert").Raw}
	if folder, err := os.Stat(filepath.Join(storageOf(file), "message", id)); err == nil {
		stamp = append(stamp, folder.ModTime().UnixNano())
	}
	l.Stamp = history.StampOf(stamp...)
	return []history.Entry{l}, nil
}

// storageOf returns the folder storage/ above a session's file.
func storageOf(session string) string { return filepath.Dir(filepath.Dir(filepath.Dir(session))) }

// readFiles reads message/<session>/*.json and part/<message>/*.json. The oldest
// versions kept all parts in part/.
func readFiles(ctx context.Context, file, key string, out event.Sink) error {
	info, err := records.ReadDocument(file)
	if err != nil {
		return err
	}
	storage := storageOf(file)
	messages, err := readFolder(ctx, filepath.Join(storage, "message", key))
	if err != nil {
		return err
	}
	slices.SortStableFunc(messages, func(a, b row) int {
		return cmp.Or(a.event.Time.Compare(b.event.Time), cmp.Compare(a.message, b.message))
	})
	// Only the oldest versions have files in part/ itself.
	loose, err := readFolder(ctx, filepath.Join(storage, "part"))
	if err != nil {
		return err
	}
	parts := make(map[string][]row)
	for _, m := range messages {
		if filepath.Base(m.message) != m.message {
			continue
		}
		list, err := readFolder(ctx, filepath.Join(storage, "part", m.message))
		if err != nil {
			return err
		}
		for _, p := range loose {
			if p.part == m.message { // the message that the part names
				list = append(list, p)
			}
		}
		for _, p := range list {
			parts[m.message] = append(parts[m.message], row{message: m.message, part: p.message, data: p.data})
		}
	}
	// The versions that wrote files did not record when a text was complete.
	emitSession(messages, parts, info.Get("revert"), false, out)
	return nil
}

// readFolder reads the documents of a folder in the order of their names: the id
// of each as message, the id of the message that it names as part. A text that is
// not JSON (it may be half-written) becomes a row as well.
func readFolder(ctx context.Context, dir string) ([]row, error) {
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var rows []row
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if e.IsDir() || filepath.Ext(e.Name()) != ".json" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if os.IsNotExist(err) {
			continue // removed in the meantime
		} else if err != nil {
			return nil, err
		}
		row := row{message: e.Name()[:len(e.Name())-len(".json")], data: string(text)}
		if v := lazyjson.Parse(text); v.Get("id").Str != "" {
			row.message, row.part = v.Get("id").Str, v.Get("messageID").Str
			row.event.Time = sqlite.Time(v.Get("time.created").Int())
		}
		rows = append(rows, row)
	}
	return rows, nil
}
