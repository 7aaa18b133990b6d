package terminals

import (
	"fmt"
	"iter"
	"slices"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/watch"
	"ctxfs/providers/terminals/record"
)

// maxItems is how many open terminals are named, the newest.
const maxItems = 20

// itemLen is the most bytes of a running command in a name.
const itemLen = 60

// Status implements fs.Provider.
func (p *Provider) Status() fs.Status {
	now := p.shown.Load()
	s := fs.Status{State: "ready", Since: now.modTime, Problems: slices.Clone(now.problems)}
	open := 0
	for _, t := range now.terminals {
		if !t.Running() {
			continue
		}
		if open++; open <= maxItems {
			s.Items = append(s.Items, item(t))
		}
		if t.Fault != nil {
			s.Problems = append(s.Problems, fs.Problem{
				What: fmt.Sprintf("terminal %s is not recorded since %s: %s", t.ID, wording.Time(t.Fault.Since), t.Fault.What),
				Mend: "see what is wrong: df -h " + wording.ShellWord(t.Dir) + "; recording resumes by itself",
			})
		}
	}
	s.Summary = fmt.Sprintf("%s, %d open", wording.Count(len(now.terminals), "terminals"), open)
	if len(now.terminals) == 0 {
		s.State, s.Summary = "empty", "no terminals"
	}
	if left := p.fulltext.Left(); left > scanned {
		s.Summary += fmt.Sprintf("; find does not have all of their words yet, %s are left", wording.Size(left))
	}
	s.Problems = append(s.Problems, p.tmux.problems()...)
	s.Problems = append(s.Problems, watch.Problems(p.watcher, p.opts.State, "new terminals")...)
	if len(s.Problems) > 0 {
		s.State = "degraded"
	}
	return s
}

func item(t *record.Terminal) fs.Item {
	i := fs.Item{Name: t.ID, State: record.Idle, Count: -1, About: clean.Line(t.Cwd), Since: t.Started}
	if n := len(t.Records); n > 0 {
		i.Since = wording.Later(i.Since, t.Records[n-1].End)
	}
	if t.Command != "" && t.CommandStarted != nil {
		i.State, i.Since = "runs "+clean.Cut(clean.Line(t.Command), itemLen), *t.CommandStarted
	}
	return i
}

// Documents implements fs.Documented: one document for each terminal, newest
// first, with its name and its folder. What it has shown is found by Search.
func (p *Provider) Documents(string) iter.Seq[fs.Document] {
	all := p.shown.Load().terminals
	return func(yield func(fs.Document) bool) {
		for _, t := range all {
			if !yield(document(t)) {
				return
			}
		}
	}
}

func document(t *record.Terminal) fs.Document {
	title := "terminal " + t.ID
	switch n := len(t.Records); {
	case t.Command != "":
		title += ": " + clean.Cut(clean.Line(t.Command), commandLen)
	case n > 0:
		title += ": " + clean.Cut(clean.Line(t.Records[n-1].Command), commandLen)
	}
	return fs.Document{
		Path: t.ID + ".txt", Whole: t.ID, Title: title, Kind: kind, Time: item(t).Since, Place: t.Cwd,
		Fields: map[string]string{"name": t.ID + " " + clean.Line(t.Name), "description": "terminal in " + clean.Line(t.Cwd)},
	}
}
