package workspaces

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/settings"
	known "ctxfs/providers/internal/workspaces"
)

// scratch returns the folder for temporary files: of the background process, which
// empties what one before it has left, or of this process alone.
func (o *Options) scratch() string {
	name := "scratch"
	if !o.Watch {
		name += "-" + strconv.Itoa(os.Getpid())
	}
	return filepath.Join(o.Cache, name)
}

func (o *Options) variable(name string) string {
	value, _ := o.LookupEnv(name)
	return value
}

// configHome returns the folder of the user's configurations.
func (o *Options) configHome() string {
	if dir := o.variable("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(o.Home, ".config")
}

// folders returns the folders of all workspaces.
func (o *Options) folders() (all []string) {
	for _, w := range o.Known.All() {
		all = append(all, w.Folders()...)
	}
	return all
}

// stateOf returns the folder in which something is kept about a workspace: its name for
// people, and a sum of its path, since names may be assigned again.
func stateOf(base string, w known.Workspace) string {
	return filepath.Join(base, fmt.Sprintf("%s-%08x", w.Name, uint32(fs.BytesVersion([]byte(w.Dir)))))
}

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
