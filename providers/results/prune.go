package results

import (
	"errors"
	iofs "io/fs"
	"os"
	"path/filepath"
	"syscall"

	"ctxfs/providers/internal/filelock"
)

// prune deletes what is beyond the limits, oldest first. It costs nothing if there
// is nothing to delete. Another process may delete files too: what is gone counts
// as deleted.
func (x *index) prune() (c change) {
	l, now := x.store.settings.Load(), x.store.opts.Now()
	size := x.size
	for _, e := range x.entries {
		age := now.Sub(e.time)
		if age < minAge || size <= l.maxSize && age <= l.maxAge {
			break
		}
		err := os.Remove(filepath.Join(x.store.opts.Dir, e.name))
		if err != nil && !errors.Is(err, iofs.ErrNotExist) {
			x.store.opts.Log.Warn("a result cannot be deleted", "file", e.name, "error", err)
			break
		}
		size -= e.size
		c.removed = append(c.removed, e)
	}
	x.dead += len(c.removed)
	x.apply(c)
	if x.dead > maxDead && x.dead > len(x.entries) {
		x.compact()
	}
	return c
}

// maxDead is how many lines without a file the journal may have in any case.
const maxDead = 1000

// compact removes the lines whose files are gone from the journal.
func (x *index) compact() {
	x.dead = 0
	now := x.store.opts.Now()
	err := x.store.journal.compact(func(r record) bool {
		if x.byName[r.File] != nil || now.Sub(r.Time) < minAge {
			return true
		}
		_, err := os.Lstat(filepath.Join(x.store.opts.Dir, r.File))
		return err == nil
	})
	if err != nil {
		x.store.opts.Log.Warn("the journal of results stays long", "error", err)
	}
}

// sweep removes what killed processes have left unfinished.
func (s *Store) sweep() {
	found, _ := os.ReadDir(s.journal.dir) // without a folder there is nothing to do
	for _, e := range found {
		path := filepath.Join(s.journal.dir, e.Name())
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || path == s.journal.path() || path == s.journal.lockPath() ||
			s.opts.Now().Sub(info.ModTime()) < minAge || locked(path) {
			continue
		}
		if err := os.Remove(path); err != nil {
			s.opts.Log.Warn("an unfinished result cannot be deleted", "file", path, "error", err)
		}
	}
}

// locked reports whether a process is writing a draft.
func locked(path string) bool {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return true
	}
	defer f.Close()
	return errors.Is(filelock.TryFile(f, filelock.Exclusive), filelock.ErrHeld)
}
