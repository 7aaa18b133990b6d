package transcripts

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"ctxfs/providers/transcripts/agents/history"
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

// look finds the sessions of one file, if it has changed, and has them shown.
func (p *Provider) look(ctx context.Context, agent, path string, format history.Format) {
	p.lookAt(ctx, agent, path, format, false)
}

// lookAt is look; also at a file that has not changed, if that is forced.
func (p *Provider) lookAt(ctx context.Context, agent, path string, format history.Format, forced bool) {
	p.looking.lock(path) // what is seen later is noted later
	paths, touched, joined := p.lookLocked(ctx, agent, path, format, forced)
	p.looking.unlock(path)
	p.tell(paths, touched)
	for _, src := range joined {
		p.lookAtStoreSoon(agent, src.path, src.format, true)
	}
}

// lookLocked also returns the stores that have the same sessions: what an agent
// keeps of one in two places is joined where the store is read.
func (p *Provider) lookLocked(ctx context.Context, agent, path string, format history.Format, forced bool) (paths []string, touched []*session, joined []source) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		if err == nil || isGone(err) {
			paths, touched = p.list.drop(path, p.opts.Env.Now())
		}
		return paths, touched, nil
	}
	now := statOf(info)
	_, isStore := format.(history.Store)
	if isStore {
		now = withJournal(path, now)
	}
	known := p.list.file(path)
	if known != nil && known.stat == now && !forced {
		if !p.admitted(known) && known.fault == "" {
			return nil, p.list.reopen(known, format), nil
		}
		if !isStore {
			known = nil // what was found in it is of no use
		}
	}
	f := &file{path: path, agent: agent, stat: now}
	var all []found
	switch format := format.(type) {
	case history.Log:
		all = p.lookAtLog(known, f, format)
	case history.Store:
		all, err = p.lookAtStore(ctx, f, format)
		if err != nil && (ctx.Err() != nil || known != nil && len(known.sessions) > 0) {
			if known != nil {
				touched = p.list.reopen(known, format) // half written: what was found before still stands
			}
			return nil, touched, nil
		}
	}
	paths, touched = p.list.put(f, all, p.opts.Env.Now())
	if !forced && (known != nil || p.isScanned()) {
		joined = p.list.beside(path, touched)
	}
	return paths, touched, joined
}

// beside are the stores other than the file at path that sessions lie in too.
func (c *catalogue) beside(path string, sessions []*session) (all []source) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, s := range sessions {
		for _, src := range s.sources {
			if _, ok := src.format.(history.Store); ok && src.path != path && !slices.ContainsFunc(all, func(o source) bool { return o.path == src.path }) {
				all = append(all, *src)
			}
		}
	}
	return all
}

func (c *catalogue) file(path string) *file {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.files[path]
}

// lookAtLog reads no more of a log than its beginning, and that only once.
func (p *Provider) lookAtLog(known *file, f *file, format history.Log) []found {
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
	mem := p.borrow()
	defer p.giveBack(mem)
	info, first, err := head(f.path, format, mem)
	if err != nil {
		f.fault, f.denied = p.describeFault(err), isPermission(err)
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
func (p *Provider) lookAtStore(ctx context.Context, f *file, format history.Store) ([]found, error) {
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
