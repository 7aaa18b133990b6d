package terminals

import (
	"fmt"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/settings"
	"ctxfs/providers/terminals/holder"
	"ctxfs/providers/terminals/record"
)

// Table is the name of the table of config.toml.
const Table = "terminals"

// Settings are the table [terminals].
type Settings struct {
	// Limits are those of all terminals together.
	Limits record.Limits
	// Replay has replay.cast written for new terminals.
	Replay bool
	// Tmux has the panes of running tmux servers recorded.
	Tmux bool
	// DetachKey takes a window away from a terminal that goes on.
	DetachKey holder.Key
}

// defaults are the settings of those who have none.
func defaults() Settings {
	return Settings{Limits: record.Limits{MaxSize: 1 << 30, MaxAge: 14 * 24 * time.Hour}, Replay: true, DetachKey: holder.DefaultKey()}
}

// table is the table as it is written. Sizes are numbers of bytes, or texts such
// as "500 MB".
type table struct {
	MaxSize   any    `toml:"max_size"`
	MaxAge    string `toml:"max_age"`
	Replay    bool   `toml:"replay"`
	Tmux      bool   `toml:"tmux"`
	DetachKey string `toml:"detach_key"`
}

// ReadSettings reads the table [terminals] of the config.toml at path. A setting
// with a fault is as if it were not there. That the file cannot be read at all is
// for others to tell.
func ReadSettings(path string) (s Settings, problems []fs.Problem) {
	s = defaults()
	f, err := settings.Load(path)
	if err != nil {
		return s, nil
	}
	problem := func(what string) {
		problems = append(problems, fs.Problem{What: clean.Line(what), Mend: "correct " + path + "; it is read again at once"})
	}
	wrong := func(key, value, is string) {
		problem(fmt.Sprintf("%s:%d: %q in [%s] is %q; it is %s", path, f.Line(Table, key), key, Table, clean.Cut(value, 100), is))
	}
	t := table{Replay: s.Replay}
	if err := f.Decode(&t, Table); err != nil {
		problem(err.Error())
	}
	if n, ok := settings.Size(t.MaxSize); ok {
		s.Limits.MaxSize = n
	} else if t.MaxSize != nil {
		wrong("max_size", fmt.Sprint(t.MaxSize), `a size such as "500 MB"`)
	}
	if age, ok := settings.Age(t.MaxAge); ok {
		s.Limits.MaxAge = age
	} else if t.MaxAge != "" {
		wrong("max_age", t.MaxAge, `a time such as "14d" or "12h"`)
	}
	if key, err := holder.ParseKey(t.DetachKey); err == nil {
		s.DetachKey = key
	} else if t.DetachKey != "" {
		wrong("detach_key", t.DetachKey, `a key such as "ctrl-\ d" or "ctrl-]", or "none"`)
	}
	s.Replay, s.Tmux = t.Replay, t.Tmux
	return s, problems
}
