package mcp

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/settings"
)

// own is the table [mcp] of ctxfs's own configuration. Each server is decoded
// by itself, so that a fault in one leaves the others.
type own struct {
	Servers map[string]any `toml:"servers"`
}

// ownServer is one [mcp.servers.NAME]. One that is disabled also disables
// those of that name which are found elsewhere; else it replaces them.
// Variables in its texts are written ${NAME} or ${NAME:-default}.
type ownServer struct {
	Type         string            `toml:"type"`
	Command      string            `toml:"command"`
	Args         []string          `toml:"args"`
	Env          map[string]string `toml:"env"`
	Cwd          string            `toml:"cwd"`
	URL          string            `toml:"url"`
	Headers      map[string]string `toml:"headers"`
	Disabled     bool              `toml:"disabled"`
	StartTimeout float64           `toml:"start_timeout"` // seconds
}

// maxStartTimeout bounds start_timeout.
const maxStartTimeout = time.Hour

// readOwn reads ctxfs's own servers.
func readOwn(path string, s surroundings) configuration {
	c := configuration{path: path}
	problem := func(err error) fs.Problem {
		return fs.Problem{What: clean.Line(err.Error()), Mend: "correct " + path + "; it is read again at once"}
	}
	f, err := settings.Load(path)
	if err != nil {
		bad := problem(err)
		c.bad = &bad
		return c
	}
	var table own
	if err := f.Decode(&table, "mcp"); err != nil {
		c.problems = append(c.problems, problem(err))
	}
	var changed time.Time
	if info, err := os.Stat(path); err == nil {
		changed = info.ModTime()
	}
	for _, name := range slices.Sorted(maps.Keys(table.Servers)) {
		d := &definition{source: source{client: "ctxfs", scope: "user", file: path, name: name, time: changed}}
		readOwnServer(f, d, s)
		c.defs = append(c.defs, d)
	}
	return c
}

// readOwnServer reads the entry of a server into d.
func readOwnServer(f *settings.File, d *definition, s surroundings) {
	x := &expander{dialect: shellDialect, lookup: s.lookup, home: s.home}
	var e ownServer
	if err := f.Decode(&e, "mcp", "servers", d.name); err != nil {
		d.finish(clean.Line(err.Error()), x)
		return
	}
	d.command, d.args, d.env, d.dir = x.expand(e.Command), x.expandAll(e.Args), x.expandTable(e.Env), x.expand(e.Cwd)
	d.url, d.headers = x.expand(e.URL), x.expandTable(e.Headers)
	d.disabled = e.Disabled
	d.startTimeout = time.Duration(e.StartTimeout * float64(time.Second))
	var wrong string
	switch {
	case !(e.StartTimeout >= 0 && e.StartTimeout <= maxStartTimeout.Seconds()): // nan is neither
		wrong = fmt.Sprintf("start_timeout is %g; it is a number of seconds up to %g", e.StartTimeout, maxStartTimeout.Seconds())
	case !e.Disabled || e.Command != "" || e.URL != "":
		wrong = d.choose(e.Type)
	}
	d.finish(wrong, x)
}
