package transcripts

import (
	"context"
	"ctxfs/providers/transcripts/agents/history"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// pathLocks are locks by name.
type pathLocks struct {
	mu   sync.Mutex
	held map[string]*pathLock
}

type pathLock struct {
	sync.Mutex
	users int
}

func (l *pathLocks) lock(path string) {
	l.mu.Lock()
	one := l.held[path]
	if one == nil {
		one = new(pathLock)
		l.held[path] = one
	}
	one.users++
	l.mu.Unlock()
	one.Lock()
}

func (l *pathLocks) unlock(path string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	one := l.held[path]
	one.Unlock()
	if one.users--; one.users == 0 {
		delete(l.held, path)
	}
}

// inspect finds the sessions of one file, if it has changed or that is forced, and
// puts them into the catalogue.
func (s *scanner) inspect(ctx context.Context, agent, path string, format history.Format, forced bool) {
	s.inspecting.lock(path) // what is seen later is recorded later
	paths, touched, joined := s.inspectLocked(ctx, agent, path, format, forced)
	s.inspecting.unlock(path)
	s.Found(paths, touched)
	for _, src := range joined {
		s.inspectStoreSoon(agent, src.path, src.format, true)
	}
}

// inspectLocked also returns the stores that have the same sessions: what an
// agent keeps of one in two places is joined where the store is read.
func (s *scanner) inspectLocked(ctx context.Context, agent, path string, format history.Format, forced bool) (paths []string, touched []*session, joined []*source) {
	c := s.Catalogue
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		if err == nil || isGone(err) {
			paths, touched = c.drop(path, s.Now())
		}
		return paths, touched, nil
	}
	now := statOf(info)
	_, isStore := format.(history.Store)
	if isStore {
		now = withJournal(path, now)
	}
	before := c.file(path)
	if before != nil && before.stat == now && !forced {
		if !s.permitted(before) && before.fault == "" {
			return nil, c.reopen(before, format), nil
		}
		if !isStore {
			before = nil // what was found in it is of no use
		}
	}
	f := &file{path: path, agent: agent, stat: now}
	var all []found
	switch format := format.(type) {
	case history.Log:
		all = s.inspectLog(before, f, format)
	case history.Store:
		all, err = inspectStore(ctx, f, format)
		if err != nil && (ctx.Err() != nil || before != nil && len(before.sessions) > 0) {
			if before != nil {
				touched = c.reopen(before, format) // half written: what was found before still stands
			}
			return nil, touched, nil
		}
	}
	paths, touched = c.put(f, all, s.Now())
	if !forced && (before != nil || s.done()) {
		joined = c.storesBeside(path, touched)
	}
	return paths, touched, joined
}

// permitted reports whether a file can be read that could not be before for want
// of permission. Its sessions have no fault then.
func (s *scanner) permitted(f *file) bool {
	if !s.Catalogue.denied(f) {
		return false
	}
	log, err := os.Open(f.path)
	if err != nil {
		return false
	}
	log.Close()
	s.Found(s.Catalogue.permit(f), nil)
	return true
}

// inspectLog reads no more of a log than its beginning, and that only once.
func (s *scanner) inspectLog(before *file, f *file, format history.Log) []found {
	one := found{source: &source{path: f.path, format: format, stat: f.stat, birth: birth(f.path)}}
	if before != nil && len(before.sessions) == 1 && before.stat.Inode == f.stat.Inode && before.stat.Size <= f.stat.Size {
		v, _ := s.Catalogue.view(before.sessions[0])
		one.info, one.firstRecord = v.info, v.firstRecord
		if enough(&one.info) || before.stat.Size >= headSize {
			return []found{one}
		}
	}
	buf := s.buffers.Get().(*[]byte)
	defer s.buffers.Put(buf)
	info, first, err := head(f.path, format, buf)
	if err != nil {
		f.fault, f.denied = faultText(err), errors.Is(err, os.ErrPermission)
	}
	info.Agent = f.agent
	if info.ID == "" {
		info.ID = strings.TrimSuffix(filepath.Base(f.path), filepath.Ext(f.path))
	}
	info.Archived = info.Archived || format.Archived
	one.info, one.firstRecord = info, first
	return []found{one}
}

// inspectStore asks a store for its sessions.
func inspectStore(ctx context.Context, f *file, format history.Store) ([]found, error) {
	listed, err := guarded(func() ([]history.Entry, error) { return format.Sessions(ctx, f.path) })
	var partial *history.Partial
	if errors.As(err, &partial) {
		f.note, err = partial.Error(), nil
	} else if err != nil {
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
