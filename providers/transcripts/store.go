package transcripts

import (
	"bufio"
	"encoding/json"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"ctxfs/providers/internal/atomicfile"
	"ctxfs/providers/transcripts/event"
)

// savedFile is a line of the saved list: one file with the sessions that were
// found in it.
type savedFile struct {
	Path     string         `json:"path"`
	Agent    string         `json:"agent"`
	Stat     stat           `json:"stat"`
	Fault    string         `json:"fault,omitempty"`
	Note     string         `json:"note,omitempty"`
	Denied   bool           `json:"denied,omitempty"`
	Sessions []savedSession `json:"sessions"`
}

type savedSession struct {
	Info        event.Session `json:"info"`
	FirstRecord string        `json:"first,omitempty"`
	Key         string        `json:"key,omitempty"`
	Stamp       string        `json:"stamp,omitempty"`
	Birth       time.Time     `json:"birth,omitzero"`
	Seen        time.Time     `json:"seen"`
	Name        string        `json:"name"`
	Published   *published    `json:"shown,omitempty"` // with the first of its files
}

// Save writes the list of sessions to a file, if it has changed since. The state
// of the sessions that unsaved returns may never be written: whoever restores
// them looks at them again. It reports whether the list was written.
func (c *catalogue) save(path string, unsaved func() []*session) (written bool, err error) {
	c.mu.RLock()
	version := c.version
	if version == c.saved {
		c.mu.RUnlock()
		return false, nil
	}
	files := slices.Collect(maps.Values(c.files))
	c.mu.RUnlock()
	err = atomicfile.WriteFrom(path, func(w io.Writer) error {
		for some := range slices.Chunk(files, savedAtOnce) {
			for _, saved := range c.saveFiles(some, unsaved) {
				line, err := json.Marshal(&saved)
				if err != nil {
					continue // a time that JSON does not have: it is found anew
				}
				if _, err := w.Write(append(line, '\n')); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	c.mu.Lock()
	c.saved = version
	c.mu.Unlock()
	return true, nil
}

// saveAgain has the next call of save write the list even if nothing has
// changed.
func (c *catalogue) saveAgain() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.saved = 0
}

// savedAtOnce is how many files are written at a time: the list of a hundred
// thousand is many times as large as everything else in memory, and nobody may
// wait for the lock that long.
const savedAtOnce = 500

// saveFiles returns the lines of some files.
func (c *catalogue) saveFiles(files []*file, unsaved func() []*session) []savedFile {
	c.mu.RLock()
	all := make([]savedFile, 0, len(files))
	of := make(map[*session]*published)
	for _, f := range files {
		line := savedFile{Path: f.path, Agent: f.agent, Stat: f.stat, Fault: f.fault, Note: f.note, Denied: f.denied, Sessions: make([]savedSession, 0, len(f.sessions))}
		for _, s := range f.sessions {
			one := savedSession{Info: s.info, FirstRecord: s.firstRecord, Seen: s.seen, Name: s.name}
			for _, src := range s.sources {
				if src.path == f.path {
					one.Key, one.Stamp, one.Birth = src.key, src.stamp, src.birth
				}
			}
			if s.source() != nil && s.source().path == f.path {
				copied := s.published
				one.Published, of[s] = &copied, &copied
			}
			line.Sessions = append(line.Sessions, one)
		}
		all = append(all, line)
	}
	c.mu.RUnlock()
	for _, s := range unsaved() {
		if p := of[s]; p != nil {
			p.Path = ""
		}
	}
	return all
}

// restore reads the list of sessions as it was saved, as far as the file can be
// read. Whether it is still so the next scan shows.
func (c *catalogue) restore(path string, now time.Time) {
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.regroup(slices.Collect(maps.Values(c.byID))) // the list may have ended early
		c.saved = c.version
	}()
	in := json.NewDecoder(bufio.NewReaderSize(f, 1<<20))
	for in.More() {
		var line savedFile
		if in.Decode(&line) != nil {
			return
		}
		c.restoreFile(&line, now)
	}
}

func (c *catalogue) restoreFile(line *savedFile, now time.Time) {
	one := &file{path: line.Path, agent: line.Agent, stat: line.Stat, fault: line.Fault, note: line.Note, denied: line.Denied, restored: true}
	var all []found
	for _, s := range line.Sessions {
		_, first, _ := strings.Cut(s.FirstRecord, "\x00")
		all = append(all, found{
			source: &source{path: line.Path, key: s.Key, stamp: s.Stamp, stat: line.Stat, birth: s.Birth},
			info:   s.Info, firstRecord: first, seen: s.Seen, name: s.Name,
		})
	}
	_, sessions := c.put(one, all, earliest(time.Unix(0, line.Stat.ModTime), now))
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, s := range sessions {
		if i < len(line.Sessions) && line.Sessions[i].Published != nil {
			s.published = *line.Sessions[i].Published
			if s.published.Path == line.Path {
				s.published.Path = line.Path // the same text, which is long, once
			}
			c.count(s)
		}
	}
}
