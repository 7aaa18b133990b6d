package mcp

import (
	"encoding/json"
	"time"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/rawjson"
	"ctxfs/providers/mcp/catalogue"
)

// A tool's definition is what an agent acts upon, and its server can change it
// at any time. So the definition of each tool is pinned as it was first shown:
// it is kept in the state folder and outlives the cache, restarts and the
// tool's absence. A tool whose definition is another one now has a drift: a
// file tools/<tool>.diff, and a line in STATUS.md, until the user accepts it
// (Accept) or the server takes it back. It can be called all the while.
//
// Definitions are compared by their value, not by the text that is shown of
// them, so that no other order of keys and no newer ctxfs makes a change.

// pins are the pinned definitions of one server. In memory there is only what
// is told of them: the rest is read when it is needed.
type pins struct {
	of       map[pinKey]pin
	accepted time.Time // when the user last accepted a change
	// fault says why a file of pins cannot be read, and damaged names those:
	// until the user has accepted what is shown, nothing is pinned.
	fault   string
	damaged []string
	stale   bool   // a file is of another rendering
	unsaved string // why the pins could not be saved; then they are in memory, whole
	left    int    // tools that are not pinned, because there are too many pins
}

// pinKey names a tool. Of tools of one name, which a server should not have,
// each has a number.
type pinKey struct {
	name string
	nth  int // 0 is the first
}

// pin is one pinned definition.
type pin struct {
	time       time.Time // when it was pinned
	sum        rawjson.Fingerprint
	definition json.RawMessage // nil where only the header of the file was read
}

// A server cannot fill the disk or the memory with tools under ever new names:
// pins take up to pinsLimit bytes, each counted with pinSize more.
const (
	pinsLimit = 16 << 20
	pinSize   = 256
)

func (p *pins) size() (n int) {
	for tool, one := range p.of {
		n += len(tool.name) + len(one.definition) + pinSize
	}
	return n
}

// pinKeys are those of the tools of a snapshot, in their order.
func pinKeys(s *catalogue.Snapshot) []pinKey {
	if s == nil {
		return nil
	}
	items := s.Tools()
	keys, count := make([]pinKey, len(items)), make(map[string]int, len(items))
	for i, t := range items {
		keys[i] = pinKey{t.Name, count[t.Name]}
		count[t.Name]++
	}
	return keys
}

// lacks tells whether a tool of a snapshot is not pinned.
func (p *pins) lacks(s *catalogue.Snapshot) bool {
	for _, tool := range pinKeys(s) {
		if _, ok := p.of[tool]; !ok {
			return true
		}
	}
	return false
}

// add pins the tools of a snapshot that are not pinned, as far as there is room.
func (p *pins) add(s *catalogue.Snapshot, now time.Time) {
	p.left = 0
	size := p.size()
	for i, key := range pinKeys(s) {
		if _, ok := p.of[key]; ok {
			continue
		}
		one := newPin(s.Tools()[i], now)
		size += len(key.name) + len(one.definition) + pinSize
		if size > pinsLimit {
			p.left++
			size -= len(key.name) + len(one.definition) + pinSize
			continue
		}
		p.of[key] = one
	}
}

func newPin(i catalogue.Item, now time.Time) pin { return pin{now, i.Sum, i.Definition()} }

// rest is what stays in memory of pins that have been used.
func (p *pins) rest() *pins {
	if p.unsaved == "" {
		p.of = nil
	}
	return p
}

// also reads the pins of a server, together with those known that could not be
// saved.
func (p pinStore) also(known *pins, keys []catalogue.Key, whole bool) *pins {
	all := p.read(keys, whole)
	for tool, one := range known.of {
		if _, ok := all.of[tool]; !ok {
			all.of[tool] = one
		}
	}
	all.unsaved = known.unsaved
	return all
}

// save writes pins that have their definitions.
func (p pinStore) save(k catalogue.Key, all *pins) error {
	err := p.write(k, all)
	all.unsaved = ""
	if err != nil {
		all.unsaved = clean.Line(err.Error())
	}
	return err
}

// drift is a tool whose definition is another one than was pinned.
type drift struct {
	tool    catalogue.Item
	pinned  time.Time
	before  json.RawMessage // the pinned definition
	members []string        // what of it differs, by the names that are shown; of those only that are told
	diff    []byte          // the difference of what is shown
}

// driftsTold is how many drifts are told one by one.
const driftsTold = 5
