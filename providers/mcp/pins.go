package mcp

import (
	"bytes"
	"encoding/json"
	"time"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/rawjson"
	"ctxfs/providers/mcp/config"
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
	for key, one := range p.of {
		n += len(key.name) + len(one.definition) + pinSize
	}
	return n
}

// definition is the tool as its server defined it, of what is shown of it: an
// object of the protocol's names, without spaces.
func (i item) definition() json.RawMessage {
	o, err := rawjson.ParseObject(i.body)
	if err != nil {
		return json.RawMessage("{}") // it cannot be: the body was made here
	}
	for j := range o {
		for _, n := range toolShape.first {
			if o[j].Name == n.shown {
				o[j].Name = n.is
				break
			}
		}
	}
	text, err := o.Append(nil)
	var compact bytes.Buffer
	if err != nil || json.Compact(&compact, text) != nil {
		return json.RawMessage("{}")
	}
	return compact.Bytes()
}

// defined is the item of a definition that was pinned, as it would be shown now.
func defined(definition json.RawMessage) (i item) {
	o, err := rawjson.ParseObject(definition)
	if err == nil {
		i.body, err = toolShape.render(o)
	}
	if err != nil {
		i.body = []byte("{}\n")
	}
	return i
}

// pinKeys are those of the tools of a snapshot, in their order.
func (s *snapshot) pinKeys() []pinKey {
	if s == nil {
		return nil
	}
	items := s.sections[toolFolder].items
	keys, count := make([]pinKey, len(items)), make(map[string]int, len(items))
	for i, t := range items {
		keys[i] = pinKey{t.name, count[t.name]}
		count[t.name]++
	}
	return keys
}

// lacks tells whether a tool of a snapshot is not pinned.
func (p *pins) lacks(s *snapshot) bool {
	for _, key := range s.pinKeys() {
		if _, ok := p.of[key]; !ok {
			return true
		}
	}
	return false
}

// add pins the tools of a snapshot that are not pinned, as far as there is room.
func (p *pins) add(s *snapshot, now time.Time) {
	p.left = 0
	size := p.size()
	for i, key := range s.pinKeys() {
		if _, ok := p.of[key]; ok {
			continue
		}
		one := s.sections[toolFolder].items[i].pin(now)
		size += len(key.name) + len(one.definition) + pinSize
		if size > pinsLimit {
			p.left++
			size -= len(key.name) + len(one.definition) + pinSize
			continue
		}
		p.of[key] = one
	}
}

func (i item) pin(now time.Time) pin { return pin{now, i.sum, i.definition()} }

// rest is what stays in memory of pins that have been used.
func (p *pins) rest() *pins {
	if p.unsaved == "" {
		p.of = nil
	}
	return p
}

// also reads the pins of a server, together with those known that could not be
// saved.
func (p pinStore) also(known *pins, d *config.Server, whole bool) *pins {
	all := p.read(d, whole)
	for key, one := range known.of {
		if _, ok := all.of[key]; !ok {
			all.of[key] = one
		}
	}
	all.unsaved = known.unsaved
	return all
}

// save writes pins that have their definitions.
func (p pinStore) save(d *config.Server, all *pins) error {
	err := p.write(d, all)
	all.unsaved = ""
	if err != nil {
		all.unsaved = clean.Line(err.Error())
	}
	return err
}

// pin pins what is shown of a server and was not before, and tells the drifts.
// The snapshot before is of the cache: it was seen first. It is called with
// s.pinning held.
func (s *server) pin(d *config.Server, before, shown *snapshot) (*pins, []drift) {
	store := s.p.pins
	s.mu.Lock()
	known := s.pins
	s.mu.Unlock()
	if store.dir == "" {
		return &known, nil
	}
	all := store.also(&known, d, false)
	if all.fault == "" && (all.unsaved != "" || all.stale || all.lacks(before) || all.lacks(shown)) {
		now := s.p.env.Now().UTC()
		if all = store.also(&known, d, true); all.fault == "" { // a definition may be damaged, too
			all.add(before, now)
			all.add(shown, now)
			if err := store.save(d, all); err != nil {
				s.p.env.Log.Warn("pinned definitions cannot be saved", "server", d.Name, "err", err)
			}
		}
	}
	return all, store.drifts(d, all, shown)
}

// setPins changes what is pinned. It is called by update.
func (s *server) setPins(all *pins, drifts []drift) {
	s.pinsChanged = s.pinsChanged || !sameDrifts(s.drifts, drifts)
	s.pins, s.drifts = *all.rest(), drifts
}
