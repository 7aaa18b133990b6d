package transcripts

import (
	"context"
	"errors"
	iofs "io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"ctxfs/providers/transcripts/agents"
)

// place is one of an agent's folders with histories.
type place struct {
	agent string
	agents.Place
	real string // Dir with links resolved; "" where it is not there
}

// rel is the path below the place's folder, with slashes.
func (pl *place) rel(path string) (rel string, ok bool) {
	for _, dir := range []string{pl.Dir, pl.real} {
		if dir == "" {
			continue
		}
		if path == dir {
			return "", true
		}
		if rest, found := strings.CutPrefix(path, dir+"/"); found {
			return filepath.ToSlash(rest), true
		}
	}
	return "", false
}

// findPlaces asks the agents where they keep their histories.
func (p *Provider) findPlaces() (places []*place) {
	for _, a := range p.opts.Agents {
		for _, pl := range a.Places(p.machine()) {
			pl.Dir = filepath.Clean(pl.Dir)
			real, _ := filepath.EvalSymlinks(pl.Dir)
			places = append(places, &place{agent: a.Name, Place: pl, real: real})
		}
	}
	return places
}

// scan looks at all that is on disk. What has not changed since it was last
// looked at is not opened.
func (p *Provider) scan(ctx context.Context) {
	places := p.findPlaces()
	p.mu.Lock()
	p.places = places
	p.mu.Unlock()
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

// forget drops the files below a folder, "" for all, that were not seen.
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
		p.tell(p.list.drop(path, p.opts.Env.Now()))
	}
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
	p.setUnreadable(pl, dir, unreadable)
}

func skip(d iofs.DirEntry) error {
	if d.IsDir() {
		return filepath.SkipDir
	}
	return nil
}

// look finds the sessions of one file, if it has changed, and has them shown.
func (p *Provider) look(ctx context.Context, agent, path string, format agents.Format) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		p.tell(p.list.drop(path, p.opts.Env.Now()))
		return
	}
	now := statOf(info)
	if _, ok := format.(agents.Store); ok {
		now = withJournal(path, now)
	}
	known := p.list.file(path)
	if known != nil && known.stat == now {
		if !p.admitted(known) {
			p.tell(nil, p.list.reopen(known, format))
			return
		}
		known = nil // what was found in it is of no use
	}
	f := &file{path: path, agent: agent, stat: now}
	var all []found
	switch format := format.(type) {
	case agents.Log:
		all = p.lookAtLog(known, f, format)
	case agents.Store:
		all, err = p.lookAtStore(ctx, f, format)
		if err != nil && known != nil && len(known.sessions) > 0 {
			p.list.reopen(known, format)
			return // half written: what was found before still stands
		}
	}
	p.tell(p.list.put(f, all, p.opts.Env.Now()))
}

func (c *catalogue) file(path string) *file {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.files[path]
}

// lookAtLog reads no more of a log than its beginning, and that only once.
func (p *Provider) lookAtLog(known *file, f *file, format agents.Log) []found {
	one := found{source: &source{path: f.path, format: format, stat: f.stat, birth: birth(f.path)}}
	if known != nil && len(known.sessions) == 1 && known.stat.Inode == f.stat.Inode && known.stat.Size <= f.stat.Size {
		s := known.sessions[0]
		p.list.mu.RLock()
		one.info = s.info
		one.first = afterAgent(s.first)
		known := enough(&one.info) || known.stat.Size >= headSize
		p.list.mu.RUnlock()
		if known {
			return []found{one}
		}
	}
	info, first, err := head(f.path, format)
	if err != nil {
		f.fault = err.Error()
	}
	info.Agent = f.agent
	if info.ID == "" {
		info.ID = strings.TrimSuffix(filepath.Base(f.path), filepath.Ext(f.path))
	}
	info.Archived = info.Archived || format.Archived
	one.info, one.first = info, first
	return []found{one}
}

// lookAtStore asks a store for its sessions.
func (p *Provider) lookAtStore(ctx context.Context, f *file, format agents.Store) ([]found, error) {
	listed, err := guarded(func() ([]agents.Listed, error) { return format.Sessions(ctx, f.path) })
	if err != nil {
		f.fault = err.Error()
	}
	var all []found
	for _, l := range listed {
		if l.ID == "" {
			continue
		}
		all = append(all, found{
			source: &source{path: f.path, format: format, key: l.Key, stamp: l.Stamp, stat: f.stat},
			info:   l.Session,
		})
	}
	return all, err
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

// changed is told of paths on disk.
func (p *Provider) changed(paths []string) {
	ctx := p.ctx
	p.mu.Lock()
	places := p.places
	p.mu.Unlock()
	done := make(map[string]bool)
	for _, path := range paths {
		path = database(path)
		if done[path] {
			continue
		}
		done[path] = true
		for _, pl := range places {
			if rel, ok := pl.rel(path); ok {
				p.changedAt(ctx, pl, path, rel)
			}
		}
	}
}

func (p *Provider) changedAt(ctx context.Context, pl *place, path, rel string) {
	info, err := os.Lstat(path)
	switch {
	case err != nil && rel != "":
		p.tell(p.list.drop(path, p.opts.Env.Now()))
	case err != nil || info.IsDir():
		if rel == "" && err == nil {
			real, _ := filepath.EvalSymlinks(pl.Dir)
			p.mu.Lock()
			pl.real = real
			p.mu.Unlock()
		}
		seen := make(map[string]bool)
		p.walk(ctx, pl, path, seen)
		p.forget(path, seen)
	case info.Mode().IsRegular():
		switch format := pl.File(rel).(type) {
		case agents.Log:
			p.look(ctx, pl.agent, path, format)
		case agents.Store:
			p.lookAtStoreSoon(pl.agent, path, format)
		}
	}
}

func statOf(info os.FileInfo) stat {
	return stat{Size: info.Size(), ModTime: info.ModTime().UnixNano(), Inode: inode(info)}
}

// guarded makes an error of a panic: a reader of foreign data that fails costs
// its own session.
func guarded[T any](f func() (T, error)) (value T, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = &readerFault{fault}
		}
	}()
	return f()
}
