package hooks

import (
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/providers/internal/nearest"
	tables "ctxfs/providers/internal/settings"
)

// Table is the name of the table of config.toml with the settings of hooks.
const Table = "hooks"

// What a session begins with.
const (
	startHere   = "here"   // HERE.md of the workspace
	startAgents = "agents" // AGENTS.md
	startNone   = "none"
)

// What hooks say at most where the user says nothing else, in tokens: at one moment, with
// the page at a start, and in all to one session.
const (
	Budget        = 400
	StartBudget   = 1500
	SessionBudget = 10000
)

// settings are those of the user.
type settings struct {
	enabled                            bool
	budget, startBudget, sessionBudget int
	start                              string
	off                                map[facts.NewsKind]bool
}

// Reload reads the settings again.
func (e *Engine) Reload() {
	set, problems := readSettings(e.opts.Settings)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.settings, e.problems = set, problems
}

// Problems returns what is wrong with the settings.
func (e *Engine) Problems() []fs.Problem {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.problems
}

func (e *Engine) current() settings {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.settings
}

func readSettings(path string) (settings, []fs.Problem) {
	given := struct {
		Enabled       bool     `toml:"enabled"`
		Budget        int      `toml:"budget"`
		StartBudget   int      `toml:"start_budget"`
		SessionBudget int      `toml:"session_budget"`
		Start         string   `toml:"start"`
		Off           []string `toml:"off"`
		Timeout       string   `toml:"timeout"` // read by package cmd/ctxfs/quick
	}{Timeout: "1s", Enabled: true, Budget: Budget, StartBudget: StartBudget, SessionBudget: SessionBudget, Start: startHere}
	table := tables.ReadTable(path, Table, &given)
	set := settings{
		enabled: given.Enabled, budget: given.Budget, startBudget: given.StartBudget, sessionBudget: given.SessionBudget,
		start: given.Start, off: make(map[facts.NewsKind]bool),
	}
	for _, limit := range []struct {
		key   string
		value *int
		usual int
	}{{"budget", &set.budget, Budget}, {"start_budget", &set.startBudget, StartBudget}, {"session_budget", &set.sessionBudget, SessionBudget}} {
		if *limit.value < 0 {
			table.Wrong(limit.key, *limit.value, "a number of tokens, 0 for none")
			*limit.value = limit.usual
		}
	}
	if !slices.Contains([]string{startHere, startAgents, startNone}, set.start) {
		table.Wrong("start", set.start, `"here", "agents" or "none"`)
		set.start = startHere
	}
	if d, err := time.ParseDuration(given.Timeout); err != nil || d <= 0 {
		table.Wrong("timeout", given.Timeout, `a time such as "3s"`)
	}
	var known []string
	for _, kind := range facts.NewsKinds() {
		known = append(known, string(kind))
	}
	for _, name := range given.Off {
		if !slices.Contains(known, name) {
			want := "one of " + strings.Join(known, ", ")
			if meant := nearest.Of(name, known); meant != "" {
				want = `probably "` + meant + `"`
			}
			table.Wrong("off", name, want)
			continue
		}
		set.off[facts.NewsKind(name)] = true
	}
	return set, table.Problems()
}
