package transcripts

import (
	"fmt"
	"maps"
	"slices"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/fulltext"
)

// Status implements fs.Provider.
func (p *Provider) Status() fs.Status {
	if !p.opts.Watch {
		p.scanNow() // who watches has it under way
	}
	c := p.list
	c.mu.RLock()
	t := &c.totals
	s := fs.Status{State: "ready", Since: c.changed}
	total, left, done, size := t.sessions, t.left, t.done, t.size
	for _, agent := range slices.Sorted(maps.Keys(t.perAgent)) {
		s.Items = append(s.Items, fs.Item{Name: agent, Count: t.perAgent[agent], Unit: "sessions"})
	}
	files := leastOf(t.unlisted, func(f *file) string { return clean.Line(fmt.Sprintf("%s cannot be read: %s", f.path, f.fault)) })
	partial := leastOf(t.partial, func(f *file) string { return clean.Line(fmt.Sprintf("%s of %s: %s", f.path, f.agent, f.note)) })
	faults := leastOf(t.faulty, (*session).path)
	c.mu.RUnlock()
	for _, what := range files {
		s.Problems = append(s.Problems, fs.Problem{What: what, Mend: "it is read again when it changes"})
	}
	for _, what := range partial {
		s.Problems = append(s.Problems, fs.Problem{What: what, Mend: "a newer ctxfs may read all of it"})
	}
	s.Summary = fmt.Sprintf("%s of %s, %s", wording.Count(total, "sessions"), wording.Count(len(s.Items), "agents"), wording.Size(size))
	if total == 0 {
		s.State, s.Summary = "empty", "no sessions"
	}
	for _, path := range faults {
		s.Problems = append(s.Problems, fs.Problem{What: path + " cannot be read", Mend: "ctxfs cat transcripts/" + wording.ShellWord(path) + "/STATUS.md"})
	}
	s.Problems = append(s.Problems, p.problems()...)
	switch {
	case len(s.Problems) > 0:
		s.State = "degraded"
	case p.opts.Watch && !p.isScanned():
		s.State, s.Summary = "starting", s.Summary+"; looking for more"
	case p.opts.Watch && left > 0:
		s.State = "starting"
		s.Summary += fmt.Sprintf("; %d not rendered yet (%d %% done), each is when it is read", left, percent(done, size))
	case p.fulltext.Left() > fulltext.MaxScanned:
		s.State = "starting"
		s.Summary += fmt.Sprintf("; find does not have all of their words yet, %s are left", wording.Size(p.fulltext.Left()))
	}
	return s
}

// maxProblems is how many problems of a kind are told.
const maxProblems = 3

// leastOf are the first of a set's texts, in their order.
func leastOf[T comparable](set map[T]struct{}, text func(T) string) (all []string) {
	for one := range set {
		all = append(all, text(one))
		if slices.Sort(all); len(all) > maxProblems {
			all = all[:maxProblems]
		}
	}
	return all
}

func (p *Provider) isScanned() bool {
	select {
	case <-p.scanDone:
		return true
	default:
		return false
	}
}

func percent(part, whole int64) int64 {
	if whole == 0 {
		return 100
	}
	return part * 100 / whole
}

// problems are those of the provider as a whole.
func (p *Provider) problems() (all []fs.Problem) {
	all = append(all, p.settings.Load().problems...)
	all = append(all, p.faults()...)
	places := p.allPlaces() // the watcher asks for what is hidden while it holds its own lock
	if p.watcher != nil {
		for _, pl := range places {
			if err := p.watcher.Err(pl.Dir); err != nil && !isNotExist(err) && !isPermission(err) {
				all = append(all, fs.Problem{What: clean.Line(fmt.Sprintf("new messages below %s are noticed late, by looking every few seconds: %v", pl.Dir, err)), Mend: "sudo sysctl fs.inotify.max_user_watches=524288, then mount again"})
			}
		}
	}
	return all
}

// faults are the problems that were met.
func (p *Provider) faults() (all []fs.Problem) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, path := range slices.Sorted(maps.Keys(p.unreadable)) {
		all = append(all, fs.Problem{What: clean.Line("no permission to read " + path), Mend: "chmod u+rx " + wording.ShellWord(path)})
	}
	if p.cacheFault != "" {
		all = append(all, fs.Problem{What: p.cacheFault, Mend: p.mendCache()})
	}
	if p.opts.Watch && p.watcher == nil {
		all = append(all, fs.Problem{What: clean.Line(fmt.Sprintf("new messages are noticed late, by looking every few seconds: %v", p.noWatch)), Mend: "sudo sysctl fs.inotify.max_user_instances=1024, then mount again"})
	}
	return all
}
