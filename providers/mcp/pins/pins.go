// Package pins keeps the definition of each tool as it was first shown, and
// reports what has changed since.
//
// A tool's definition is what an agent acts upon, and its server can change it at
// any time. So it is pinned: stored in the state folder, where it outlives the
// cache, restarts and the tool's absence (file.go). A tool whose definition has
// changed since has drifted (drift.go): it has a file tools/<tool>.diff and a line
// in STATUS.md (report.go), until the user accepts the definition ([Store.Accept])
// or the server reverts it. Meanwhile the tool can be called.
//
// Definitions are compared by their value, not by the text that is shown of them,
// so another order of keys or a newer ctxfs does not count as a change.
package pins

import (
	"encoding/json"
	"maps"
	"os"
	"time"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/rawjson"
	"ctxfs/providers/mcp/catalogue"
)

// State is what is known about the pins of one server, as shown by STATUS.md and
// the files beside the tools. The pinned definitions themselves are in memory only
// if they could not be saved. The zero value is that of a server without pins.
type State struct {
	pinned   map[toolKey]pin
	drifts   []drift
	accepted time.Time // when the user last accepted a change
	// fault says why a file of pins cannot be read, and damaged names those
	// files: until the user has accepted what is shown, nothing is pinned.
	fault   string
	damaged []string
	stale   bool   // a file was written with another rendering
	unsaved string // why the pins could not be saved
	left    int    // tools that are not pinned, because there are too many pins
}

// toolKey names a tool. Tools with the same name, which a server should not have,
// are numbered.
type toolKey struct {
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
// the pins of a server take up to maxSize bytes, each counted with pinSize more.
const (
	maxSize = 16 << 20
	pinSize = 256
)

func (s *State) size() (n int) {
	for tool, p := range s.pinned {
		n += len(tool.name) + len(p.definition) + pinSize
	}
	return n
}

// toolKeys returns the keys of the tools of a snapshot, in its order.
func toolKeys(s *catalogue.Snapshot) []toolKey {
	if s == nil {
		return nil
	}
	items := s.Tools()
	keys, count := make([]toolKey, len(items)), make(map[string]int, len(items))
	for i, t := range items {
		keys[i] = toolKey{t.Name, count[t.Name]}
		count[t.Name]++
	}
	return keys
}

// lacks reports whether a tool of a snapshot is not pinned.
func (s *State) lacks(shown *catalogue.Snapshot) bool {
	for _, tool := range toolKeys(shown) {
		if _, ok := s.pinned[tool]; !ok {
			return true
		}
	}
	return false
}

// add pins the tools of a snapshot that are not pinned, as far as there is room.
func (s *State) add(shown *catalogue.Snapshot, now time.Time) {
	s.left = 0
	size := s.size()
	for i, key := range toolKeys(shown) {
		if _, ok := s.pinned[key]; ok {
			continue
		}
		item := shown.Tools()[i]
		p := pin{now, item.Sum, item.Definition()}
		more := len(key.name) + len(p.definition) + pinSize
		if size+more > maxSize {
			s.left++
			continue
		}
		size += more
		s.pinned[key] = p
	}
}

// release drops the pinned definitions that can be read again.
func (s *State) release() State {
	if s.unsaved == "" {
		s.pinned = nil
	}
	return *s
}

// Load returns the state of a server whose snapshot is shown. It pins nothing.
func (p Store) Load(keys []catalogue.Key, shown *catalogue.Snapshot) State {
	s := p.read(keys, false)
	s.drifts = p.findDrifts(keys, s, shown)
	return s.release()
}

// Pin pins the unpinned tools of both snapshots, and returns the new state, whose
// drifts are those of shown. The snapshot before is that of the cache: its
// definitions were seen first. Known is the state until now. After an error the
// pins are in memory only.
func (p Store) Pin(known State, keys []catalogue.Key, before, shown *catalogue.Snapshot, now time.Time) (State, error) {
	var err error
	s := p.readWith(&known, keys, false)
	if s.fault == "" && (s.unsaved != "" || s.stale || s.lacks(before) || s.lacks(shown)) {
		if s = p.readWith(&known, keys, true); s.fault == "" { // a definition may be damaged, too
			s.add(before, now)
			s.add(shown, now)
			err = p.save(keys[0], s)
		}
	}
	s.drifts = p.findDrifts(keys, s, shown)
	return s.release(), err
}

// UnreadableError reports that the file of a server's pins cannot be read, so
// that single tools cannot be accepted.
type UnreadableError struct{ Reason string }

func (e *UnreadableError) Error() string { return e.Reason }

// Accept pins the definitions of tools as they are shown, and returns the new
// state and the tools whose pinned definition was another one, or none, in their
// order. Chosen holds the file names of the tools; nil accepts all, which also
// replaces a file that cannot be read, and forgets tools that are gone where
// there are too many pins. Errors are [*UnreadableError] and those of the file
// system; the state is then known.
func (p Store) Accept(known State, keys []catalogue.Key, shown *catalogue.Snapshot, chosen map[string]bool, now time.Time) (State, []catalogue.Item, error) {
	s := p.readWith(&known, keys, true)
	if s.fault != "" && chosen != nil {
		return known, nil, &UnreadableError{s.fault}
	}
	forget := chosen == nil && known.left > 0
	if forget {
		shows := make(map[toolKey]bool)
		for _, key := range toolKeys(shown) {
			shows[key] = true
		}
		maps.DeleteFunc(s.pinned, func(key toolKey, _ pin) bool { return !shows[key] })
	}
	drifted := make(map[string]bool)
	for _, d := range p.findDrifts(keys, s, shown) {
		drifted[d.tool.File] = true
	}
	var accepted []catalogue.Item
	for i, key := range toolKeys(shown) {
		tool := shown.Tools()[i]
		_, pinned := s.pinned[key]
		if chosen != nil && !chosen[tool.File] || pinned && !drifted[tool.File] {
			continue
		}
		delete(s.pinned, key)
		accepted = append(accepted, tool)
	}
	if len(accepted) == 0 && !forget && s.fault == "" {
		return known, nil, nil
	}
	damaged := s.damaged
	s.fault, s.damaged, s.accepted = "", nil, now
	s.add(shown, now)
	if err := p.save(keys[0], s); err != nil {
		return known, nil, err
	}
	for _, path := range damaged { // that of another source would stay
		if path != p.path(keys[0]) {
			if err := os.Remove(path); err != nil {
				return known, accepted, err
			}
		}
	}
	s.drifts = p.findDrifts(keys, s, shown)
	return s.release(), accepted, nil
}

// readWith reads the pins of a server, together with those known that could not
// be saved.
func (p Store) readWith(known *State, keys []catalogue.Key, whole bool) *State {
	s := p.read(keys, whole)
	for tool, one := range known.pinned {
		if _, ok := s.pinned[tool]; !ok {
			s.pinned[tool] = one
		}
	}
	s.unsaved = known.unsaved
	return s
}

// save writes pins that have their definitions.
func (p Store) save(k catalogue.Key, s *State) error {
	err := p.write(k, s)
	s.unsaved = ""
	if err != nil {
		s.unsaved = clean.Line(err.Error())
	}
	return err
}
