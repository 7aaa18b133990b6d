package transcripts

import (
	"errors"
	"io"
	iofs "io/fs"
	"os"
	"slices"
	"sync"
	"sync/atomic"
)

// noted are the native ids that the sessions of one family have noted: by them a
// fork finds what it repeats, at a cost that does not depend on how many sessions
// there are. Each is read once from the book of its session. All of it can be
// thrown away at any time; who uses it goes on with what he has.
type noted struct {
	used        atomic.Bool  // since it was last looked whether it can be thrown away
	live, stale atomic.Int64 // how many ids there are of sessions as they are, and of others

	mu       sync.RWMutex
	by       map[uint64]int32   // the number of a session that has noted an id
	more     map[uint64][]int32 // the numbers of others that have, too
	of       map[*session]notedOf
	sessions []*session // by number; nil where it was rendered anew since
}

// notedOf is what was read of one session.
type notedOf struct {
	number     int32
	generation uint32
	size       int64 // in bytes
}

// staleNoted is how many ids of sessions as they were are not worth a thought.
const staleNoted = 1000

func newNoted() *noted {
	return &noted{by: make(map[uint64]int32), more: make(map[uint64][]int32), of: make(map[*session]notedOf)}
}

// load reads what is new of the ids of the sessions that are repeated. It returns
// the first one whose book is not there, if any: that has to be made, and then
// this called again.
func (n *noted) load(p *Provider, e *earlier) (missing *session, err error) {
	type news struct {
		s   *session
		now notedOf
	}
	var all []news
	p.list.mu.RLock()
	n.mu.RLock()
	e.each(func(o *session) {
		now := notedOf{generation: o.shown.Generation, size: o.shown.IDs}
		if o.shown.Whole {
			now.size = 0 // a copy has no id that the others have not
		}
		if was, ok := n.of[o]; !ok && now.size > 0 || ok && (was.generation < now.generation || was.size < now.size) {
			all = append(all, news{o, now})
		} else if missing == nil && now.generation == 0 && o.behind() {
			missing = o
		}
	})
	n.mu.RUnlock()
	p.list.mu.RUnlock()
	for _, one := range all {
		err := n.read(one.s, one.now, p.bookPath(one.s, idsFileName(one.now.generation)))
		if errors.Is(err, iofs.ErrNotExist) || errors.Is(err, io.EOF) {
			return one.s, nil
		} else if err != nil {
			return nil, err
		}
	}
	return missing, nil
}

// read reads what is new of a session.
func (n *noted) read(s *session, now notedOf, path string) error {
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

func (n *noted) add(id uint64, number int32) {
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
func (n *noted) teller(id uint64, e *earlier) (nearest *session) {
	n.mu.RLock()
	defer n.mu.RUnlock()
	number, ok := n.by[id]
	if !ok {
		return nil
	}
	best := 0
	consider := func(o *session) {
		if o == nil {
			return
		}
		if distance, ok := e.distance(o); ok && (nearest == nil || distance < best) {
			nearest, best = o, distance
		}
	}
	consider(n.sessions[number])
	for _, number := range n.more[id] {
		consider(n.sessions[number])
	}
	return nearest
}

// throwAwayNoted lets go of the ids of families in which nothing was rendered
// since it was last called.
func (p *Provider) throwAwayNoted() {
	c := p.list
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.byID {
		if f := s.family; f != nil && f.noted != nil && f.members[0] == s && !f.noted.used.Swap(false) {
			f.noted = nil
		}
	}
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
