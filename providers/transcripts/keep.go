package transcripts

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ctxfs/providers/internal/atomicfile"
	"ctxfs/providers/transcripts/event"
)

// keptName is the file in the cache folder with the list of sessions: one line
// for each file that sessions were found in. What another version of the program
// has kept is made again, like the books.
func keptName() string { return fmt.Sprintf("sessions.%d.jsonl", bookFormat) }

type keptFile struct {
	Path     string        `json:"path"`
	Agent    string        `json:"agent"`
	Stat     stat          `json:"stat"`
	Fault    string        `json:"fault,omitempty"`
	Note     string        `json:"note,omitempty"`
	Denied   bool          `json:"denied,omitempty"`
	Sessions []keptSession `json:"sessions"`
}

type keptSession struct {
	Info  event.Session `json:"info"`
	First string        `json:"first,omitempty"`
	Key   string        `json:"key,omitempty"`
	Stamp string        `json:"stamp,omitempty"`
	Birth time.Time     `json:"birth,omitzero"`
	Seen  time.Time     `json:"seen"`
	Name  string        `json:"name"`
	Shown *shown        `json:"shown,omitempty"` // with the first of its files
}

// keep writes the list of sessions, if it has changed since.
func (p *Provider) keep() {
	c := p.list
	c.mu.RLock()
	version := c.version
	if version == c.keptVersion {
		c.mu.RUnlock()
		return
	}
	files := slices.Collect(maps.Values(c.files))
	c.mu.RUnlock()
	err := atomicfile.WriteFrom(filepath.Join(p.opts.Cache, keptName()), func(w io.Writer) error {
		for some := range slices.Chunk(files, keptAtOnce) {
			for _, k := range p.kept(some) {
				line, err := json.Marshal(&k)
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
		p.setCacheFault(err)
		return
	}
	p.setCacheFault(nil)
	c.mu.Lock()
	c.keptVersion = version
	c.mu.Unlock()
}

// keptAtOnce is how many files are noted at a time: of a hundred thousand the list
// is many times as large as all else, and nobody else may wait for it.
const keptAtOnce = 500

// kept are the lines of some files.
func (p *Provider) kept(files []*file) []keptFile {
	c := p.list
	c.mu.RLock()
	all := make([]keptFile, 0, len(files))
	unsaved := make(map[*session]*shown)
	for _, f := range files {
		k := keptFile{Path: f.path, Agent: f.agent, Stat: f.stat, Fault: f.fault, Note: f.note, Denied: f.denied, Sessions: make([]keptSession, 0, len(f.sessions))}
		for _, s := range f.sessions {
			one := keptSession{Info: s.info, First: s.first, Seen: s.seen, Name: s.name}
			for _, src := range s.sources {
				if src.path == f.path {
					one.Key, one.Stamp, one.Birth = src.key, src.stamp, src.birth
				}
			}
			if s.source() != nil && s.source().path == f.path {
				copied := s.shown
				one.Shown, unsaved[s] = &copied, &copied
			}
			k.Sessions = append(k.Sessions, one)
		}
		all = append(all, k)
	}
	c.mu.RUnlock()
	for _, s := range p.unsaved() {
		if shown := unsaved[s]; shown != nil {
			shown.Path = "" // its state may never be written: who restores this looks
		}
	}
	return all
}

// restore reads the list of sessions as it was. Whether it still is so the scan
// will show.
func (p *Provider) restore() {
	f, err := os.Open(filepath.Join(p.opts.Cache, keptName()))
	if err != nil {
		return
	}
	defer f.Close()
	defer func() {
		p.list.regroup(slices.Collect(maps.Values(p.list.byID))) // the list may have ended early
		p.list.keptVersion = p.list.version
	}()
	in := json.NewDecoder(bufio.NewReaderSize(f, 1<<20))
	for in.More() {
		var k keptFile
		if in.Decode(&k) != nil {
			return // as far as it goes
		}
		one := &file{path: k.Path, agent: k.Agent, stat: k.Stat, fault: k.Fault, note: k.Note, denied: k.Denied, kept: true}
		var all []found
		for _, s := range k.Sessions {
			all = append(all, found{
				source: &source{path: k.Path, key: s.Key, stamp: s.Stamp, stat: k.Stat, birth: s.Birth},
				info:   s.Info, first: afterAgent(s.First), seen: s.Seen, name: s.Name,
			})
		}
		_, sessions := p.list.put(one, all, earliest(time.Unix(0, k.Stat.ModTime), p.opts.Env.Now()))
		for i, s := range sessions {
			if i < len(k.Sessions) && k.Sessions[i].Shown != nil {
				s.shown = *k.Sessions[i].Shown
				if s.shown.Path == k.Path {
					s.shown.Path = k.Path // the same text, which is long, once
				}
				p.list.count(s)
			}
		}
	}
}
