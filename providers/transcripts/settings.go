package transcripts

import (
	"fmt"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/settings"
)

// Table is the name of the table of config.toml.
const Table = "transcripts"

// settingsTable are the settings in use.
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
		p.scanner.Rescan()
	}
}

// readSettings reads the settings of the file at path. A setting with a problem
// keeps its default.
func readSettings(path, home string) *settingsTable {
	var given struct {
		Archive    bool     `toml:"archive"`
		MaxArchive any      `toml:"max_archive"`
		MaxCache   any      `toml:"max_cache"`
		Projects   []string `toml:"projects"`
	}
	table := settings.ReadTable(path, Table, &given)
	t := &settingsTable{archive: given.Archive, maxArchive: defaultMaxArchive, maxCache: defaultMaxCache}
	if n, ok := table.Size("max_archive", given.MaxArchive, "2 GB"); ok {
		t.maxArchive = n
	}
	if n, ok := table.Size("max_cache", given.MaxCache, "2 GB"); ok {
		t.maxCache = n
	}
	for _, project := range given.Projects {
		t.projects = append(t.projects, wording.ExpandTilde(project, home))
	}
	t.problems = table.Problems()
	return t
}
