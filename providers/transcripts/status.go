package transcripts

import (
	"fmt"
	"maps"
	"slices"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/fulltext"
	"ctxfs/providers/internal/settings"
)

// maxProblems is how many problems of a kind are reported.
const maxProblems = 3

// Status implements fs.Provider.
func (p *Provider) Status() fs.Status {
	if !p.opts.Watch {
		p.scanner.First() // with a watch it is under way
	}
	all := p.catalogue.Summarize(maxProblems)
	s := fs.Status{State: "ready", Since: all.Changed}
	for _, agent := range slices.Sorted(maps.Keys(all.Agents)) {
		s.Items = append(s.Items, fs.Item{Name: agent, Count: all.Agents[agent], Unit: "sessions"})
	}
	for _, f := range all.Unreadable {
		s.Problems = append(s.Problems, fs.Problem{What: clean.Line(fmt.Sprintf("%s cannot be read: %s", f.Path, f.Fault)), Mend: "it is read again when it changes"})
	}
	for _, f := range all.Partial {
		s.Problems = append(s.Problems, fs.Problem{What: clean.Line(fmt.Sprintf("%s of %s: %s", f.Path, f.Agent, f.Fault)), Mend: "a newer ctxfs may read all of it"})
	}
	s.Summary = fmt.Sprintf("%s of %s, %s", wording.Count(all.Sessions, "sessions"), wording.Count(len(s.Items), "agents"), wording.Size(all.Size))
	if all.Sessions == 0 {
		s.State, s.Summary = "empty", "no sessions"
	}
	for _, path := range all.Faulty {
		s.Problems = append(s.Problems, fs.Problem{What: path + " cannot be read", Mend: "ctxfs cat transcripts/" + wording.ShellWord(path) + "/STATUS.md"})
	}
	s.Problems = append(s.Problems, p.problems()...)
	switch {
	case len(s.Problems) > 0:
		s.State = "degraded"
	case p.opts.Watch && !p.scanner.Done():
		s.State, s.Summary = "starting", s.Summary+"; looking for more"
	case p.opts.Watch && all.Left > 0:
		s.State = "starting"
		s.Summary += fmt.Sprintf("; %d not rendered yet (%d %% done), each is when it is read", all.Left, percent(all.Done, all.Size))
	case p.fulltext.Left() > fulltext.MaxScanned:
		s.State = "starting"
		s.Summary += fmt.Sprintf("; find does not have all of their words yet, %s are left", wording.Size(p.fulltext.Left()))
	}
	return s
}

func percent(part, whole int64) int64 {
	if whole == 0 {
		return 100
	}
	return part * 100 / whole
}

// problems returns those of the provider as a whole.
func (p *Provider) problems() (all []fs.Problem) {
	all = append(all, p.settings.Load().problems...)
	for _, path := range p.scanner.UnreadableFolders() {
		all = append(all, fs.Problem{What: clean.Line("no permission to read " + path), Mend: "chmod u+rx " + wording.ShellWord(path)})
	}
	if fault, full := p.cache.Fault(); full {
		all = append(all, fs.Problem{What: fault, Mend: "free some space, or give max_cache in [transcripts] of " + p.opts.SettingsPath})
	} else if fault != "" {
		all = append(all, fs.Problem{What: fault, Mend: "chmod -R u+rwX " + wording.ShellWord(p.opts.Cache)})
	}
	return append(all, p.scanner.WatchFaults()...)
}

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
