package transcripts

import (
	iofs "io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// archiveRoom is what the archive has room for. Full, it keeps the newest: what
// would be thrown away again at once is not put into it.
type archiveRoom struct {
	free   int64
	oldest time.Time // of what is in it
}

// worth tells whether a session of that time, whose log has that many bytes,
// would stay.
func (r *archiveRoom) worth(changed time.Time, size int64) bool {
	return size <= r.free || changed.After(r.oldest)
}

func (r *archiveRoom) add(path string, changed time.Time) {
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

// archivedFiles lists the archive, the oldest first.
func (p *Provider) archivedFiles() (all []archived, total int64) {
	_ = filepath.WalkDir(p.archiveDir(), func(path string, d iofs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, archiveSuffix) {
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

func (p *Provider) roomInArchive(limit int64) *archiveRoom {
	all, total := p.archivedFiles()
	r := &archiveRoom{free: limit - total}
	if len(all) > 0 {
		r.oldest = all[0].time
	}
	return r
}

// newest are all sessions, the newest first.
func (c *catalogue) newest() []*session {
	all := c.all()
	c.mu.RLock()
	defer c.mu.RUnlock()
	slices.SortStableFunc(all, func(a, b *session) int { return b.modTime().Compare(a.modTime()) })
	return all
}

// pruneArchive deletes the oldest archived sessions until the rest is within
// the limit.
func (p *Provider) pruneArchive(limit int64) {
	all, total := p.archivedFiles()
	for _, a := range all {
		if total <= limit {
			return
		}
		if os.Remove(a.path) == nil {
			total -= a.size
			p.tell(p.list.drop(a.path, p.opts.Env.Now()))
		}
	}
}
