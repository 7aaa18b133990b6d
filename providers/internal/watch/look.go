package watch

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"

	"ctxfs/fs"
	"ctxfs/fs/wording"
)

// What the kernel does not report is looked at after lookPause, or less often if needed to
// cost at most one part in lookShare of a processor: a few files every second, large folders
// every few seconds.
const (
	lookPause = time.Second
	lookShare = 50
)

// Late returns a problem, the same for all watchers, if the kernel does not report all that
// is watched, so that it is looked at. W may be nil. It never waits.
func (w *Watcher) Late() []fs.Problem {
	if w == nil {
		return nil
	}
	why := w.why.Load()
	if why == nil {
		return nil
	}
	return []fs.Problem{{What: "changes on disk are noticed late, what is watched is looked at every few seconds: " + wording.Cause(*why).Error(), Mend: Fix(*why)}}
}

// stat returns what is at a path, or nil.
func (w *Watcher) stat(path string) os.FileInfo {
	if w.hidden(path) {
		return nil
	}
	info, _ := os.Lstat(path)
	return info
}

// note takes down what an entry of a folder is that is looked at.
func (w *Watcher) note(f *folder, dir, name string) {
	if _, known := f.seen[name]; !known && f.seen != nil {
		f.seen[name] = w.stat(filepath.Join(dir, name))
	}
}

// mostPause returns how long nothing is looked at if nothing else happens.
func (w *Watcher) mostPause() time.Duration {
	if w.Late() != nil {
		return 0 // after the rest that each look is followed by
	}
	return time.Hour
}

// look reports what has changed in the folders that are looked at, as the kernel would.
func (w *Watcher) look(context.Context) {
	if w.Late() == nil {
		return
	}
	w.mu.RLock()
	dirs := slices.Collect(maps.Keys(w.folders))
	w.mu.RUnlock()
	for _, dir := range dirs {
		for _, e := range w.changes(dir) {
			w.handle(e)
		}
	}
}

// changes returns what has changed in a folder since it was last looked at. The folder itself
// has the name "".
func (w *Watcher) changes(dir string) (events []fsnotify.Event) {
	w.mu.RLock()
	f := w.folders[dir]
	if f == nil || f.seen == nil || w.ctx.Err() != nil {
		w.mu.RUnlock()
		return nil
	}
	now := maps.Clone(f.seen)
	all := f.inTree()
	w.mu.RUnlock()
	if all {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			now[e.Name()] = nil
		}
	}
	for name := range now { // which may take long
		now[name] = w.stat(filepath.Join(dir, name))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if f != w.folders[dir] {
		return nil
	}
	for name, is := range now {
		was := f.seen[name]
		if f.seen[name] = is; is == nil && f.points[name] == nil {
			delete(f.seen, name)
		}
		e := fsnotify.Event{Name: filepath.Join(dir, name), Op: fsnotify.Create}
		if is == nil || name == "" {
			e.Op = fsnotify.Remove
		}
		if !same(was, is) {
			events = append(events, e)
		}
	}
	return events
}

// same reports whether nothing has happened to an entry of a folder; what happens in a folder
// does not happen to it.
func same(was, is os.FileInfo) bool {
	if was == nil || is == nil {
		return was == is
	}
	return os.SameFile(was, is) && was.Mode() == is.Mode() && (is.IsDir() || was.Size() == is.Size() && was.ModTime().Equal(is.ModTime()))
}
