package workspaces

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/mounted"
	"ctxfs/providers/internal/watch"
	"ctxfs/providers/workspaces/git"
)

// maxWatched is how many workspaces are watched, those with the latest work, and how many
// folders of each.
const maxWatched = 10

// leavesOut reports whether a path is not watched: a view of ours, or another file system
// in a workspace, which may not answer.
func (p *Provider) leavesOut(path string) bool {
	return p.opts.Hide != nil && p.opts.Hide(path) || (*p.mounts.Load())[path]
}

// follow watches the workspaces with the latest work, and no others, and finds out
// where not every change would be noticed. It is called by the worker.
func (p *Provider) follow() {
	p.mu.Lock()
	places := p.newestFirst()
	p.mu.Unlock()
	p.findMounts(places)
	wanted := make(map[string]bool) // folders end in a slash
	var problems []fs.Problem
	for i, w := range places {
		if p.watcher == nil || i >= maxWatched {
			w.polled.Store(true)
			continue
		}
		folders := slices.DeleteFunc(w.workspace().Folders(), p.opts.Hides)
		polled := len(folders) > maxWatched
		var roots []string
		for _, dir := range folders[:min(len(folders), maxWatched)] {
			within, err := p.followFolder(w, dir, wanted)
			roots = append(roots, within...)
			polled = polled || err != nil
			if err != nil && !errors.Is(err, fs.ErrNoAnswer) { // such a one is watched when it answers
				problems = append(problems, p.unwatched(dir, err))
			}
		}
		w.roots.Store(&roots)
		w.polled.Store(polled)
	}
	for path := range p.watched {
		if !wanted[path] {
			p.watcher.Remove(path)
			delete(p.watched, path)
		}
	}
	problems = append(problems, p.watcher.Late()...)
	p.mu.Lock()
	changed := !slices.Equal(p.unseen, problems)
	p.unseen = problems
	p.mu.Unlock()
	if changed {
		p.publish()
		p.opts.Env.Changed(indexName)
	}
}

// unwatched returns the problem that not everything in a folder is watched.
func (p *Provider) unwatched(dir string, err error) fs.Problem {
	fix := ""
	if errors.Is(err, watch.ErrLimit) && maxDirs() < watch.DefaultMaxDirs {
		fix = watch.Fix(syscall.ENOSPC) // with more than the system allows it would be watched
	}
	return fs.Problem{
		What: fmt.Sprintf("not every change in %s is noticed at once: %s; during work there it is looked at every %.0f s",
			clean.Path(wording.Tilde(dir, p.opts.Home), 200), clean.Line(wording.Cause(err).Error()), pollTime.Seconds()),
		Mend: fix,
	}
}

// followFolder watches one of the folders of a workspace, with its repository, and adds
// what it watches to the wanted paths. It returns the folders in which the changes are,
// and why not every one would be noticed.
func (p *Provider) followFolder(w *place, dir string, wanted map[string]bool) (within []string, err error) {
	repository, err := fs.Probe(p.prober, dir, func() (git.Files, error) { return git.FilesOf(dir), nil })
	if err != nil {
		return nil, err
	}
	paths := append(repository.Files, dir+"/")
	for _, path := range repository.Folders {
		paths = append(paths, path+"/")
	}
	begun := false
	for _, path := range paths {
		wanted[path] = true
		if !p.watched[path] {
			p.watch(path)
			p.watched[path], begun = true, true
		}
		err = cmp.Or(err, p.watcher.Err(path))
	}
	if begun {
		p.again(w) // it may have changed before it was watched
	}
	return append(repository.Within, dir), err
}

// maxDirs returns how many folders are watched in one workspace: together they leave most
// of what the system allows to other programs. Source: inotify(7), "/proc interfaces".
func maxDirs() int {
	most := watch.DefaultMaxDirs
	for _, limit := range []string{"/proc/sys/fs/inotify/max_user_watches", "/proc/sys/user/max_inotify_watches"} {
		text, _ := os.ReadFile(limit)
		if n, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
			most = min(most, max(n/(4*maxWatched), 1))
		}
	}
	return most
}

// watch watches a folder, whose path ends in a slash, or a file.
func (p *Provider) watch(path string) {
	if strings.HasSuffix(path, "/") {
		p.watcher.Add(path)
	} else {
		p.watcher.AddFile(path)
	}
}

// findMounts finds the file systems in workspaces. A file system that contains a
// workspace does not count.
func (p *Provider) findMounts(places []*place) {
	found := make(map[string]bool)
	for _, w := range places {
		maps.Copy(found, mounted.Below(w.workspace().Dir))
	}
	for _, w := range places {
		for dir := w.workspace().Dir; len(found) > 0; dir = filepath.Dir(dir) {
			delete(found, dir)
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	p.mounts.Store(&found)
}

// changedOnDisk has the pages of the workspaces made again in which something changed.
// It is called for every change: a workspace whose pages are due already costs nothing.
func (p *Provider) changedOnDisk(paths []string) {
	p.opts.Known.Noticed(paths)
	news := false
	p.mu.Lock()
	for name, w := range p.places {
		if _, ok := p.due[name]; ok {
			continue
		}
		if roots := w.roots.Load(); roots != nil && slices.ContainsFunc(paths, func(path string) bool {
			return slices.ContainsFunc(*roots, func(root string) bool { return fs.Within(path, root) })
		}) {
			news = p.dueLocked(w) || news
		}
	}
	p.mu.Unlock()
	if news {
		p.poke()
	}
}
