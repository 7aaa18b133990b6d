package cache

import (
	"encoding/binary"
	"errors"
	"io"
	iofs "io/fs"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"ctxfs/fs"
	"ctxfs/providers/transcripts/catalogue"
	"ctxfs/providers/transcripts/source"
)

// idSize is the size in bytes of a native id on disk: a hash of 64 bits and the
// number of its event, both little endian.
const idSize = 12

// HashID returns the FNV-1a hash of an id.
func HashID(id string) uint64 { return fs.BytesVersion([]byte(id)) }

func appendID(dst []byte, hash uint64, seq uint32) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, hash)
	return binary.LittleEndian.AppendUint32(dst, seq)
}

func (b *Entry) readIDs() (map[uint64]uint32, error) {
	ids := make(map[uint64]uint32, b.IDs/idSize)
	text, err := readPart(filepath.Join(b.dir, idsFileName(b.Generation)), 0, b.IDs)
	maps.Insert(ids, idsIn(text))
	return ids, err
}

// idsIn returns the hashes and numbers in an encoded list of ids.
func idsIn(text []byte) iter.Seq2[uint64, uint32] {
	return func(yield func(uint64, uint32) bool) {
		for ; len(text) >= idSize; text = text[idSize:] {
			if !yield(binary.LittleEndian.Uint64(text), binary.LittleEndian.Uint32(text[8:])) {
				return
			}
		}
	}
}

// readSums reads the hashes of a store's events.
func (b *Entry) readSums() ([]uint64, error) {
	text, err := readPart(filepath.Join(b.dir, sumsFileName(b.Generation)), 0, b.Sums)
	sums := make([]uint64, 0, len(text)/8)
	for ; len(text) >= 8; text = text[8:] {
		sums = append(sums, binary.LittleEndian.Uint64(text))
	}
	return sums, err
}

// recordIDs are the native ids that the sessions of one family have recorded: a
// fork uses them to find what it repeats, at a cost that does not depend on the
// number of sessions. Each is read once from the entry of its session. They can be
// dropped at any time; their users keep what they have.
type recordIDs struct {
	used        atomic.Bool  // since DropUnusedIDs was last called
	live, stale atomic.Int64 // the numbers of ids of current generations, and of earlier ones

	mu       sync.RWMutex
	by       map[uint64]int32   // by id, the number of a session that has recorded it
	more     map[uint64][]int32 // by id, the numbers of the other sessions that have
	of       map[*catalogue.Session]loadedIDs
	sessions []*catalogue.Session // by number; nil where it has another generation by now
}

// loadedIDs is what was read of one session.
type loadedIDs struct {
	number     int32
	generation uint32
	size       int64 // in bytes
}

// maxStale is the number of stale ids that is always tolerated.
const maxStale = 1000

func newRecordIDs() *recordIDs {
	return &recordIDs{by: make(map[uint64]int32), more: make(map[uint64][]int32), of: make(map[*catalogue.Session]loadedIDs)}
}

// familyIDs are the recordIDs of the families whose sessions were rendered last.
type familyIDs struct {
	mu sync.Mutex
	of map[*catalogue.Family]*recordIDs
}

// get returns the ids of a family, without any if most of those known are stale.
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

// DropUnusedIDs drops the ids of families without any rendering since it was last
// called.
func (c *Cache) DropUnusedIDs() {
	ids := &c.recordIDs
	ids.mu.Lock()
	defer ids.mu.Unlock()
	maps.DeleteFunc(ids.of, func(_ *catalogue.Family, n *recordIDs) bool { return !n.used.Swap(false) })
}

// loadIDs reads the new ids of the sessions that are repeated. It returns the first
// session without an entry, if any: the caller makes that entry and calls loadIDs
// again.
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
	text, err := readPart(path, from, now.size)
	if err != nil {
		return err
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

// nearestWith returns the nearest of the repeated sessions that have recorded an id,
// or nil.
func (n *recordIDs) nearestWith(id uint64, e *catalogue.Earlier) (nearest *catalogue.Session) {
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

// inherited are the records that a session leaves out because earlier ones have
// them. If Earlier is nil it repeats no session.
type inherited struct {
	*catalogue.Earlier
	ids *recordIDs
}

// sum identifies the sessions that have them; 0 for none.
func (in *inherited) sum() uint64 {
	if in.Earlier == nil {
		return 0
	}
	return in.Earlier.Sum
}

// teller returns the id of the session that has the record with a native id.
func (in *inherited) teller(id string) (session string, ok bool) {
	o := in.ids.nearestWith(HashID(id), in.Earlier)
	if o == nil {
		return "", false
	}
	return o.ID, true
}

// readPart reads a part of a file; an empty one of a file that need not exist.
func readPart(path string, from, to int64) ([]byte, error) {
	if to <= from {
		return nil, nil
	}
	text := make([]byte, to-from)
	_, err := source.ReadAt(path, text, from)
	return text, err
}
