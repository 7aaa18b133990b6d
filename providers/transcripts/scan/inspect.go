package scan

import (
	"context"
	"ctxfs/providers/transcripts/agents/history"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"ctxfs/providers/internal/birth"
	"ctxfs/providers/transcripts/catalogue"
	"ctxfs/providers/transcripts/source"
)

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

// Inspect finds the sessions of one file, if it has changed or that is forced, and
// puts them into the catalogue.
func (s *Scanner) Inspect(ctx context.Context, agent, path string, format history.Format, forced bool) {
	s.inspecting.lock(path) // what is seen later is recorded later
	paths, touched, joined := s.inspectLocked(ctx, agent, path, format, forced)
	s.inspecting.unlock(path)
	s.Found(paths, touched)
	for _, src := range joined {
		s.inspectStoreSoon(agent, src.Path, src.Format, true)
	}
}

// inspectLocked also returns the stores that have the same sessions: if an agent
// keeps a session in two places, reading the store joins them.
func (s *Scanner) inspectLocked(ctx context.Context, agent, path string, format history.Format, forced bool) (paths []string, touched []*catalogue.Session, joined []*source.Source) {
	c := s.Catalogue
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || s.Format(path) == nil { // it was asked for while it was a history
		if err == nil || source.IsGone(err) {
			paths, touched = c.Drop(path, s.Now())
		}
		return paths, touched, nil
	}
	now := source.StatOf(info)
	_, isStore := format.(history.Store)
	if isStore {
		now = source.WithJournal(path, now)
	}
	before := c.File(path)
	if before != nil && before.Stat == now && !forced {
		if !s.permitted(before) && before.Fault == "" {
			return nil, c.Reopen(before, format), nil
		}
		if !isStore {
			before = nil // what was found in it is of no use
		}
	}
	f := &catalogue.File{Path: path, Agent: agent, Stat: now}
	var all []catalogue.Found
	switch format := format.(type) {
	case history.Log:
		all = s.inspectLog(before, f, format)
	case history.Store:
		all, err = inspectStore(ctx, f, format)
		if err != nil && (ctx.Err() != nil || before != nil && len(before.Sessions) > 0) {
			if before != nil {
				touched = c.Reopen(before, format) // half written: what was found before is still valid
			}
			return nil, touched, nil
		}
	}
	paths, touched = c.Put(f, all, s.Now())
	if !forced && (before != nil || s.Done()) {
		joined = c.StoresBeside(path, touched)
	}
	return paths, touched, joined
}

// permitted reports whether a file is readable now that could not be read for lack
// of permission. Its sessions have no fault then.
func (s *Scanner) permitted(f *catalogue.File) bool {
	if !s.Catalogue.Denied(f) {
		return false
	}
	log, err := os.Open(f.Path)
	if err != nil {
		return false
	}
	log.Close()
	s.Found(s.Catalogue.Permit(f), nil)
	return true
}

// inspectLog reads only the beginning of a log, and that only once.
func (s *Scanner) inspectLog(before *catalogue.File, f *catalogue.File, format history.Log) []catalogue.Found {
	one := catalogue.Found{Source: &source.Source{Path: f.Path, Format: format, Stat: f.Stat, Birth: birth.Of(f.Path)}}
	if before != nil && len(before.Sessions) == 1 && before.Stat.Inode == f.Stat.Inode && before.Stat.Size <= f.Stat.Size {
		v, _ := s.Catalogue.View(before.Sessions[0])
		one.Info, one.FirstRecord = v.Info, v.FirstRecord
		// What identifies the session may be known from its rendering alone, which
		// does not tell the first record.
		known := source.Identified(&one.Info) && (one.FirstRecord != "" || before.Begun)
		if known || before.Stat.Size >= source.MaxStart {
			f.Begun = before.Begun
			return []catalogue.Found{one}
		}
	}
	buf := s.buffers.Get().(*[]byte)
	defer s.buffers.Put(buf)
	info, first, err := source.ReadStart(f.Path, format, buf)
	if err != nil {
		f.Fault, f.Denied = source.FaultText(err), errors.Is(err, os.ErrPermission)
	}
	info.Agent = f.Agent
	if info.ID == "" {
		info.ID = strings.TrimSuffix(filepath.Base(f.Path), filepath.Ext(f.Path))
	}
	info.Archived = info.Archived || format.Archived
	f.Begun = source.Identified(&info)
	one.Info, one.FirstRecord = info, first
	return []catalogue.Found{one}
}

// inspectStore lists the sessions of a store. An error of its own is also the fault
// of the file.
func inspectStore(ctx context.Context, f *catalogue.File, format history.Store) ([]catalogue.Found, error) {
	listed, err := source.Guard(func() ([]history.Entry, error) { return format.Sessions(ctx, f.Path) })
	var partial *history.Partial
	if errors.As(err, &partial) {
		f.Note, err = partial.Error(), nil
	} else if err != nil {
		f.Fault = err.Error()
	}
	var all []catalogue.Found
	for _, l := range listed {
		if l.ID == "" {
			continue
		}
		all = append(all, catalogue.Found{
			Source: &source.Source{Path: f.Path, Format: format, Key: l.Key, Stamp: l.Stamp, Stat: f.Stat},
			Info:   l.Session,
		})
	}
	return all, err
}
