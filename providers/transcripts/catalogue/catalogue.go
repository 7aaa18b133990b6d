// Package catalogue is the list of all sessions, in memory: where each is stored,
// what is known about it, how much of it is published, and the tree of folders that
// shows it: agent, project, session, subagents.
//
// Package scan puts in what it finds in files ([Catalogue.Put], [Catalogue.Drop]),
// package cache what it has rendered ([Catalogue.Publish]). The catalogue alone
// changes a [Session]; all others read a [View], which is the state of a session at
// one moment. Each change returns the paths that have appeared or disappeared and
// the sessions that have to be rendered again; announcing them is up to the caller.
//
// The list is saved as lines of JSON ([Catalogue.Save]), so that a restart shows
// the sessions before it has read any history.
//
// Sessions repeat each other: a fork begins with the records of the session that
// it was made from. [Catalogue.Earlier] returns the sessions whose records one
// leaves out.
package catalogue

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/names"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/event"
	"ctxfs/providers/transcripts/source"
)

// Catalogue is the list of all sessions, and the tree of folders that they are
// in: agents, projects, sessions, and the subagents of those. It is safe for
// concurrent use.
type Catalogue struct {
	home   string
	totals totals

	mu    sync.RWMutex
	known index
	tree  tree
	files map[string]*File        // by path: what was found in it
	names uint64                  // incremented with every change of a name or title
	lost  map[sessionKey]*Session // gone a moment ago; they may come back
	saved uint64                  // the version that is on disk
}

// index finds the sessions by what they say about themselves. It is guarded by the
// lock of the catalogue.
type index struct {
	byID     map[sessionKey]*Session
	byAlias  map[string][]*Session        // by id alone, of any agent; aliases too
	byFirst  map[string][]*Session        // by agent and first native id, and by what they are forks of
	byFolder map[string]map[*Session]bool // by the folder in which they worked
}

type sessionKey struct{ agent, id string }

// File is a file on disk with the sessions that were found in it.
type File struct {
	Path     string
	Agent    string
	Stat     source.Stat
	Sessions []*Session
	Fault    string // why it cannot be read
	Note     string // what in it is not understood
	Denied   bool   // Fault is a missing permission
	Begun    bool   // a log whose start was read when it identified the session
	restored bool   // it comes from the saved list, and was not inspected yet
}

// New returns a catalogue without sessions. Projects below home are named by their
// path from there.
func New(home string) *Catalogue {
	return &Catalogue{
		home: home, totals: newTotals(), files: make(map[string]*File), lost: make(map[sessionKey]*Session),
		known: index{
			byID: make(map[sessionKey]*Session), byAlias: make(map[string][]*Session), byFirst: make(map[string][]*Session),
			byFolder: make(map[string]map[*Session]bool),
		},
		tree: tree{orphans: make(map[sessionKey][]*Session), agents: make(map[string]*agentFolder)},
	}
}

// Found is a session that was found in a file.
type Found struct {
	Source *source.Source
	Info   event.Session
	// FirstRecord is the first native id in it; forks of a session share it.
	FirstRecord string
	seen        time.Time // as it was saved; zero where it is new
	name        string    // of its folder, as it was saved
}

// Put records what was found in a file, in place of what was known about it. It
// returns the paths in the tree that have changed, and the sessions that may have
// more to show.
func (c *Catalogue) Put(f *File, all []Found, now time.Time) (paths []string, touched []*Session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.files[f.Path]
	c.files[f.Path] = f
	kept := make(map[*Session]bool)
	for _, one := range all {
		// The list is saved as JSON, and must be the same when it is restored.
		one.Info.ID = strings.ToValidUTF8(one.Info.ID, "\uFFFD")
		one.Info.Parent = strings.ToValidUTF8(one.Info.Parent, "\uFFFD")
		one.Info = compact(one.Info)
		key := sessionKey{f.Agent, one.Info.ID}
		s := c.known.byID[key]
		if s == nil {
			if s = c.lost[key]; s == nil {
				s = &Session{Agent: f.Agent, ID: one.Info.ID, seen: one.seen, name: one.name}
				s.Published.Messages = -1
				s.seen = cmp.Or(s.seen, time.Unix(0, one.Source.Stat.ModTime))
			}
			delete(c.lost, key)
			c.known.byID[key] = s
		}
		kept[s] = true
		s.sources = slices.DeleteFunc(s.sources, func(old *source.Source) bool { return old.Path == f.Path })
		s.sources = append(s.sources, one.Source)
		s.rank()
		if s.Source() == one.Source {
			c.describe(s, one.Info, one.FirstRecord)
		}
		f.Sessions = append(f.Sessions, s)
		touched = append(touched, s)
		paths = append(paths, c.attach(s, now)...)
		if related := c.known.updateRelations(s); !f.restored {
			touched = append(touched, c.markRegrouped(related)...)
		}
	}
	c.countFile(f)
	if before != nil {
		c.countFile(before)
		for _, s := range before.Sessions {
			if !kept[s] {
				more, others := c.removeSource(s, f.Path, now)
				paths, touched = append(paths, more...), append(touched, others...)
			}
		}
	}
	return paths, touched
}

// Reopen sets the format of the sources in an unchanged file, which is not saved with
// the list. It returns the sessions that could not be read before.
func (c *Catalogue) Reopen(f *File, format history.Format) (touched []*Session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range f.Sessions {
		for i, src := range s.sources {
			if src.Path == f.Path && src.Format == nil {
				opened := *src
				opened.Format = format
				s.sources[i] = &opened
				s.rank()
				c.count(s)
				touched = append(append(touched, s), c.markRegrouped(c.known.updateRelations(s))...)
			}
		}
	}
	return touched
}

// describe records what the beginning of a source says about a session. A better
// title and a later time from rendering stay.
func (c *Catalogue) describe(s *Session, info event.Session, first string) {
	info.Agent, info.ID = s.Agent, s.ID
	if s.Published.Generation > 0 && s.info.TitleRank > info.TitleRank {
		info.Title, info.TitleRank = s.info.Title, s.info.TitleRank
	}
	info.Last = wording.Later(info.Last, s.info.Last)
	c.known.set(s, false)
	s.info = info
	if first != "" {
		s.firstRecord = s.Agent + "\x00" + first
	}
	c.known.set(s, true)
}

// set adds or removes what a session is found by.
func (x *index) set(s *Session, add bool) {
	change := func(m map[string][]*Session, key string) {
		rest := slices.DeleteFunc(m[key], func(o *Session) bool { return o == s })
		if add {
			rest = append(rest, s)
		}
		if m[key] = rest; len(rest) == 0 {
			delete(m, key)
		}
	}
	change(x.byAlias, s.ID)
	change(x.byAlias, names.File(s.ID))
	for _, alias := range s.info.Aliases {
		change(x.byAlias, alias)
	}
	if s.firstRecord != "" {
		change(x.byFirst, s.firstRecord)
	}
	if s.info.ForkOf != "" {
		change(x.byFirst, forkKey(s.Agent, s.info.ForkOf))
	}
	x.setFolder(s, add)
}

// Drop removes what was found at a path and below it. It returns what Put returns.
func (c *Catalogue) Drop(path string, now time.Time) (paths []string, touched []*Session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var gone []*File
	if f := c.files[path]; f != nil {
		gone = append(gone, f)
	} else {
		for p, f := range c.files {
			if strings.HasPrefix(p, path+"/") {
				gone = append(gone, f)
			}
		}
	}
	for _, f := range gone {
		delete(c.files, f.Path)
		c.countFile(f)
		for _, s := range f.Sessions {
			more, others := c.removeSource(s, f.Path, now)
			paths, touched = append(paths, more...), append(touched, others...)
		}
	}
	return paths, touched
}

// removeSource removes a source from a session, and the session if that was its
// last.
func (c *Catalogue) removeSource(s *Session, path string, now time.Time) (paths []string, touched []*Session) {
	s.sources = slices.DeleteFunc(s.sources, func(old *source.Source) bool { return old.Path == path })
	if len(s.sources) > 0 {
		c.count(s)
		return nil, append(c.markRegrouped(c.known.updateRelations(s)), s)
	}
	if c.known.byID[sessionKey{s.Agent, s.ID}] != s {
		return nil, nil
	}
	if old := s.path(); old != "" {
		paths = append(paths, old)
	}
	delete(c.known.byID, sessionKey{s.Agent, s.ID})
	c.tree.awaitParent(s, "")
	c.lost[sessionKey{s.Agent, s.ID}], s.lostAt = s, now
	c.names++
	c.known.set(s, false)
	c.tree.detach(s, now)
	c.count(s)
	paths = append(paths, c.tree.unannounced...)
	c.tree.unannounced = nil
	for _, child := range slices.Clone(s.children) {
		paths = append(paths, c.attach(child, now)...)
	}
	// The sessions that left out its records have to show them now.
	touched = append(touched, c.markRegrouped(c.known.updateRelations(s))...)
	c.tree.touch(now)
	return paths, touched
}

func (t *tree) touch(now time.Time) {
	t.version++
	t.changed = wording.Later(t.changed, now)
}

func earliest(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// Empty reports whether no session is known.
func (c *Catalogue) Empty() bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.known.byID) == 0
}

// File returns what was found in the file at a path; nil if nothing is known about
// it.
func (c *Catalogue) File(path string) *File {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.files[path]
}

// Invalidate makes the next scan inspect the file at a path although it seems
// unchanged.
func (c *Catalogue) Invalidate(path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f := c.files[path]; f != nil {
		f.Stat.ModTime = 0
	}
}

// Unseen returns the paths of the files at and below a folder, "" for all, that
// are not in seen.
func (c *Catalogue) Unseen(below string, seen map[string]bool) (paths []string) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for path := range c.files {
		if !seen[path] && (below == "" || path == below || strings.HasPrefix(path, below+"/")) {
			paths = append(paths, path)
		}
	}
	return paths
}

// StoresBeside returns the stores other than the file at path that also contain
// sessions of it.
func (c *Catalogue) StoresBeside(path string, sessions []*Session) (all []*source.Source) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, s := range sessions {
		for _, src := range s.sources {
			if _, ok := src.Format.(history.Store); ok && src.Path != path && !slices.ContainsFunc(all, func(o *source.Source) bool { return o.Path == src.Path }) {
				all = append(all, src)
			}
		}
	}
	return all
}

// NameVersion returns a number that changes with every name and title of a session.
func (c *Catalogue) NameVersion() uint64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.names
}
