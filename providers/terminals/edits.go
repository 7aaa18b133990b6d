package terminals

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/terminals/record"
)

// maxEdits is how many commands are told that have run in a folder, the last ones.
const maxEdits = 500

var _ facts.EditSource = (*Provider)(nil)

// Edits implements facts.EditSource: the commands that have run in a folder and below it, as
// far as the records in memory go, and those that still run. Agents are left out: their
// sessions tell what they did, while a terminal knows only that they ran all day.
func (p *Provider) Edits(dir string, since time.Time) (all []facts.Edit) {
	var programs []string
	for _, a := range agents.All() {
		if len(a.Resume) > 0 {
			programs = append(programs, a.Resume[0])
		}
	}
	isAgent := func(command string) bool {
		word, _, _ := strings.Cut(strings.TrimSpace(command), " ")
		return slices.Contains(programs, word[strings.LastIndexByte(word, '/')+1:])
	}
	p.mu.Lock()
	for _, t := range p.terminals {
		state := t.state.Load()
		by := partName(state.ID, 0)
		if state.State != record.Ended && state.Command != "" && !isAgent(state.Command) && state.CommandStarted != nil && fs.Within(state.Cwd, dir) {
			all = append(all, facts.Edit{By: by, Dir: state.Cwd, Command: clean.Cut(clean.Line(state.Command), commandLen), Start: state.CommandStarted.UTC()})
		}
		for i := range state.Records {
			r := &state.Records[i]
			if !r.End.Before(since) && fs.Within(r.Cwd, dir) && r.Command != "" && !isAgent(r.Command) {
				all = append(all, facts.Edit{By: by, Dir: r.Cwd, Command: clean.Cut(clean.Line(r.Command), commandLen), Start: r.Start.UTC(), End: r.End.UTC()})
			}
		}
	}
	p.mu.Unlock()
	slices.SortFunc(all, func(a, b facts.Edit) int {
		return cmp.Or(b.Start.Compare(a.Start), cmp.Compare(a.By, b.By), cmp.Compare(a.Command, b.Command))
	})
	return all[:min(len(all), maxEdits)]
}

var _ facts.VisitSource = (*Provider)(nil)

// Visits implements facts.VisitSource: the folders in which commands have run since then, as
// far as the records in memory go, and those in which terminals are now.
func (p *Provider) Visits(since time.Time) (all []facts.Visit) {
	last := make(map[string]time.Time)
	visit := func(dir string, at time.Time) {
		if dir != "" && !at.Before(since) && at.After(last[dir]) {
			last[dir] = at
		}
	}
	p.mu.Lock()
	for _, t := range p.terminals {
		state := t.state.Load()
		for i := range state.Records {
			visit(state.Records[i].Cwd, state.Records[i].End)
		}
		if state.CommandStarted != nil {
			visit(state.Cwd, *state.CommandStarted)
		}
	}
	p.mu.Unlock()
	for dir, at := range last {
		all = append(all, facts.Visit{Dir: dir, Time: at})
	}
	return all
}
