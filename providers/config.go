package providers

import (
	"fmt"
	"slices"
	"sync"

	"ctxfs/fs"
	"ctxfs/fs/cell"
	"ctxfs/fs/wording"
	"ctxfs/providers/find"
	"ctxfs/providers/hooks"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/nearest"
	"ctxfs/providers/internal/settings"
	"ctxfs/providers/internal/watch"
	"ctxfs/providers/stats/prices"
)

// Problems returns the problems that concern no provider: those of config.toml, since each
// provider reads its own table, and reports what is wrong with that or with the whole file,
// and faults of ctxfs itself.
func (l *List) Problems() []fs.Problem {
	l.mu.Lock()
	all := slices.Concat(l.problems, l.finder.Problems(), l.hooks.Problems())
	if l.watch != nil {
		all = append(all, l.watch.files.Late()...)
	}
	l.mu.Unlock()
	for _, f := range cell.Faults() {
		all = append(all, fs.Problem{
			What: fmt.Sprintf("%s (%s, last at %s)", clean.Line(f.Error()), wording.Count(f.Times, "times"), wording.Time(f.At)),
			Mend: "it goes on by itself; please report it with what ctxfs's daemon.log says of it",
		})
	}
	return all
}

// checkTables looks for tables in config.toml that no provider reads.
func (l *List) checkTables() {
	var problems []fs.Problem
	if config, err := settings.Load(l.opts.Config); err == nil {
		problems = l.unknownTables(config)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.problems = problems
}

func (l *List) unknownTables(config *settings.File) (problems []fs.Problem) {
	known := []string{find.Table, hooks.Table, prices.SettingsTable}
	for _, p := range Of[fs.Configured](l) {
		known = append(known, p.Tables()...)
	}
	for _, table := range config.Tables() {
		if slices.Contains(known, table) {
			continue
		}
		what := fmt.Sprintf("%s:%d: unknown table [%s]", config.Path(), config.Line(table), table)
		if suggestion := nearest.Of(table, known); suggestion != "" {
			what += fmt.Sprintf("; did you mean [%s]?", suggestion)
		}
		problems = append(problems, fs.Problem{What: what, Mend: "correct its name or take it out"})
	}
	return problems
}

// configWatch watches the configuration files. Their contents determine which they
// are: projects come and go.
type configWatch struct {
	list *List

	mu      sync.Mutex
	files   *watch.Watcher
	watched map[string]bool
}

// watchConfig makes the providers reload their settings when a configuration file
// changes.
func (l *List) watchConfig() {
	w := &configWatch{list: l, watched: make(map[string]bool)}
	w.files, l.watch = watch.New(watch.Options{Changed: func([]string) { w.reload() }, Hide: l.opts.Hide, Log: l.opts.Log}), w
	w.follow()
}

// reload reloads all settings.
func (w *configWatch) reload() {
	w.list.checkTables()
	w.list.finder.ReloadSettings()
	w.list.hooks.Reload()
	for _, p := range Of[fs.Configured](w.list) {
		_ = cell.Run(p.Reload)
	}
	if w.follow() {
		for _, p := range Of[fs.Watched](w.list) {
			_ = cell.Run(p.Reload) // a new file may have changed before it was watched
		}
	}
	w.list.opts.Changed()
}

// follow watches the current configuration files, and reports whether there are new
// ones among them.
func (w *configWatch) follow() (more bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	paths := []string{w.list.opts.Config}
	for _, p := range Of[fs.Watched](w.list) {
		paths = append(paths, p.ConfigFiles()...)
	}
	now := make(map[string]bool)
	for _, path := range paths {
		if now[path] {
			continue
		}
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

// Nearest returns the known word that was probably meant, or "".
func Nearest(word string, known []string) string { return nearest.Of(word, known) }
