package providers

import (
	"fmt"
	"slices"

	"ctxfs/fs"
	"ctxfs/providers/internal/nearest"
	"ctxfs/providers/internal/settings"
	"ctxfs/providers/internal/watch"
)

// tables are the tables that config.toml may have, one for each provider that
// has settings.
func tables() []string { return []string{"mcp"} }

// Problems are what is wrong with config.toml itself.
func (s *Set) Problems() []fs.Problem {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.problems)
}

// loadSettings reads config.toml, nil if it cannot be read.
func (s *Set) loadSettings() *settings.File {
	config, err := settings.Load(s.opts.Config)
	var problems []fs.Problem
	if err != nil {
		problems = append(problems, fs.Problem{What: err.Error(), Mend: "correct the file; it is read again at once"})
		config = nil
	} else {
		problems = unknownTables(config)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.problems = problems
	return config
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
	files, err := watch.New(watch.Options{
		Changed: func([]string) {
			s.loadSettings()
			s.mcp.Reload()
			s.opts.Changed()
		},
		Log: s.opts.Log,
	})
	if err != nil {
		s.opts.Log.Warn("configuration files are not watched", "error", err)
		return
	}
	for _, path := range append(s.mcp.ConfigFiles(), s.opts.Config) {
		files.AddFile(path)
	}
	s.stop = append(s.stop, files.Close)
}
