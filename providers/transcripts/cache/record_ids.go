package cache

import (
	"errors"
	"io"
	iofs "io/fs"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"ctxfs/providers/transcripts/catalogue"
)

// noted are the native ids that the sessions of one family have noted: by them a
// fork finds what it repeats, at a cost that does not depend on how many sessions
// there are. Each is read once from the book of its session. All of it can be
// thrown away at any time; who uses it goes on with what he has.
type recordIDs struct {
	used        atomic.Bool  // since it was last looked whether it can be thrown away
	live, stale atomic.Int64 // how many ids there are of sessions as they are, and of others

	mu       sync.RWMutex
	by       map[uint64]int32   // the number of a session that has noted an id
	more     map[uint64][]int32 // the numbers of others that have, too
	of       map[*catalogue.Session]loadedIDs
	sessions []*catalogue.Session // by number; nil where it was rendered anew since
}

// loadedIDs is what was read of one session.
type loadedIDs struct {
	number     int32
	generation uint32
	size       int64 // in bytes
}

// maxStale is how many ids of sessions as they were are not worth a thought.
const maxStale = 1000

func newRecordIDs() *recordIDs {
	return &recordIDs{by: make(map[uint64]int32), more: make(map[uint64][]int32), of: make(map[*catalogue.Session]loadedIDs)}
}

// familyIDs are the recordIDs of the families whose sessions were rendered last.
type familyIDs struct {
	mu sync.Mutex
	of map[*catalogue.Family]*recordIDs
}

// get returns the ids of a family; it begins anew when most of them are those of
// sessions that were rendered again since.
func (ids *familyIDs) get(f *catalogue.Family) *recordIDs {
	ids.mu.Lock()
	defer ids.mu.Unlock()
	n := ids.of[f]
	if n == nil || n.stale.Load() > maxStale && n.stale.Load() > n.live.Load() {
		n = newRecordIDs()
		ids.of[f] = n
	}
	n.used.Store(true)
	return n
}

// DropUnusedIDs drops the ids of families in which nothing was rendered since it
// was last called.
func (c *Cache) DropUnusedIDs() {
	ids := &c.recordIDs
	ids.mu.Lock()
	defer ids.mu.Unlock()
	for f, n := range ids.of {
		if !n.used.Swap(false) {
			delete(ids.of, f)
		}
	}
}

// loadIDs reads what is new of the ids of the sessions that are repeated. It
// returns the first one whose entry is not there, if any: that has to be made, and
// then this called again.
func (c *Cache) loadIDs(in *inherited) (missing *catalogue.Session, err error) {
	type news struct {
		s   *catalogue.Session
		now loadedIDs
	}
	var all []news
	n := in.ids
	n.mu.RLock()
	c.Catalogue.EachEarlier(in.Earlier, func(o *catalogue.Session, p *catalogue.Published, behind bool) {
		now := loadedIDs{generation: p.Generation, size: p.IDs}
		if p.Whole {
			now.size = 0 // a copy has no id that the others have not
		}
		if was, ok := n.of[o]; !ok && now.size > 0 || ok && (was.generation < now.generation || was.size < now.size) {
			all = append(all, news{o, now})
		} else if missing == nil && now.generation == 0 && behind {
			missing = o
		}
	})
	n.mu.RUnlock()
	for _, one := range all {
		err := n.read(one.s, one.now, c.path(one.s, idsFileName(one.now.generation)))
		if errors.Is(err, iofs.ErrNotExist) || errors.Is(err, io.EOF) {
			return one.s, nil
		} else if err != nil {
			return nil, err
		}
	}
	return missing, nil
}

// read reads what is new of a session.
func (n *recordIDs) read(s *catalogue.Session, now loadedIDs, path string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	was, ok := n.of[s]
	if ok && was.generation > now.generation {
		return nil
	}
	fresh := !ok || was.generation < now.generation
	from := was.size
	if fresh {
		from = 0
	}
	var text []byte
	if now.size > from {
		var err error
		if text, err = readPart(path, from, now.size); err != nil {
			return err
		}
	}
	if fresh {
		if ok {
			n.sessions[was.number] = nil
			n.live.Add(-was.size / idSize)
			n.stale.Add(was.size / idSize)
		}
		now.number = int32(len(n.sessions))
		n.sessions = append(n.sessions, s)
	} else {
		now.number, now.size = was.number, max(now.size, was.size)
	}
	for id := range idsIn(text) {
		n.add(id, now.number)
	}
	n.live.Add((now.size - from) / idSize)
	n.of[s] = now
	return nil
}

func (n *recordIDs) add(id uint64, number int32) {
	first, ok := n.by[id]
	switch {
	case !ok || n.sessions[first] == nil:
		n.by[id] = number
	case first != number && !slices.Contains(n.more[id], number):
		n.more[id] = append(n.more[id], number)
	}
}

// teller is the nearest of the sessions that have noted an id and are repeated;
// nil if there is none.
func (n *recordIDs) teller(id uint64, e *catalogue.Earlier) (nearest *catalogue.Session) {
	n.mu.RLock()
	defer n.mu.RUnlock()
	number, ok := n.by[id]
	if !ok {
		return nil
	}
	best := 0
	consider := func(o *catalogue.Session) {
		if o == nil {
			return
		}
		if distance, ok := e.Distance(o); ok && (nearest == nil || distance < best) {
			nearest, best = o, distance
		}
	}
	consider(n.sessions[number])
	for _, number := range n.more[id] {
		consider(n.sessions[number])
	}
	return nearest
}

// inherited are the records that a session leaves out because earlier ones tell
// them. Without earlier there are none.
type inherited struct {
	*catalogue.Earlier
	ids *recordIDs
}

// sum identifies the sessions that tell them; 0 for none.
func (in *inherited) sum() uint64 {
	if in.Earlier == nil {
		return 0
	}
	return in.Earlier.Sum
}

// teller returns the id of the session that tells the record with a native id.
func (in *inherited) teller(id string) (session string, ok bool) {
	o := in.ids.teller(HashID(id), in.Earlier)
	if o == nil {
		return "", false
	}
	return o.Id, true
}

// readPart reads a file from an offset to another.
func readPart(path string, from, to int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text := make([]byte, to-from)
	_, err = f.ReadAt(text, from)
	return text, err
}
