package transcripts

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"slices"
	"strings"
	"sync"
	"time"
	"unique"

	"ctxfs/providers/transcripts/event"
)

// session is one session of one agent, wherever it lies. What the catalogue
// knows of it is read with [catalogue.view].
type session struct {
	agent string
	id    string

	// work is held by the cache while it renders the session or changes what is
	// cached of it.
	work sync.Mutex

	// What follows is guarded by the catalogue's lock.

	info        event.Session
	sources     []*source // in order of precedence: the first is read
	firstRecord string    // the agent and the first native id in it, which forks share
	seen        time.Time // stands in for the start where that is not known

	parent   *session
	children []*session
	orphanOf string   // the id of the parent that is not there yet
	family   *family  // the sessions that may repeat each other; nil where there is no other
	lineage  lineage  // where it stands in that
	folder   *project // in which it is listed; nil for a subagent
	name     string   // of its folder
	lostAt   time.Time

	published published
	live      bool      // it grows
	grown     time.Time // when it last did
	counted   share     // what of it is in the totals
}

// published is what has been rendered of a session and can be read.
type published struct {
	// Generation counts the renderings from the beginning, from 1; 0 means that
	// there is none.
	Generation uint32 `json:"generation"`
	// Size is the length of the transcript in bytes, Events the number of events
	// in it, Offset the length in bytes of the part of a log that it was made
	// from, Results the number of texts that were folded out.
	Size    int64 `json:"size"`
	Events  int   `json:"events"`
	Offset  int64 `json:"offset"`
	Results int   `json:"results"`
	// Messages is the size of messages.jsonl; -1 where that was not made.
	Messages int64 `json:"messages"`
	// Kept is the size of everything but messages.jsonl in the cache, in bytes.
	Kept int64 `json:"kept"`
	// Stat, Stamp and Path are those of the source at that moment.
	Stat  stat   `json:"stat"`
	Stamp string `json:"stamp,omitempty"`
	Path  string `json:"path"`
	// Repeats identifies the sessions whose records are left out in this one; 0
	// for none. IDs is the length in bytes of the list of native ids that this
	// one has recorded.
	Repeats uint64 `json:"repeats,omitempty"`
	IDs     int64  `json:"ids,omitempty"`
	// Whole says that nothing is left out all the same, because the session has
	// nothing else.
	Whole bool `json:"whole,omitempty"`
	// Strange says that none of the records is one of the agent's.
	Strange bool `json:"strange,omitempty"`
	// Fault says why the session cannot be read; "" if it can.
	Fault string `json:"fault,omitempty"`
	// Denied says that the fault is a missing permission: granting it changes
	// nothing that a stat compares.
	Denied bool `json:"denied,omitempty"`
	// Evicted says that the cache had no room for it.
	Evicted bool `json:"evicted,omitempty"`
}

// view is what the catalogue knows of a session at one moment.
type view struct {
	info      event.Session
	published published
	// source is the one that is read; nil where there is none.
	source *source
	// fault says why the session cannot be read, as far as it was tried, denied
	// that a permission is missing.
	fault  string
	denied bool
	// firstRecord is the first native id in it.
	firstRecord string
	// name is that of its folder, parent the session that started it as a
	// subagent, subagents how many it has started itself.
	name      string
	parent    *session
	subagents int
	// modTime is when it last changed, seen stands in for its start where that is
	// not known.
	modTime, seen time.Time
	live          bool // it grows
	behind        bool // its source has more than was published
}

// view returns what is known of a session; there is false where it is no longer
// in the catalogue.
func (c *catalogue) view(s *session) (v view, there bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.viewOf(s), c.there(s)
}

// each visits all sessions, in no particular order. The catalogue is locked
// meanwhile: visit must not call it.
func (c *catalogue) each(visit func(s *session, v *view)) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, s := range c.byID {
		v := c.viewOf(s)
		visit(s, &v)
	}
}

// viewOf is view for a caller that holds the lock.
func (c *catalogue) viewOf(s *session) view {
	_, first, _ := strings.Cut(s.firstRecord, "\x00")
	v := view{
		info: s.info, published: s.published, source: s.source(), fault: s.published.Fault, denied: s.published.Denied,
		firstRecord: first, name: s.name, parent: s.parent, subagents: len(s.children),
		modTime: s.modTime(), seen: s.seen, live: s.live, behind: s.behind(),
	}
	if v.source != nil && v.fault == "" && s.published.Generation == 0 {
		if f := c.files[v.source.path]; f != nil {
			v.fault, v.denied = f.fault, f.denied // nobody has tried to read all of it
		}
	}
	return v
}

// there reports whether a session is in the catalogue. The caller holds the
// lock.
func (c *catalogue) there(s *session) bool { return c.byID[sessionKey{s.agent, s.id}] == s }

// path returns the path of a session's folder in the provider's, "" where it has
// none.
func (c *catalogue) path(s *session) string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return s.path()
}

// subagents returns the names of the folders of the sessions that one has
// started, sorted.
func (c *catalogue) subagents(s *session) []string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	names := make([]string, 0, len(s.children))
	for _, child := range s.children {
		names = append(names, child.name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// subagent returns the session that another one has started, by the name of its
// folder; nil if there is none.
func (c *catalogue) subagent(s *session, name string) *session {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, child := range s.children {
		if child.name == name {
			return child
		}
	}
	return nil
}

// newestBelow returns when a session or one that it has started last changed.
func (c *catalogue) newestBelow(s *session) time.Time {
	c.mu.RLock()
	defer c.mu.RUnlock()
	t := s.modTime()
	for _, child := range s.children {
		t = later(t, child.modTime())
	}
	return t
}

// unready reports whether a session must be rendered before it can be read: one
// that is live is shown as far as it was rendered.
func (v *view) unready() bool {
	return v.behind && (!v.live || v.published.Generation == 0 || v.published.Evicted)
}

// failed reports whether the source, as it is, cannot be read.
func (v *view) failed() bool { return v.published.failed(v.source) }

// log returns the length of the log in bytes; false where the session lies in a
// store.
func (v *view) log() (size int64, ok bool) {
	if v.source == nil || v.source.key != "" {
		return 0, false
	}
	return v.source.stat.Size, true
}

// lastTime returns when something last happened in the session: by what was
// rendered of it, else by its file.
func (v *view) lastTime() time.Time {
	if v.info.Last.IsZero() || v.behind {
		return v.modTime.Truncate(time.Second)
	}
	return v.info.Last
}

// date returns the day on which the session began, as the name of its folder has
// it.
func (v *view) date() string { return dateOf(v.info.Start, v.seen) }

// incarnation returns the version of the session's growing files.
func (v *view) incarnation() uint64 {
	h := fnv.New64a()
	h.Write([]byte(v.info.Agent + "\x00" + v.info.ID))
	if v.published.Generation == 0 && v.published.Fault != "" {
		return h.Sum64() // nothing, which is another text than what may be read later
	}
	// What has not been rendered will be the first generation.
	return h.Sum64() + uint64(max(v.published.Generation, 1))
}

// version returns the version of the files that are made from the session as a
// whole.
func (v *view) version() uint64 {
	h := fnv.New64a()
	var b [8]byte
	for _, n := range []uint64{v.incarnation(), uint64(v.published.Events), uint64(v.published.Size), uint64(v.info.TitleRank), uint64(v.modTime.UnixNano()), uint64(v.subagents)} {
		binary.LittleEndian.PutUint64(b[:], n)
		h.Write(b[:])
	}
	h.Write([]byte(v.info.Title))
	return h.Sum64()
}

// source returns the source that is read. The caller holds the lock, as with all
// that follows.
func (s *session) source() *source {
	if len(s.sources) == 0 {
		return nil
	}
	return s.sources[0]
}

// failed reports whether src, as it is, is the source that could not be read.
func (p *published) failed(src *source) bool {
	return src != nil && p.Fault != "" && p.Path == src.path && p.Stamp == src.stamp && p.Stat == src.stat
}

// behind reports whether the source has more than was published.
func (s *session) behind() bool {
	src, p := s.source(), &s.published
	if src == nil || p.failed(src) {
		return false
	}
	return p.Generation == 0 || p.Path != src.path || p.Stamp != src.stamp || src.stamp == "" && p.Stat != src.stat
}

// rank sorts the sources of a session: first what the agent's table prefers,
// then the newer one, and at last by path so that the order is always the same.
func (s *session) rank() {
	slices.SortFunc(s.sources, func(a, b *source) int {
		return cmp.Or(cmp.Compare(rankOf(b.format), rankOf(a.format)), cmp.Compare(b.stat.ModTime, a.stat.ModTime), cmp.Compare(a.path, b.path))
	})
}

// modTime returns when the session last changed.
func (s *session) modTime() time.Time {
	if src := s.source(); src != nil && src.key == "" {
		return time.Unix(0, src.stat.ModTime)
	}
	if !s.info.Last.IsZero() {
		return s.info.Last
	}
	return s.seen
}

func (s *session) path() string {
	switch {
	case s.parent != nil:
		if up := s.parent.path(); up != "" {
			return up + "/" + subagentsName + "/" + s.name
		}
	case s.folder != nil:
		return s.agent + "/" + s.folder.name + "/" + s.name
	}
	return ""
}

// compact returns info with strings of its own: those that a reader gives are
// parts of whole records, which would stay in memory with them. A text that many
// sessions have in common is stored once.
func compact(s event.Session) event.Session {
	for _, text := range []*string{&s.Agent, &s.Parent, &s.CWD, &s.Project, &s.Model, &s.Branch, &s.Program} {
		*text = unique.Make(*text).Value()
	}
	for _, text := range []*string{&s.ID, &s.ForkOf, &s.Title} {
		*text = strings.Clone(*text)
	}
	aliases := s.Aliases
	s.Aliases = nil
	for _, alias := range aliases {
		s.Aliases = append(s.Aliases, strings.Clone(alias))
	}
	return s
}
