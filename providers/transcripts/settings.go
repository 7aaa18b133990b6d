package transcripts

import (
	"fmt"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/settings"
)

// Table is the name of the table of config.toml.
const Table = "transcripts"

// settingsTable are the settings as they count.
type settingsTable struct {
	archive    bool
	maxArchive int64 // bytes
	maxCache   int64 // bytes
	projects   []string
	problems   []fs.Problem
}

const (
	defaultMaxArchive = 5 << 30
	defaultMaxCache   = 4 << 30
)

// Tables implements fs.Configured.
func (p *Provider) Tables() []string { return []string{Table} }

// Reload reads the settings again.
func (p *Provider) Reload() {
	t := readSettings(p.opts.SettingsPath, p.opts.Home)
	old := p.settings.Swap(t)
	if old != nil && (t.archive != old.archive || fmt.Sprint(t.projects) != fmt.Sprint(old.projects)) {
		p.queue.rescan()
	}
}

// readSettings reads the settings. A setting with a fault is as if it were not
// there. That the file cannot be read at all is for others to tell.
func readSettings(path, home string) *settingsTable {
	t := &settingsTable{maxArchive: defaultMaxArchive, maxCache: defaultMaxCache}
	f, err := settings.Load(path)
	if err != nil {
		return t
	}
	problem := func(what string) {
		t.problems = append(t.problems, fs.Problem{What: clean.Line(what), Mend: "correct " + path + "; it is read again at once"})
	}
	var given struct {
		Archive    bool     `toml:"archive"`
		MaxArchive any      `toml:"max_archive"`
		MaxCache   any      `toml:"max_cache"`
		Projects   []string `toml:"projects"`
	}
	if err := f.Decode(&given, Table); err != nil {
		problem(err.Error())
	}
	t.archive = given.Archive
	size := func(key string, value any, into *int64) {
		if value == nil {
			return
		}
		if n, ok := settings.Size(value); ok {
			*into = n
			return
		}
		problem(fmt.Sprintf("%s:%d: %q in [%s] is %q; it is a size such as \"2 GB\"", path, f.Line(Table, key), key, Table, clean.Cut(fmt.Sprint(value), 100)))
	}
	size("max_archive", given.MaxArchive, &t.maxArchive)
	size("max_cache", given.MaxCache, &t.maxCache)
	for _, project := range given.Projects {
		t.projects = append(t.projects, wording.ExpandTilde(project, home))
	}
	return t
}
