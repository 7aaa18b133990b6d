package workspaces

import (
	"fmt"
	"slices"
	"strings"

	"ctxfs/fs"
	"ctxfs/fs/wording"
)

// publish makes INDEX.md and the list of workspaces.
func (p *Provider) publish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	var text strings.Builder
	text.WriteString("# Workspaces\n\nA line for each folder with recent work, the latest first. HERE.md in it is the\npage to begin with. `ctxfs here` prints the path of the one that you stand in; so does\nby-path/ABSOLUTE/PATH.\n\n")
	nodes := make(map[string]fs.Node, len(p.places)+1)
	newest := p.opts.Env.Built
	for _, place := range p.newestFirst() {
		w := place.workspace()
		nodes[w.Name] = place.folder
		line := fmt.Sprintf("- %s — %s", w.Name, wording.Tilde(w.Dir, p.opts.Home))
		if n := len(w.Worktrees); n > 0 {
			line += ", " + wording.Count(n, "worktrees")
		}
		if !w.Time.IsZero() {
			line += ", last worked in " + wording.Minute(w.Time)
		}
		text.WriteString(line + "\n")
		newest = wording.Later(newest, w.Time)
	}
	if len(p.places) == 0 {
		text.WriteString("No recent work is known. `ctxfs here` in a folder makes it\na workspace; so does [workspaces] dirs in config.toml.\n")
	}
	if len(p.places) > maxWatched {
		fmt.Fprintf(&text, "\nThe first %d are watched. The others are looked at when an agent or a terminal has done\nsomething there, every %.0f s during work, and by `ctxfs here`.\n", maxWatched, pollTime.Seconds())
	}
	for i, problem := range p.unnoticed() {
		if i == 0 {
			text.WriteString("\n")
		}
		text.WriteString("- " + problem.What)
		if problem.Mend != "" {
			text.WriteString("; fix: " + problem.Mend)
		}
		text.WriteString("\n")
	}
	if body := text.String(); body != p.listed {
		if !newest.After(p.listedAt) { // it changes for another reason
			newest = wording.Later(p.opts.Env.Now(), p.listedAt.Add(1))
		}
		p.listed, p.listedAt = body, newest
	}
	nodes[indexName] = fs.NewText(p.listedAt, []byte(p.listed))
	p.index.Replace(wording.Later(newest, p.listedAt), nodes)
}

// unnoticed returns why changes in workspaces are not noticed, or not at once. The caller
// holds mu.
func (p *Provider) unnoticed() (all []fs.Problem) {
	all = append(all, p.unseen...)
	for _, w := range p.newestFirst() {
		if w.silent.Load() {
			all = append(all, fs.Problem{
				What: wording.Tilde(w.workspace().Dir, p.opts.Home) + " does not answer: its pages are as they were",
				Mend: "see to the file system that it lies on",
			})
		}
	}
	return all
}

// interval returns in words how often a workspace is looked at that is not watched.
// Status implements fs.Provider.
func (p *Provider) Status() fs.Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := fs.Status{State: "ready", Summary: wording.Count(len(p.places), "workspaces"), Problems: slices.Concat(p.problems, p.unnoticed())}
	if len(p.places) == 0 {
		s.State = "empty"
	}
	for _, place := range p.newestFirst() {
		w := place.workspace()
		s.Since = wording.Later(s.Since, w.Time)
		s.Items = append(s.Items, fs.Item{Name: w.Name, Count: -1, About: wording.Tilde(w.Dir, p.opts.Home), Since: w.Time})
		if err := place.box.Fault(); err != nil {
			s.Problems = append(s.Problems, fs.Problem{What: "a note in " + w.Name + " cannot be read: " + err.Error(), Mend: "take it out of " + place.box.Dir()})
		}
	}
	if len(s.Problems) > 0 {
		s.State = "degraded"
	}
	return s
}
