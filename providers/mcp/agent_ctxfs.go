package mcp

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/settings"
)

// own is the table [mcp] of ctxfs's own configuration. Variables in its texts
// are written ${NAME} or ${NAME:-default}.
type own struct {
	Servers map[string]ownServer `toml:"servers"`
}

// ownServer is one [mcp.servers.NAME]. One that is disabled also disables
// those of that name which are found elsewhere; else it replaces them.
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

// readOwn reads ctxfs's own servers. Errors name file, line and key.
func readOwn(f *settings.File, s surroundings) ([]*definition, error) {
	if f == nil {
		return nil, nil
	}
	var table own
	if err := f.Decode("mcp", &table); err != nil {
		return nil, err
	}
	var changed time.Time
	if info, err := os.Stat(f.Path()); err == nil {
		changed = info.ModTime()
	}
	var found []*definition
	for _, name := range slices.Sorted(maps.Keys(table.Servers)) {
		e := table.Servers[name]
		timeout := time.Duration(e.StartTimeout * float64(time.Second))
		if timeout < 0 || e.StartTimeout > maxStartTimeout.Seconds() {
			return nil, fmt.Errorf("%s: start_timeout of [mcp.servers.%s] is %g; it is a number of seconds up to %g",
				f.Path(), clean.Line(name), e.StartTimeout, maxStartTimeout.Seconds())
		}
		x := &expander{dialect: shellDialect, lookup: s.lookup, home: s.home}
		d := &definition{
			source:  source{client: "ctxfs", scope: "user", file: f.Path(), name: name, time: changed},
			command: x.expand(e.Command), args: x.expandAll(e.Args), env: x.expandTable(e.Env), dir: x.expand(e.Cwd),
			url: x.expand(e.URL), headers: x.expandTable(e.Headers),
			disabled: e.Disabled, startTimeout: timeout,
		}
		var wrong string
		if !e.Disabled || e.Command != "" || e.URL != "" {
			wrong = d.choose(e.Type)
		}
		d.finish(wrong, x)
		found = append(found, d)
	}
	return found, nil
}
