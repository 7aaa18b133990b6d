package transcripts

import (
	"context"
	"errors"
	iofs "io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"ctxfs/providers/transcripts/agents/history"
)

// scan looks at all that is on disk. What has not changed since it was last
// looked at is not opened.
func (p *Provider) scan(ctx context.Context) {
	places := p.askPlaces()
	seen := make(map[string]bool)
	for _, pl := range places {
		if ctx.Err() != nil {
			return
		}
		p.walk(ctx, pl, pl.Dir, seen)
	}
	p.scanArchive(ctx, seen)
	if ctx.Err() == nil {
		p.forget("", seen)
	}
}

// forget drops the files below a folder, "" for all, that were not seen and are
// not there. What may not be looked at stays as it was.
func (p *Provider) forget(below string, seen map[string]bool) {
	var gone []string
	p.list.mu.RLock()
	for path := range p.list.files {
		if !seen[path] && (below == "" || path == below || strings.HasPrefix(path, below+"/")) {
			gone = append(gone, path)
		}
	}
	p.list.mu.RUnlock()
	for _, path := range gone {
		p.looking.lock(path)
		if info, err := os.Lstat(path); isGone(err) || err == nil && (!info.Mode().IsRegular() || !p.isOurs(path)) {
			p.tell(p.list.drop(path, p.opts.Env.Now()))
		}
		p.looking.unlock(path)
	}
}

// isGone tells that there is no such file from that it cannot be known.
func isGone(err error) bool { return isNotExist(err) || errors.Is(err, syscall.ENOTDIR) }

// isOurs tells whether a file lies where histories are looked for.
func (p *Provider) isOurs(path string) bool {
	for _, pl := range p.allPlaces() {
		if rel, ok := pl.rel(path); ok && pl.File(rel) != nil {
			return true
		}
	}
	return p.isArchived(path)
}

// scanners is how many files are looked at at the same time: what is waited for
// is the disk.
const scanners = 4

// walk looks at all histories of a place at and below a folder.
func (p *Provider) walk(ctx context.Context, pl *place, dir string, seen map[string]bool) {
	var mu sync.Mutex
	var work sync.WaitGroup
	slots := make(chan struct{}, scanners)
	var unreadable []string
	root := dir
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		root = real
	}
	_ = filepath.WalkDir(root, func(path string, d iofs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			if errors.Is(err, iofs.ErrPermission) {
				unreadable = append(unreadable, path)
			}
			if d != nil && d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case p.opts.Hide != nil && p.opts.Hide(path):
			return skip(d)
		}
		rel, _ := pl.rel(path)
		if d.IsDir() {
			if rel != "" && (d.Name() == ".git" || d.Name() == "node_modules" || pl.Skip != nil && pl.Skip(rel)) {
				return filepath.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		format := pl.File(rel)
		if format == nil {
			return nil
		}
		mu.Lock()
		seen[path] = true
		mu.Unlock()
		slots <- struct{}{}
		work.Go(func() {
			defer func() { <-slots }()
			p.look(ctx, pl.agent, path, format)
		})
		return nil
	})
	work.Wait()
	p.setUnreadable(pl, root, unreadable)
}

func skip(d iofs.DirEntry) error {
	if d.IsDir() {
		return filepath.SkipDir
	}
	return nil
}

// withJournal is the stat of a database with what SQLite keeps beside it: the
// newest time, and all sizes.
func withJournal(path string, s stat) stat {
	for _, suffix := range []string{"-wal", "-journal"} {
		if info, err := os.Lstat(path + suffix); err == nil {
			s.Size += info.Size()
			s.ModTime = max(s.ModTime, info.ModTime().UnixNano())
		}
	}
	return s
}

// database is the path of the database that a file of SQLite's belongs to.
func database(path string) string {
	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		if db, ok := strings.CutSuffix(path, suffix); ok {
			return db
		}
	}
	return path
}

// changed is told of paths on disk. What is there comes before what is gone: a
// file that was moved is found in its new place first.
func (p *Provider) changed(paths []string) {
	done := make(map[string]bool)
	var gone []string
	for _, path := range paths {
		if path = database(path); done[path] {
			continue
		}
		done[path] = true
		if _, err := os.Lstat(path); err != nil {
			gone = append(gone, path)
			continue
		}
		p.changedAt(p.ctx, path)
	}
	for _, path := range gone {
		p.changedAt(p.ctx, path)
	}
}

func (p *Provider) changedAt(ctx context.Context, path string) {
	places := p.allPlaces()
	for i, pl := range places {
		if path == pl.Dir || path == pl.real {
			before := pl.real
			if now := p.askPlaces(); i < len(now) && now[i].Dir == pl.Dir {
				pl = now[i] // which may lead elsewhere
			}
			seen := make(map[string]bool)
			p.walk(ctx, pl, pl.Dir, seen)
			for _, dir := range []string{pl.Dir, before, pl.real} {
				if dir != "" {
					p.forget(dir, seen)
				}
			}
		} else if rel, ok := pl.rel(path); ok {
			p.changedBelow(ctx, pl, path, rel)
		}
	}
}

func (p *Provider) changedBelow(ctx context.Context, pl *place, path, rel string) {
	info, err := os.Lstat(path)
	switch {
	case isGone(err):
		p.looking.lock(path)
		paths, touched := p.list.drop(path, p.opts.Env.Now())
		p.looking.unlock(path)
		p.tell(paths, touched)
	case err != nil:
	case info.IsDir():
		seen := make(map[string]bool)
		p.walk(ctx, pl, path, seen)
		p.forget(path, seen)
	case info.Mode()&os.ModeSymlink != 0:
		if p.placesMoved() {
			p.queue.rescan() // it may lead to a folder with histories
		}
	case info.Mode().IsRegular():
		switch format := pl.File(rel).(type) {
		case history.Log:
			p.look(ctx, pl.agent, path, format)
		case history.Store:
			p.lookAtStoreSoon(pl.agent, path, format, false)
		default:
			if !strings.Contains(rel, "/") && p.placesMoved() {
				p.queue.rescan() // the file was a list of places
			}
		}
	}
}

func statOf(info os.FileInfo) stat {
	return stat{Size: info.Size(), ModTime: info.ModTime().UnixNano(), Inode: inode(info)}
}
