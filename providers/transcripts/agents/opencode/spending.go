package opencode

import (
	"context"
	"path/filepath"

	"ctxfs/fs/facts"
	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/internal/sqlite"
	"ctxfs/providers/transcripts/agents/database"
	"ctxfs/providers/transcripts/agents/history"
)

// spent reads the requests of a session in a database, from the messages of the form that
// is shown.
func spent(ctx context.Context, file, key string, out func(facts.ModelCall)) error {
	calls, err := database.Read(ctx, file, func(h *database.Snapshot, add func(facts.ModelCall)) error {
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
		table := t.message
		if t.isNext(old, next) {
			table = t.v2
		}
		if !table.Exists() {
			return nil
		}
		return h.Each("SELECT "+table.Any("id", "rowid")+", "+table.Pick("data", "time_created")+" FROM "+table.From()+" WHERE session_id = ? ORDER BY 3, 1", func(r sqlite.Row) error {
			if c, ok := callOf(r.Text(0), lazyjson.ParseString(r.Text(1))); ok {
				if c.Time.IsZero() {
					c.Time = r.Time(2)
				}
				add(c)
			}
			return nil
		}, key)
	})
	for _, c := range calls {
		out(c)
	}
	return database.IgnorePartial(err)
}

// spentFiles reads the requests of a session in files.
func spentFiles(ctx context.Context, file, key string, out func(facts.ModelCall)) error {
	messages, err := readFolder(ctx, filepath.Join(storageOf(file), "message", key))
	for _, m := range messages {
		if c, ok := callOf(m.message, lazyjson.ParseString(m.data)); ok {
			out(c)
		}
	}
	return err
}

// callOf returns the request that a message answers. What was reasoned is beside the
// output, and the total has it too.
func callOf(id string, v lazyjson.Value) (c facts.ModelCall, ok bool) {
	used := v.Get("tokens")
	c = facts.ModelCall{Key: history.CallKey(id), Time: sqlite.Time(v.Get("time.created").Int()), Model: v.Get("modelID").Str, Cost: max(0, v.Get("cost").Float())}
	if model := v.Get("model.id").Str; model != "" {
		c.Model = model
	} else if c.Model == "" {
		c.Model = v.Get("model.modelID").Str
	}
	c.Tokens = history.Filled(facts.Tokens{
		Input: history.Count(used, "input"), Output: history.Count(used, "output"), Reasoning: history.Count(used, "reasoning"),
		CacheRead: history.Count(used, "cache.read"), CacheWrite: history.Count(used, "cache.write"),
	}, history.Count(used, "total"))
	return c, used.IsObject() && (c.Tokens.Total() > 0 || c.Cost > 0)
}
