package transcripts

import (
	"slices"
	"strings"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/names"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/event"
)

// catalogue is the list of all sessions, and the tree of folders that they are
// in: agents, projects, sessions, and the subagents of those. It is safe for
// concurrent use.
type catalogue struct {
	home   string
	totals totals

	mu      sync.RWMutex
	byID    map[sessionKey]*session
	byAlias map[string][]*session     // by id alone, of any agent; aliases too
	byFirst map[string][]*session     // by agent and first native id, and by what they are forks of
	files   map[string]*file          // by path: what was found in it
	names   uint64                    // moves with every change of a name or title
	lost    map[sessionKey]*session   // gone a moment ago; they may come back
	orphans map[sessionKey][]*session // by the parent that is not there
	news    []string                  // folders of agents and projects that have come or gone, until they are told
	agents  map[string]*agentFolder
	entries []fs.Entry // of the root; nil when the agents have changed
	version uint64     // moves with every change
	saved   uint64     // the version that is on disk
	changed time.Time  // zero where nothing was found yet
}

type sessionKey struct{ agent, id string }

// file is a file on disk with the sessions that were found in it.
type file struct {
	path     string
	agent    string
	stat     stat
	sessions []*session
	fault    string // why it cannot be read
	note     string // what of it is not understood
	denied   bool   // that permission is missing
	restored bool   // it was read from the saved list, and not yet looked at
}

func newCatalogue(home string) *catalogue {
	return &catalogue{
		home: home, totals: newTotals(),
		byID: make(map[sessionKey]*session), byAlias: make(map[string][]*session), byFirst: make(map[string][]*session),
		files: make(map[string]*file), lost: make(map[sessionKey]*session), orphans: make(map[sessionKey][]*session), agents: make(map[string]*agentFolder),
	}
}

// found is a session that was found in a file.
type found struct {
	source *source
	info   event.Session
	// firstRecord is the first native id in it; forks of a session share it.
	firstRecord string
	seen        time.Time // as it was saved; zero where it is new
	name        string    // of its folder, as it was saved
}

// put notes what was found in a file, in place of what was known of it, and
// returns the paths that have changed and the sessions that may have more to
// show.
func (c *catalogue) put(f *file, all []found, now time.Time) (paths []string, touched []*session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.files[f.path]
	c.files[f.path] = f
	kept := make(map[*session]bool)
	for _, one := range all {
		// What is kept is JSON, and must be the same when it is read again.
		one.info.ID = strings.ToValidUTF8(one.info.ID, "\uFFFD")
		one.info.Parent = strings.ToValidUTF8(one.info.Parent, "\uFFFD")
		one.info = compact(one.info)
		key := sessionKey{f.agent, one.info.ID}
		s := c.byID[key]
		if s == nil {
			if s = c.lost[key]; s == nil {
				s = &session{agent: f.agent, id: one.info.ID, seen: one.seen, name: one.name}
				s.published.Messages = -1
				if s.seen.IsZero() {
					s.seen = time.Unix(0, one.source.stat.ModTime)
				}
			}
			delete(c.lost, key)
			c.byID[key] = s
		}
		kept[s] = true
		s.sources = slices.DeleteFunc(s.sources, func(old *source) bool { return old.path == f.path })
		s.sources = append(s.sources, one.source)
		s.rank()
		if s.source() == one.source {
			c.describe(s, one.info, one.firstRecord)
		}
		f.sessions = append(f.sessions, s)
		touched = append(touched, s)
		paths = append(paths, c.place(s, now)...)
		if related := c.relate(s); !f.restored {
			touched = append(touched, c.regroup(related)...)
		}
	}
	c.countFile(f)
	if before != nil {
		c.countFile(before)
		for _, s := range before.sessions {
			if !kept[s] {
				more, others := c.lose(s, f.path, now)
				paths, touched = append(paths, more...), append(touched, others...)
			}
		}
	}
	return paths, touched
}

// reopen gives the sources of an unchanged file their format, which is not kept
// between two processes. It returns the sessions that could not be read before.
func (c *catalogue) reopen(f *file, format history.Format) (touched []*session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range f.sessions {
		for i, src := range s.sources {
			if src.path == f.path && src.format == nil {
				opened := *src
				opened.format = format
				s.sources[i] = &opened
				s.rank()
				c.count(s)
				touched = append(append(touched, s), c.regroup(c.relate(s))...)
			}
		}
	}
	return touched
}

// describe takes over what is known of a session as a whole. What rendering has
// told stays, where the beginning alone does not tell as much.
func (c *catalogue) describe(s *session, info event.Session, first string) {
	info.Agent, info.ID = s.agent, s.id
	if s.published.Generation > 0 && s.info.TitleRank > info.TitleRank {
		info.Title, info.TitleRank = s.info.Title, s.info.TitleRank
	}
	if info.Last.Before(s.info.Last) {
		info.Last = s.info.Last
	}
	c.index(s, false)
	s.info = info
	if first != "" {
		s.firstRecord = s.agent + "\x00" + first
	}
	c.index(s, true)
}

// index notes or forgets what a session is found by.
func (c *catalogue) index(s *session, add bool) {
	change := func(m map[string][]*session, key string) {
		rest := slices.DeleteFunc(m[key], func(o *session) bool { return o == s })
		if add {
			rest = append(rest, s)
		}
		if m[key] = rest; len(rest) == 0 {
			delete(m, key)
		}
	}
	change(c.byAlias, s.id)
	change(c.byAlias, names.File(s.id))
	for _, alias := range s.info.Aliases {
		change(c.byAlias, alias)
	}
	if s.firstRecord != "" {
		change(c.byFirst, s.firstRecord)
	}
	if s.info.ForkOf != "" {
		change(c.byFirst, forkKey(s.agent, s.info.ForkOf))
	}
}

// drop forgets what was found at a path and below it.
func (c *catalogue) drop(path string, now time.Time) (paths []string, touched []*session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var gone []*file
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
		delete(c.files, f.path)
		c.countFile(f)
		for _, s := range f.sessions {
			more, others := c.lose(s, f.path, now)
			paths, touched = append(paths, more...), append(touched, others...)
		}
	}
	return paths, touched
}

// lose takes a source from a session, and the session away if that was the last.
func (c *catalogue) lose(s *session, path string, now time.Time) (paths []string, touched []*session) {
	s.sources = slices.DeleteFunc(s.sources, func(old *source) bool { return old.path == path })
	if len(s.sources) > 0 {
		c.count(s)
		return nil, append(c.regroup(c.relate(s)), s)
	}
	if c.byID[sessionKey{s.agent, s.id}] != s {
		return nil, nil
	}
	if old := s.path(); old != "" {
		paths = append(paths, old)
	}
	delete(c.byID, sessionKey{s.agent, s.id})
	c.awaitParent(s, "")
	c.lost[sessionKey{s.agent, s.id}], s.lostAt = s, now
	c.names++
	c.index(s, false)
	c.unplace(s, now)
	c.count(s)
	paths = append(paths, c.news...)
	c.news = nil
	for _, child := range slices.Clone(s.children) {
		paths = append(paths, c.place(child, now)...)
	}
	// Those that left out what was told here have to tell it themselves.
	touched = append(touched, c.regroup(c.relate(s))...)
	c.touch(now)
	return paths, touched
}

func (c *catalogue) touch(now time.Time) {
	c.version++
	c.changed = later(c.changed, now)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func earliest(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// empty reports whether no session is known.
func (c *catalogue) empty() bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.byID) == 0
}

// file returns what was found in the file at a path; nil where nothing is known
// of it.
func (c *catalogue) file(path string) *file {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.files[path]
}

// distrust has a file looked at again though it seems to be unchanged.
func (c *catalogue) distrust(path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f := c.files[path]; f != nil {
		f.stat.ModTime = 0
	}
}

// unseen returns the paths of the files at and below a folder, "" for all, that
// are not in seen.
func (c *catalogue) unseen(below string, seen map[string]bool) (paths []string) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for path := range c.files {
		if !seen[path] && (below == "" || path == below || strings.HasPrefix(path, below+"/")) {
			paths = append(paths, path)
		}
	}
	return paths
}

// storesBeside returns the stores other than the file at path that sessions lie
// in too.
func (c *catalogue) storesBeside(path string, sessions []*session) (all []*source) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, s := range sessions {
		for _, src := range s.sources {
			if _, ok := src.format.(history.Store); ok && src.path != path && !slices.ContainsFunc(all, func(o *source) bool { return o.path == src.path }) {
				all = append(all, src)
			}
		}
	}
	return all
}

// nameVersion moves with every change of a session's name or title.
func (c *catalogue) nameVersion() uint64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.names
}
