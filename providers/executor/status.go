package executor

import (
	"iter"
	"slices"
	"strings"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/executor/job"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/watch"
)

// Status implements fs.Provider.
func (p *Provider) Status() fs.Status {
	now := p.shown.Load()
	s := fs.Status{State: "ready", Since: now.modTime, Problems: slices.Clone(now.problems)}
	counts := make(map[job.State]int)
	for _, r := range now.runs {
		counts[r.Status.State]++
	}
	var words []string
	for _, state := range []job.State{job.Running, job.Waiting, job.Ended} {
		if n := counts[state]; n > 0 {
			words = append(words, wording.Count(n, string(state)))
		}
	}
	s.Summary = strings.Join(words, ", ")
	if len(now.runs) == 0 {
		s.State, s.Summary = "empty", "no agents were started"
	}
	s.Problems = append(s.Problems, watch.Problems(p.watcher, p.store.Dir, "agents that are started")...)
	if len(s.Problems) > 0 {
		s.State = "degraded"
	}
	return s
}

// problems returns what is wrong. The caller holds mu.
func (p *Provider) problems() []fs.Problem {
	all := slices.Clone(p.faults)
	if p.pruneErr != nil {
		all = append(all, fs.Problem{
			What: clean.Line("old runs of agents cannot be deleted: " + wording.Cause(p.pruneErr).Error()),
			Mend: "chmod -R u+rwX " + wording.ShellWord(p.store.Dir),
		})
	}
	return all
}

// Documents implements fs.Documented: one for each run, with its prompt and the beginning
// of its answer.
func (p *Provider) Documents(string) iter.Seq[fs.Document] {
	all := p.shown.Load().runs
	return func(yield func(fs.Document) bool) {
		for _, r := range all {
			if !yield(r.document()) {
				return
			}
		}
	}
}

func (r *run) document() fs.Document {
	d := fs.Document{
		Path: r.ID + "/" + job.RequestFile, Whole: r.ID, Kind: "run", Time: wording.Later(r.Status.Created, r.Status.Ended), Place: r.Status.Dir,
		Title:  "run " + r.ID + ": " + clean.Cut(r.prompt, promptLen),
		Fields: map[string]string{"name": r.ID + " " + clean.Line(r.Status.Agent), "description": strings.TrimSpace(r.prompt + "\n" + r.answer)},
	}
	if r.Ended() {
		d.Path = r.ID + "/" + pageName
	}
	return d
}
