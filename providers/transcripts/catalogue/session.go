package catalogue

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
	"sync"
	"time"
	"unique"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/transcripts/event"
	"ctxfs/providers/transcripts/source"
)

// Session is one session of one agent, wherever it is stored. What the catalogue
// knows about it is read with [catalogue.view].
type Session struct {
	Agent string
	ID    string

	// Work is held by the cache while it renders the session or changes its cached
	// data. Other processes are kept away by the lock of the entry, which is taken
	// after it.
	Work sync.Mutex

	// What follows is guarded by the catalogue's lock.

	info        event.Session
	sources     []*source.Source // in order of precedence: the first is read
	firstRecord string           // the agent and the first native id in it, which forks share
	seen        time.Time        // stands in for the start where that is not known

	parent   *Session
	children []*Session
	orphanOf string   // the id of the parent that is not there yet
	family   *Family  // the sessions that may repeat each other; nil where there is no other
	lineage  lineage  // where it stands in that
	folder   *project // in which it is listed; nil for a subagent
	name     string   // of its folder
	lostAt   time.Time

	Published Published
	live      bool         // it grows
	grown     time.Time    // when it last did
	counted   contribution // what of it is in the totals
}

// Published is what has been rendered of a session and can be read.
type Published struct {
	// Generation counts the renderings from the beginning, from 1; 0 means not
	// rendered.
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
	Stat  source.Stat `json:"stat"`
	Stamp string      `json:"stamp,omitempty"`
	Path  string      `json:"path"`
	// Repeats identifies the sessions whose records are left out in this one; 0
	// for none. IDs is the length in bytes of the list of native ids that this
	// one has recorded.
	Repeats uint64 `json:"repeats,omitempty"`
	IDs     int64  `json:"ids,omitempty"`
	// Whole reports that nothing is left out after all, because the session has
	// nothing else.
	Whole bool `json:"whole,omitempty"`
	// Strange reports that no record is one of the agent's.
	Strange bool `json:"strange,omitempty"`
	// Fault says why the session cannot be read; "" if it can.
	Fault string `json:"fault,omitempty"`
	// Denied reports that the fault is a missing permission: granting it changes
	// nothing that a stat compares.
	Denied bool `json:"denied,omitempty"`
	// Evicted reports that the cache had no room for it.
	Evicted bool `json:"evicted,omitempty"`
}

// View is what the catalogue knows of a session at one moment.
type View struct {
	Info      event.Session
	Published Published
	// Source is the one that is read, or nil.
	Source *source.Source
	// Fault says why the session could not be read; denied is set if a permission
	// is missing.
	Fault  string
	Denied bool
	// FirstRecord is the first native id in it.
	FirstRecord string
	// Name is that of its folder, parent the session that started it as a
	// subagent, subagents how many it has started itself.
	Name      string
	Parent    *Session
	Subagents int
	// ModTime is when it last changed; seen replaces its start if that is unknown.
	ModTime, Seen time.Time
	Live          bool // it grows
	Behind        bool // its source has more than was published
}

// View returns what is known about a session; there is false if it is no longer in
// the catalogue.
func (c *Catalogue) View(s *Session) (v View, there bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.viewOf(s), c.known.there(s)
}

// Each visits all sessions, in no particular order. The catalogue is locked
// meanwhile: visit must not call it.
func (c *Catalogue) Each(visit func(s *Session, v *View)) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, s := range c.known.byID {
		v := c.viewOf(s)
		visit(s, &v)
	}
}

// viewOf is view for a caller that holds the lock.
func (c *Catalogue) viewOf(s *Session) View {
	_, first, _ := strings.Cut(s.firstRecord, "\x00")
	v := View{
		Info: s.info, Published: s.Published, Source: s.Source(), Fault: s.Published.Fault, Denied: s.Published.Denied,
		FirstRecord: first, Name: s.name, Parent: s.parent, Subagents: len(s.children),
		ModTime: s.modTime(), Seen: s.seen, Live: s.live, Behind: s.behind(),
	}
	if v.Source != nil && v.Fault == "" && s.Published.Generation == 0 {
		if f := c.files[v.Source.Path]; f != nil {
			v.Fault, v.Denied = f.Fault, f.Denied // only its beginning was read
		}
	}
	return v
}

// there reports whether a session is in the catalogue. The caller holds the
// lock.
func (x *index) there(s *Session) bool { return x.byID[sessionKey{s.Agent, s.ID}] == s }

// Path returns the path of a session's folder in the provider's, or "".
func (c *Catalogue) Path(s *Session) string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return s.path()
}

// Subagents returns the names of the folders of the sessions that one has
// started, sorted.
func (c *Catalogue) Subagents(s *Session) []string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	names := make([]string, 0, len(s.children))
	for _, child := range s.children {
		names = append(names, child.name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Subagent returns the session that another one has started, by the name of its
// folder, or nil.
func (c *Catalogue) Subagent(s *Session, name string) *Session {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return s.child(name)
}

// NewestBelow returns when a session or one that it has started last changed.
func (c *Catalogue) NewestBelow(s *Session) time.Time {
	c.mu.RLock()
	defer c.mu.RUnlock()
	t := s.modTime()
	for _, child := range s.children {
		t = wording.Later(t, child.modTime())
	}
	return t
}

// Unready reports whether a session must be rendered before it can be read: one
// that is live is shown as far as it was rendered.
func (v *View) Unready() bool {
	return v.Behind && (!v.Live || v.Published.Generation == 0 || v.Published.Evicted)
}

// Failed reports whether the source, as it is, cannot be read.
func (v *View) Failed() bool { return v.Published.failed(v.Source) }

// Log returns the length of the log in bytes; false if the session is in a store.
func (v *View) Log() (size int64, ok bool) {
	if v.Source == nil || v.Source.Key != "" {
		return 0, false
	}
	return v.Source.Stat.Size, true
}

// LastTime returns when something last happened in the session: according to what
// was rendered, else according to its file.
func (v *View) LastTime() time.Time { return lastTime(v.Info.Last, v.Behind, v.ModTime) }

func lastTime(recorded time.Time, behind bool, modified time.Time) time.Time {
	if recorded.IsZero() || behind {
		return modified.Truncate(time.Second)
	}
	return recorded
}

// Date returns the day when the session began, as in the name of its folder.
func (v *View) Date() string { return dateOf(v.Info.Start, v.Seen) }

// Incarnation returns the version of the session's growing files.
func (v *View) Incarnation() uint64 {
	id := fs.BytesVersion([]byte(v.Info.Agent + "\x00" + v.Info.ID))
	if v.Published.Generation == 0 && v.Published.Fault != "" {
		return id // nothing, which is another text than what may be read later
	}
	// What has not been rendered will be the first generation.
	return id + uint64(max(v.Published.Generation, 1))
}

// Version returns the version of the files that are made from the session as a
// whole.
func (v *View) Version() uint64 {
	b := make([]byte, 0, 64)
	for _, n := range []uint64{v.Incarnation(), uint64(v.Published.Events), uint64(v.Published.Size), uint64(v.Info.TitleRank), uint64(v.ModTime.UnixNano()), uint64(v.Subagents)} {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	return fs.BytesVersion(b, []byte(v.Info.Title))
}

// Source returns the source that is read. The caller holds the lock, as with all
// that follows.
func (s *Session) Source() *source.Source {
	if len(s.sources) == 0 {
		return nil
	}
	return s.sources[0]
}

// failed reports whether src, in its present state, is the source that could not be
// read.
func (p *Published) failed(src *source.Source) bool {
	return src != nil && p.Fault != "" && p.Path == src.Path && p.Stamp == src.Stamp && p.Stat == src.Stat
}

// behind reports whether the source has more than was published.
func (s *Session) behind() bool {
	src, p := s.Source(), &s.Published
	if src == nil || p.failed(src) {
		return false
	}
	return p.Generation == 0 || p.Path != src.Path || p.Stamp != src.Stamp || src.Stamp == "" && p.Stat != src.Stat
}

// rank sorts the sources of a session: by the preference of the agent's table, then
// the newer one first, finally by path so that the order is always the same.
func (s *Session) rank() {
	slices.SortFunc(s.sources, func(a, b *source.Source) int {
		return cmp.Or(cmp.Compare(source.Rank(b.Format), source.Rank(a.Format)), cmp.Compare(b.Stat.ModTime, a.Stat.ModTime), cmp.Compare(a.Path, b.Path))
	})
}

// modTime returns when the session last changed.
func (s *Session) modTime() time.Time {
	if src := s.Source(); src != nil && src.Key == "" {
		return time.Unix(0, src.Stat.ModTime)
	}
	if !s.info.Last.IsZero() {
		return s.info.Last
	}
	return s.seen
}

func (s *Session) path() string {
	switch {
	case s.parent != nil:
		if up := s.parent.path(); up != "" {
			return up + "/" + Subagents + "/" + s.name
		}
	case s.folder != nil:
		return s.Agent + "/" + s.folder.name + "/" + s.name
	}
	return ""
}

// compact returns info with strings of its own: those from a reader are parts of
// whole records, which would stay in memory with them. A text that many sessions
// share is stored once.
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
