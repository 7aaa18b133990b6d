package memory

import (
	"path/filepath"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/settings"
	"ctxfs/providers/memory/store"
)

// Table is the name of the table in config.toml.
const Table = "memory"

// table is the table as it is written.
type table struct {
	Dir string `toml:"dir"`
}

// usualDir is where our own memories are unless the settings say otherwise.
const usualDir agents.Path = "${XDG_DATA_HOME:-~/.local/share}/ctxfs/memory"

// Tables implements fs.Configured.
func (p *Provider) Tables() []string { return []string{Table} }

// Reload implements fs.Configured.
func (p *Provider) Reload() {
	p.configure()
	p.Poke()
}

func (p *Provider) configure() {
	var given table
	t := settings.ReadTable(p.opts.SettingsPath, Table, &given)
	dir := p.opts.Path(usualDir)
	if given.Dir != "" {
		full := filepath.Clean(wording.ExpandTilde(given.Dir, p.opts.Home))
		if filepath.IsAbs(full) {
			dir = full
		} else {
			t.Wrong("dir", given.Dir, "an absolute path, or one that begins with ~/")
		}
	}
	problems := t.Problems()
	p.configured.Lock()
	defer p.configured.Unlock()
	p.problems = problems
	if p.store == nil || p.store.Dir() != dir {
		p.store = store.New(store.Options{
			Dir: dir, Trash: filepath.Join(p.opts.State, "trash"), Home: p.opts.Home, Hide: p.opts.Hide, Now: p.opts.Env.Now,
		})
	}
}

var _ fs.Configured = (*Provider)(nil)
