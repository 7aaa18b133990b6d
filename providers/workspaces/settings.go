package workspaces

import (
	"path/filepath"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/settings"
	known "ctxfs/providers/internal/workspaces"
)

// Table is the name of the table in config.toml.
const Table = "workspaces"

// table is the table as it is written.
type table struct {
	Dirs   []string `toml:"dirs"`
	Lately string   `toml:"lately"`
}

// readSettings reads the table [workspaces] of the config.toml at path: which folders are
// workspaces in any case, and for how long others are after the last work there.
func readSettings(path, home string) (dirs []string, lately time.Duration, problems []fs.Problem) {
	var given table
	t := settings.ReadTable(path, Table, &given)
	lately = known.Lately
	if age, ok := t.Age("lately", given.Lately); ok {
		lately = age
	}
	for _, dir := range given.Dirs {
		full := filepath.Clean(wording.ExpandTilde(dir, home))
		if !filepath.IsAbs(full) {
			t.Wrong("dirs", dir, "absolute paths, or such that begin with ~/")
			continue
		}
		dirs = append(dirs, full)
	}
	return dirs, lately, t.Problems()
}
