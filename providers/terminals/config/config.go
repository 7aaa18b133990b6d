// Package config reads the table [terminals] of config.toml. It is apart from package
// terminals for the sake of what starts a terminal and needs nothing else of that.
package config

import (
	"path/filepath"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/settings"
	"ctxfs/providers/terminals/holder"
	"ctxfs/providers/terminals/record"
)

// Table is the name of the table in config.toml.
const Table = "terminals"

// Settings are the settings of the table [terminals].
type Settings struct {
	// Limits apply to all terminals together.
	Limits record.Limits
	// Replay reports whether new terminals write replay.cast.
	Replay bool
	// Tmux reports whether the panes of running tmux servers are recorded.
	Tmux bool
	// DetachKey detaches a window from its terminal, which goes on.
	DetachKey holder.Key
}

// defaults returns the settings without a configuration.
func defaults() Settings {
	return Settings{Limits: record.Limits{MaxSize: 1 << 30, MaxAge: 14 * 24 * time.Hour}, Replay: true, DetachKey: holder.DefaultKey()}
}

// table is the table as it is written. Sizes are numbers of bytes, or texts
// such as "500 MB".
type table struct {
	MaxSize   any    `toml:"max_size"`
	MaxAge    string `toml:"max_age"`
	Replay    bool   `toml:"replay"`
	Tmux      bool   `toml:"tmux"`
	DetachKey string `toml:"detach_key"`
}

// Read reads the table [terminals] of the config.toml at path. A setting
// with a problem keeps its default.
func Read(path string) (Settings, []fs.Problem) {
	s := defaults()
	given := table{Replay: s.Replay}
	t := settings.ReadTable(path, Table, &given)
	if n, ok := t.Size("max_size", given.MaxSize, "500 MB"); ok {
		s.Limits.MaxSize = n
	}
	if age, ok := t.Age("max_age", given.MaxAge); ok {
		s.Limits.MaxAge = age
	}
	if key, err := holder.ParseKey(given.DetachKey); err == nil {
		s.DetachKey = key
	} else if given.DetachKey != "" {
		t.Wrong("detach_key", given.DetachKey, `a key such as "ctrl-\ d" or "ctrl-]", or "none"`)
	}
	s.Replay, s.Tmux = given.Replay, given.Tmux
	return s, t.Problems()
}

// Recording returns where and how terminals are recorded, as the config.toml at path says:
// in ctxfs's state folder, with sockets in one of the folders runtime.
func Recording(path, state string, runtime []string) holder.Recording {
	s, _ := Read(path) // its faults are in STATUS.md
	return holder.Recording{
		Dir: filepath.Join(state, "terminals"), Runtime: runtime, Limits: s.Limits, Replay: s.Replay, Key: s.DetachKey,
	}
}
