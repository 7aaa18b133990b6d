package watch

import (
	"errors"
	iofs "io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"ctxfs/fs"
)

// tree is a folder that is watched with all folders below it.
type tree struct {
	root   string // as given
	real   string // where root leads; "" if that is no folder now
	dev    uint64
	count  int              // of its folders
	failed map[string]error // folders that are not watched, and why
	point  *point           // root itself
}

type folder struct {
	trees  []*tree                // that contain it
	points map[string][]*point    // waiting for an entry, by its name
	seen   map[string]os.FileInfo // its entries, if it is looked at; else nil
}

func (f *folder) inTree() bool { return f != nil && len(f.trees) > 0 }

// addWatch watches a folder, if it is not watched yet, or else has it looked at.
func (w *Watcher) addWatch(dir string) (*folder, error) {
	if f := w.folders[dir]; f != nil {
		return f, nil
	}
	f := &folder{points: make(map[string][]*point)}
	looks := w.notify == nil
	if !looks {
		err := w.notify.Add(dir)
		if looks = errors.Is(err, syscall.ENOSPC); looks {
			w.why.Store(&err)
		} else if err != nil {
			return nil, err
		}
	}
	if looks {
		f.seen = map[string]os.FileInfo{"": w.stat(dir)}
		w.looks.Poke()
	}
	w.folders[dir] = f
	return f, nil
}

// dropWatch ends the watch of a folder that nothing needs any more.
func (w *Watcher) dropWatch(dir string) {
	if f := w.folders[dir]; f != nil && len(f.trees) == 0 && len(f.points) == 0 {
		w.unwatch(dir)
	}
}

func (w *Watcher) unwatch(dir string) {
	delete(w.folders, dir)
	if w.notify != nil {
		w.notify.Remove(dir) // fails if the folder is gone
	}
}

// plant watches the folder that the tree's root leads to.
func (w *Watcher) plant(t *tree) {
	t.failed = make(map[string]error)
	real, dev, ok := w.resolveFolder(t.root)
	if !ok {
		return
	}
	t.real, t.dev = real, dev
	w.walk(t, real)
}

// uproot ends the watch of a tree's folders.
func (w *Watcher) uproot(t *tree) {
	for dir, f := range w.folders {
		if i := slices.Index(f.trees, t); i >= 0 {
			f.trees = slices.Delete(f.trees, i, i+1)
			w.dropWatch(dir)
		}
	}
	t.real, t.count = "", 0
}

// replant plants a tree again if its root leads elsewhere now, or is another
// folder, and reports whether it did.
func (w *Watcher) replant(t *tree) bool {
	real, _, _ := w.resolveFolder(t.root)
	if real == t.real && (real == "" || w.folders[real].inTree() && slices.Contains(w.folders[real].trees, t)) {
		return false
	}
	w.uproot(t)
	w.plant(t)
	return true
}

// grow adds the folder that has appeared at path to the trees of its parent.
func (w *Watcher) grow(path string, trees []*tree) {
	if w.folders[path].inTree() || skipped(filepath.Base(path)) {
		return
	}
	dev, ok := folderDevice(path)
	if !ok {
		return
	}
	for _, t := range trees {
		if dev == t.dev {
			w.walk(t, path)
		}
	}
}

// walk watches a folder and all below it. Each is watched first and listed
// after that, so that nothing can appear unseen.
func (w *Watcher) walk(t *tree, dir string) {
	for pending := []string{dir}; len(pending) > 0; pending = pending[1:] {
		dir := pending[0]
		if t.count >= w.opts.MaxDirs {
			w.fault(t, dir, ErrLimit)
			return
		}
		f, err := w.addWatch(dir)
		if errors.Is(err, iofs.ErrNotExist) {
			continue
		}
		if err != nil {
			w.fault(t, dir, &iofs.PathError{Op: "watch", Path: dir, Err: err})
			continue
		}
		first := !f.inTree()
		if !slices.Contains(f.trees, t) {
			f.trees = append(f.trees, t)
			t.count++
		}
		delete(t.failed, dir)
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, iofs.ErrNotExist) {
			w.fault(t, dir, err)
		}
		for _, e := range entries {
			if first {
				w.note(f, dir, e.Name())
			}
			sub := filepath.Join(dir, e.Name())
			if !e.IsDir() || skipped(e.Name()) || w.hidden(sub) {
				continue
			}
			if dev, ok := folderDevice(sub); ok && dev == t.dev {
				pending = append(pending, sub)
			}
		}
	}
}

func (w *Watcher) fault(t *tree, dir string, err error) {
	w.opts.Log.Warn("not everything is watched", "below", t.root, "error", err)
	t.failed[dir] = err
}

// err returns the error of the first folder that is not watched.
func (t *tree) err() error {
	if len(t.failed) == 0 {
		return nil
	}
	return t.failed[slices.Min(slices.Collect(maps.Keys(t.failed)))]
}

// drop forgets the folder at path and everything below it, which are gone or
// replaced, and returns the points whose path led through them.
func (w *Watcher) drop(path string) (lost []*point) {
	below := func(dir string) bool { return dir == path || strings.HasPrefix(dir, path+"/") }
	for _, t := range w.trees {
		maps.DeleteFunc(t.failed, func(dir string, _ error) bool { return below(dir) })
	}
	if w.folders[path] == nil {
		return nil
	}
	for dir, f := range w.folders {
		if !below(dir) {
			continue
		}
		w.unwatch(dir)
		for _, t := range f.trees {
			t.count--
			if t.real == dir {
				lost = append(lost, t.point)
			}
		}
		for _, points := range f.points {
			lost = append(lost, points...)
		}
	}
	return lost
}

// resolveFolder follows the links of a path to a folder.
func (w *Watcher) resolveFolder(path string) (real string, dev uint64, ok bool) {
	real, err := fs.DiskOptions{Hide: w.opts.Hide}.Resolve(path)
	if err != nil {
		return "", 0, false
	}
	if dev, ok = folderDevice(real); !ok {
		return "", 0, false
	}
	return real, dev, true
}

// folderDevice reports whether path is a folder and not a link, and on which
// device.
func folderDevice(path string) (dev uint64, ok bool) {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() {
		return 0, false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return uint64(st.Dev), ok
}

// skipped reports whether folders of that name are not worth watching.
func skipped(name string) bool { return name == ".git" || name == "node_modules" }
