package catalogue

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
	"ctxfs/providers/transcripts/source"
)

// savedFile is a line of the saved list: one file with the sessions that were
// found in it.
type savedFile struct {
	Path     string         `json:"path"`
	Agent    string         `json:"agent"`
	Stat     source.Stat    `json:"stat"`
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
	Published   *Published    `json:"shown,omitempty"` // with the first of its files
}

// Save writes the list of sessions to a file, if it has changed since. The sessions
// that unsaved returns are saved without their state, so that they are rendered
// again when they are restored. It reports whether the list was written.
func (c *Catalogue) Save(path string, unsaved func() []*Session) (written bool, err error) {
	c.mu.RLock()
	version := c.tree.version
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
					continue // a time that JSON does not have: it is found again
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

// SaveAgain makes the next call of Save write the list even if nothing has changed.
func (c *Catalogue) SaveAgain() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.saved = 0
}

// savedAtOnce is how many files are written at a time: the list of a hundred
// thousand is many times as large as everything else in memory, and other users may
// not wait for the lock that long.
const savedAtOnce = 500

// saveFiles returns the lines of some files.
func (c *Catalogue) saveFiles(files []*File, unsaved func() []*Session) []savedFile {
	c.mu.RLock()
	all := make([]savedFile, 0, len(files))
	of := make(map[*Session]*Published)
	for _, f := range files {
		line := savedFile{Path: f.Path, Agent: f.Agent, Stat: f.Stat, Fault: f.Fault, Note: f.Note, Denied: f.Denied, Sessions: make([]savedSession, 0, len(f.Sessions))}
		for _, s := range f.Sessions {
			one := savedSession{Info: s.info, FirstRecord: s.firstRecord, Seen: s.seen, Name: s.name}
			for _, src := range s.sources {
				if src.Path == f.Path {
					one.Key, one.Stamp, one.Birth = src.Key, src.Stamp, src.Birth
				}
			}
			if s.Source() != nil && s.Source().Path == f.Path {
				copied := s.Published
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

// Restore reads the list of sessions as it was saved, as far as the file can be
// read. The next scan checks whether it is still right.
func (c *Catalogue) Restore(path string, now time.Time) {
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.markRegrouped(slices.Collect(maps.Values(c.known.byID))) // the list may have ended early
		c.saved = c.tree.version
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

func (c *Catalogue) restoreFile(line *savedFile, now time.Time) {
	one := &File{Path: line.Path, Agent: line.Agent, Stat: line.Stat, Fault: line.Fault, Note: line.Note, Denied: line.Denied, restored: true}
	var all []Found
	for _, s := range line.Sessions {
		_, first, _ := strings.Cut(s.FirstRecord, "\x00")
		all = append(all, Found{
			Source: &source.Source{Path: line.Path, Key: s.Key, Stamp: s.Stamp, Stat: line.Stat, Birth: s.Birth},
			Info:   s.Info, FirstRecord: first, seen: s.Seen, name: s.Name,
		})
	}
	_, sessions := c.Put(one, all, earliest(time.Unix(0, line.Stat.ModTime), now))
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, s := range sessions {
		if i < len(line.Sessions) && line.Sessions[i].Published != nil {
			s.Published = *line.Sessions[i].Published
			if s.Published.Path == line.Path {
				s.Published.Path = line.Path // the same text, which is long, once
			}
			c.count(s)
		}
	}
}
