package archive

import (
	iofs "io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Room is the space left in the archive. A full archive keeps the newest sessions:
// one that would be deleted again at once is not archived.
type Room struct {
	free   int64
	oldest time.Time // of what is in it
}

// Worth reports whether a session of that time, whose log has that many bytes,
// would stay in the archive.
func (r *Room) Worth(changed time.Time, size int64) bool {
	return size <= r.free || changed.After(r.oldest)
}

// Add records that a session of that time was archived at path.
func (r *Room) Add(path string, changed time.Time) {
	if info, err := os.Stat(path); err == nil {
		r.free -= info.Size()
	}
	if r.oldest.IsZero() || changed.Before(r.oldest) {
		r.oldest = changed
	}
}

// archived is a file of the archive.
type archived struct {
	path string
	size int64
	time time.Time
}

// files lists the archive, the oldest first.
func (a Archive) files() (all []archived, total int64) {
	_ = filepath.WalkDir(a.Dir, func(path string, d iofs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, suffix) {
			return nil
		}
		if info, err := d.Info(); err == nil {
			all = append(all, archived{path, info.Size(), info.ModTime()})
			total += info.Size()
		}
		return nil
	})
	slices.SortFunc(all, func(a, b archived) int { return a.time.Compare(b.time) })
	return all, total
}

// Room returns the room that the archive has within a limit, in bytes.
func (a Archive) Room(limit int64) *Room {
	all, total := a.files()
	r := &Room{free: limit - total}
	if len(all) > 0 {
		r.oldest = all[0].time
	}
	return r
}

// Prune deletes the oldest archived sessions until the rest is within the limit,
// in bytes, and returns the paths of those that it has deleted.
func (a Archive) Prune(limit int64) (deleted []string) {
	all, total := a.files()
	for _, f := range all {
		if total <= limit {
			break
		}
		if os.Remove(f.path) == nil {
			total -= f.size
			deleted = append(deleted, f.path)
		}
	}
	return deleted
}
