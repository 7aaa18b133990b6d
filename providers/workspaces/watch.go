package workspaces

import (
	"path/filepath"
	"slices"
	"strings"

	"ctxfs/fs"
	"ctxfs/providers/internal/watch"
)

// maxWatched is how many workspaces are watched, those in which somebody worked last.
// The others are looked at when an agent or a terminal has done something there.
const maxWatched = 10

// gitFiles are the files in the folder .git that change with the state of a repository.
func gitFiles() []string { return []string{"HEAD", "index", "logs/HEAD", "FETCH_HEAD", "packed-refs"} }

// follow watches the workspaces in which somebody worked last, and no others.
func (p *Provider) follow() {
	if p.watcher == nil {
		return
	}
	now := make(map[string]bool)
	p.mu.Lock()
	for _, w := range p.newestFirst()[:min(len(p.places), maxWatched)] {
		is := w.workspace()
		now[is.Dir+"/"] = true
		if !p.watched[is.Dir+"/"] {
			defer p.again(w) // it may have changed before it was watched
		}
		for _, name := range gitFiles() {
			now[filepath.Join(is.Dir, ".git", name)] = true
		}
	}
	p.mu.Unlock()
	for path := range now {
		if p.watched[path] {
			continue
		}
		if dir, ok := strings.CutSuffix(path, "/"); ok {
			p.watcher.Add(dir)
		} else {
			p.watcher.AddFile(path)
		}
	}
	for path := range p.watched {
		if !now[path] {
			p.watcher.Remove(strings.TrimSuffix(path, "/"))
		}
	}
	p.watched = now
	var unwatched []fs.Problem
	for path := range now {
		if dir, ok := strings.CutSuffix(path, "/"); ok {
			if err := p.watcher.Err(dir); err != nil {
				unwatched = append(unwatched, fs.Problem{
					What: "not every change in " + dir + " is noticed at once: " + err.Error() + "; its pages follow what agents and terminals do there, and `ctxfs here`",
					Mend: watch.Fix(err),
				})
			}
		}
	}
	slices.SortFunc(unwatched, func(a, b fs.Problem) int { return strings.Compare(a.What, b.What) })
	p.mu.Lock()
	changed := !slices.Equal(p.unwatched, unwatched)
	p.unwatched = unwatched
	p.mu.Unlock()
	if changed {
		p.opts.Env.Changed(indexName)
	}
}

// changedOnDisk has the pages of the workspaces made again in which something changed.
func (p *Provider) changedOnDisk(paths []string) {
	p.opts.Known.Noticed(paths)
	p.mu.Lock()
	for _, w := range p.places {
		if is := w.workspace(); slices.ContainsFunc(paths, is.Has) {
			p.dueLocked(w)
		}
	}
	p.mu.Unlock()
	p.poke()
}
