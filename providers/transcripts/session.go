package transcripts

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/event"
)

// session is one session of one agent, wherever it lies.
type session struct {
	agent string
	id    string

	work sync.Mutex // held by whoever renders it

	// What follows is guarded by the catalogue's lock.

	info    event.Session
	sources []*source // the one that counts is the first
	first   string    // the first native id in it: forks share it
	seen    time.Time // stands in for the start where that is not known

	parent   *session
	children []*session
	orphanOf string  // the id of the parent that it waits for
	family   *family // that may repeat it, or it them; nil where there is no other
	kin      kin
	folder   *project // in which it is listed; nil for a subagent
	name     string   // of its folder
	lostAt   time.Time

	shown   shown
	counted share // what of it is in the totals
}

// source is a place where a session lies.
type source struct {
	path   string
	format history.Format
	key    string // names the session in a store
	stamp  string // moves when the session does
	stat   stat
	birth  time.Time
}

// stat is what tells that a file is as it was.
type stat struct {
	Size    int64  `json:"size"`
	ModTime int64  `json:"mtime"` // in nanoseconds
	Inode   uint64 `json:"inode"`
}

// shown is what has been published of a session.
type shown struct {
	// Generation counts the renderings from the beginning, from 1; 0 means that
	// there is none.
	Generation uint32 `json:"generation"`
	// Size is that of the transcript in bytes, Events how many there are, Offset
	// how much of a log is in it, Results how many texts were folded out.
	Size    int64 `json:"size"`
	Events  int   `json:"events"`
	Offset  int64 `json:"offset"`
	Results int   `json:"results"`
	// Messages is the size of messages.jsonl; -1 where that was not made.
	Messages int64 `json:"messages"`
	// Kept is what all but messages.jsonl take in the cache, in bytes.
	Kept int64 `json:"kept"`
	// Stat and Stamp are those of the source when that was.
	Stat  stat   `json:"stat"`
	Stamp string `json:"stamp,omitempty"`
	Path  string `json:"path"`
	// Repeats names the sessions whose records are left out in this one; 0 for
	// none. IDs is how long the list of ids is that this one has noted, in bytes.
	Repeats uint64 `json:"repeats,omitempty"`
	IDs     int64  `json:"ids,omitempty"`
	// Whole says that nothing is left out all the same, because nothing else is
	// in it.
	Whole bool `json:"whole,omitempty"`
	// Strange says that none of the records is one of the agent's.
	Strange bool `json:"strange,omitempty"`
	// Fault says why the session cannot be read; "" if it can.
	Fault string `json:"fault,omitempty"`
	// Denied says that it is that permission is missing: what is given then
	// changes nothing that a stat compares.
	Denied bool `json:"denied,omitempty"`
	// Evicted says that there was no room for it in the cache.
	Evicted bool `json:"evicted,omitempty"`

	live  bool      // it grows
	grown time.Time // when it last did
}

// source returns the source that counts. The caller holds the lock.
func (s *session) source() *source {
	if len(s.sources) == 0 {
		return nil
	}
	return s.sources[0]
}

// failed tells whether the source, as it is, cannot be read. The caller holds
// the lock.
func (s *session) failed() bool {
	src := s.source()
	return src != nil && s.shown.Fault != "" && s.shown.Path == src.path && s.shown.Stamp == src.stamp && s.shown.Stat == src.stat
}

// behind tells whether the source has more than what is shown. The caller holds
// the lock.
func (s *session) behind() bool {
	src := s.source()
	if src == nil || s.failed() {
		return false
	}
	return s.shown.Generation == 0 || s.shown.Path != src.path || s.shown.Stamp != src.stamp || src.stamp == "" && s.shown.Stat != src.stat
}

// rank orders the sources of a session: what the agent's table prefers, then
// the newer, and at last by path so that the order is always the same.
func (s *session) rank() {
	slices.SortFunc(s.sources, func(a, b *source) int {
		return cmp.Or(cmp.Compare(rankOf(b.format), rankOf(a.format)), cmp.Compare(b.stat.ModTime, a.stat.ModTime), cmp.Compare(a.path, b.path))
	})
}

func rankOf(f history.Format) int {
	switch f := f.(type) {
	case history.Log:
		return f.Rank
	case history.Store:
		return f.Rank
	}
	return archiveRank
}

// modTime is when the session last changed. The caller holds the lock.
func (s *session) modTime() time.Time {
	if src := s.source(); src != nil && src.key == "" {
		return time.Unix(0, src.stat.ModTime)
	}
	if !s.info.Last.IsZero() {
		return s.info.Last
	}
	return s.seen
}

// path is that of the session's folder in the provider's, "" where it has none.
// The caller holds the lock.
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

// date is that of the session's folder name.
func (s *session) date() string {
	t := s.info.Start
	if t.IsZero() {
		t = s.seen
	}
	return t.UTC().Format(time.DateOnly)
}

// folderName is <date>_<title>_<id8>; the title is left out where there is none.
func (s *session) folderName() string {
	parts := []string{s.date()}
	if title := slug(s.info.Title, maxTitle); title != "" {
		parts = append(parts, title)
	}
	return strings.Join(append(parts, shortID(s.id)), "_")
}

// projectName is the name of the folder of a project: the way from the home
// folder, or from the root; else what the agent calls it.
func projectName(s *event.Session, home string) string {
	cwd := s.CWD
	if cwd == "" {
		if name := slug(s.Project, 100); name != "" {
			return fileName(name)
		}
		return unknownProject
	}
	if rel, ok := strings.CutPrefix(cwd, home+"/"); ok && home != "" {
		cwd = rel
	} else if cwd == home {
		return "home"
	}
	cwd = filepath.ToSlash(cwd)
	parts := strings.FieldsFunc(cwd, func(r rune) bool { return r == '/' || r == '\\' })
	for i, part := range parts {
		parts[i] = slug(part, 100)
	}
	if name := strings.Join(parts, "_"); name != "" {
		return fileName(name)
	}
	return "root"
}

const unknownProject = "unknown"
