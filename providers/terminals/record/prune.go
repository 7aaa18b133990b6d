package record

import (
	"cmp"
	"errors"
	iofs "io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Limits apply to all terminals together.
type Limits struct {
	// MaxSize is the size of all files in bytes; MaxAge is the time since
	// something in a file changed. Zero means no limit.
	MaxSize int64
	MaxAge  time.Duration
}

// keptParts is how many parts of a running terminal are never deleted.
const keptParts = 2

// Prune deletes what is beyond the limits, the oldest parts first. The last two
// parts of a running terminal always stay; one that has ended is deleted as a
// whole with its last part. Prune returns the error of the first deletion that
// failed. Several processes may prune at the same time.
func Prune(root string, limits Limits, now time.Time) error {
	ids, err := list(root)
	if err != nil || limits.met(root, ids, now) {
		return err
	}
	var failed error
	var size int64
	var all []deletable
	for _, id := range ids {
		t, err := LoadState(filepath.Join(root, id))
		if err != nil {
			failed = cmp.Or(failed, sweep(filepath.Join(root, id), now))
			continue
		}
		size += t.size()
		all = append(all, t.deletable()...)
	}
	slices.SortStableFunc(all, func(a, b deletable) int { return a.time.Compare(b.time) })
	for _, o := range all {
		aged := limits.MaxAge > 0 && now.Sub(o.used) > limits.MaxAge
		if !aged && (limits.MaxSize <= 0 || size <= limits.MaxSize) {
			continue
		}
		if err := o.remove(); err != nil && !errors.Is(err, iofs.ErrNotExist) {
			failed = cmp.Or(failed, err)
			continue
		}
		size -= o.size
	}
	return failed
}

// met reports whether the folders of terminals are surely within the limits and all
// finished. It reads no file: a recorder begins every time with Prune, and there may be
// thousands of terminals.
func (l Limits) met(root string, ids []string, now time.Time) bool {
	var size int64
	for _, id := range ids {
		entries, err := os.ReadDir(filepath.Join(root, id))
		if err != nil {
			return false
		}
		whole := false
		for _, e := range entries {
			info, err := e.Info()
			if err != nil || l.MaxAge > 0 && now.Sub(info.ModTime()) > l.MaxAge {
				return false
			}
			if info.Mode().IsRegular() {
				size += info.Size()
				whole = whole || e.Name() == MetaFile
			}
		}
		if !whole || l.MaxSize > 0 && size > l.MaxSize {
			return false
		}
	}
	return true
}

// deletable is what may be deleted: a part, or a folder with the last one.
type deletable struct {
	path  string
	whole bool
	size  int64
	time  time.Time // when it was written
	used  time.Time // from when its age counts
}

func (o deletable) remove() error {
	if o.whole {
		return os.RemoveAll(o.path)
	}
	return os.Remove(o.path)
}

// deletable returns what of a terminal may be deleted, oldest first.
func (t *Terminal) deletable() (all []deletable) {
	n := len(t.Parts)
	kept := keptParts
	if !t.Running() {
		kept = 1
	}
	rest := t.size()
	for _, p := range t.Parts[:max(0, n-kept)] {
		o := deletable{path: t.Path(p.Number), size: p.Size, time: p.ModTime, used: p.ModTime}
		if !t.Running() {
			o.used = t.Changed // it ages as a whole
		}
		all = append(all, o)
		rest -= p.Size
	}
	if !t.Running() {
		all = append(all, deletable{t.Dir, true, rest, t.Changed, t.Changed})
	}
	return all
}

// size returns the size of all files of a terminal.
func (t *Terminal) size() (size int64) {
	entries, _ := os.ReadDir(t.Dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
	}
	return size
}

// halfMade is how long a folder may be without a meta.json.
const halfMade = time.Hour

// sweep deletes a folder that a process left unfinished.
func sweep(dir string, now time.Time) error {
	info, err := os.Lstat(dir)
	if err != nil || now.Sub(info.ModTime()) < halfMade {
		return nil
	}
	if _, err := os.Lstat(filepath.Join(dir, MetaFile)); !errors.Is(err, iofs.ErrNotExist) {
		return nil // an unreadable folder is not deleted
	}
	return os.RemoveAll(dir)
}
