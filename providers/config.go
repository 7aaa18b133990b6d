package providers

import (
	"fmt"
	"slices"
	"sync"

	"ctxfs/fs"
	"ctxfs/providers/internal/nearest"
	"ctxfs/providers/internal/settings"
	"ctxfs/providers/internal/watch"
	"ctxfs/providers/results"
	"ctxfs/providers/terminals"
	"ctxfs/providers/transcripts"
)

// tables are the tables that config.toml may have, one for each provider that
// has settings.
func tables() []string { return []string{"mcp", results.Table, terminals.Table, transcripts.Table} }

// Problems are what is wrong with config.toml that concerns no provider: each
// reads its own table, and tells what is wrong with it or with the whole.
func (s *Set) Problems() []fs.Problem {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.problems)
}

// checkTables looks for tables in config.toml that nobody reads.
func (s *Set) checkTables() {
	var problems []fs.Problem
	if config, err := settings.Load(s.opts.Config); err == nil {
		problems = unknownTables(config)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.problems = problems
}

func unknownTables(config *settings.File) []fs.Problem {
	var problems []fs.Problem
	for _, table := range config.Tables() {
		if slices.Contains(tables(), table) {
			continue
		}
		what := fmt.Sprintf("%s: unknown table [%s]", config.Path(), table)
		if near := nearest.Of(table, tables()); near != "" {
			what += fmt.Sprintf("; did you mean [%s]?", near)
		}
		problems = append(problems, fs.Problem{What: what, Mend: "correct its name or take it out"})
	}
	return problems
}

// watchConfig has configuration files read again when they change. That they
// cannot be watched is no reason to show nothing.
func (s *Set) watchConfig() {
	w := &configWatch{set: s, watched: make(map[string]bool)}
	files, err := watch.New(watch.Options{
		Changed: func([]string) {
			s.checkTables()
			s.mcp.Reload()
			s.results.Reload()
			s.terminals.Reload()
			s.transcripts.Reload()
			if w.follow() {
				s.mcp.Reload() // what changed before it was watched
			}
			s.opts.Changed()
		},
		Hide: s.opts.Hide,
		Log:  s.opts.Log,
	})
	if err != nil {
		s.opts.Log.Warn("configuration files are not watched", "error", err)
		return
	}
	w.files = files
	w.follow()
	s.stop = append(s.stop, files.Close)
}

// configWatch watches the configuration files, which change with what is in
// them: projects come and go.
type configWatch struct {
	set *Set

	mu      sync.Mutex
	files   *watch.Watcher
	watched map[string]bool
}

// follow watches the files that there are now, and tells whether there are new
// ones.
func (w *configWatch) follow() (more bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := make(map[string]bool)
	for _, path := range w.set.mcp.ConfigFiles() {
		now[path] = true
		if !w.watched[path] {
			more = true
			w.files.AddFile(path)
		}
	}
	for path := range w.watched {
		if !now[path] {
			w.files.Remove(path)
		}
	}
	w.watched = now
	return more
}

// Nearest is the known word that somebody probably meant, or "".
func Nearest(word string, known []string) string { return nearest.Of(word, known) }
