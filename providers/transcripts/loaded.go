package transcripts

import (
	"container/list"
	"sync"
	"time"
)

// maxLoaded is how many books are held open in memory: those of the sessions
// that go on are few.
const maxLoaded = 16

// saveTime is how long a state that has changed may wait to be written: until
// then it would be made again from the log.
const saveTime = 2 * time.Second

// loaded are the books that were used last.
type loaded struct {
	mu    sync.Mutex
	books map[*session]*loadedBook
}

type loadedBook struct {
	book  *book
	used  time.Time
	saved time.Time
	dirty bool
}

// load returns a session's book. The caller holds s.work.
func (p *Provider) load(s *session) *book {
	l := &p.loaded
	l.mu.Lock()
	defer l.mu.Unlock()
	if b := l.books[s]; b != nil {
		b.used = p.opts.Env.Now()
		return b.book
	}
	return openBook(p.bookDir(s))
}

// peek shows the book as it is on disk or in memory, for reading its state,
// which does not change meanwhile.
func (p *Provider) peek(s *session, read func(b *book)) {
	s.work.Lock()
	defer s.work.Unlock()
	read(p.load(s))
}

// unload forgets what is in memory.
func (p *Provider) unload(s *session) {
	p.loaded.mu.Lock()
	defer p.loaded.mu.Unlock()
	delete(p.loaded.books, s)
}

// save writes a book's state, or leaves it for later if the session grows: then
// the book stays in memory. The caller holds s.work.
func (p *Provider) save(s *session, b *book, now bool) {
	p.list.mu.RLock()
	live := s.shown.live
	p.list.mu.RUnlock()
	l := &p.loaded
	l.mu.Lock()
	defer l.mu.Unlock()
	held := l.books[s]
	if held == nil {
		held = &loadedBook{book: b}
		if live {
			l.books[s] = held
			p.makeRoom(s)
		}
	}
	held.book, held.used, held.dirty = b, p.opts.Env.Now(), true
	if now || !live || held.used.Sub(held.saved) > saveTime {
		p.write(s, held)
	} else {
		p.saveSoon()
	}
}

// write writes a state. The caller holds the lock.
func (p *Provider) write(s *session, held *loadedBook) {
	held.saved = p.opts.Env.Now()
	err := held.book.save()
	held.dirty = err != nil
	if err != nil {
		p.opts.Env.Log.Warn("the state of a transcript is not kept", "session", s.id, "error", err)
	}
}

// unsaved are the sessions whose state is not written yet.
func (p *Provider) unsaved() (all []*session) {
	l := &p.loaded
	l.mu.Lock()
	defer l.mu.Unlock()
	for s, b := range l.books {
		if b.dirty {
			all = append(all, s)
		}
	}
	return all
}

// makeRoom lets go of the book that was not used for longest, but for one. The
// caller holds the lock.
func (p *Provider) makeRoom(but *session) {
	l := &p.loaded
	if len(l.books) <= maxLoaded {
		return
	}
	var oldest *session
	for s, b := range l.books {
		if s != but && (oldest == nil || b.used.Before(l.books[oldest].used)) {
			oldest = s
		}
	}
	if !oldest.work.TryLock() {
		return // it is in use after all
	}
	defer oldest.work.Unlock()
	if held := l.books[oldest]; held.dirty {
		p.write(oldest, held)
	}
	delete(l.books, oldest)
}

// saveAll writes the states that have changed. Those in use are left for the
// next time.
func (p *Provider) saveAll(wait bool) {
	l := &p.loaded
	l.mu.Lock()
	dirty := make(map[*session]*loadedBook)
	for s, b := range l.books {
		if b.dirty {
			dirty[s] = b
		}
	}
	l.mu.Unlock()
	for s, b := range dirty {
		if wait {
			s.work.Lock()
		} else if !s.work.TryLock() {
			continue
		}
		l.mu.Lock()
		if l.books[s] == b && b.dirty {
			p.write(s, b)
		}
		l.mu.Unlock()
		s.work.Unlock()
	}
}

// tables are the tables of results that were read last.
type tables struct {
	mu    sync.Mutex
	order *list.List
	byKey map[*session]*list.Element
	size  int64
}

// maxTables is how much of them is kept, by their size on disk, in bytes.
const maxTables = 4 << 20

type tableEntry struct {
	s *session
	t *resultTable
}

func newTables() *tables {
	return &tables{order: list.New(), byKey: make(map[*session]*list.Element)}
}

func (t *tables) get(s *session, generation uint32, count int) *resultTable {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.byKey[s]
	if e == nil {
		return nil
	}
	table := e.Value.(tableEntry).t
	if table.generation != generation || len(table.results) != count {
		return nil
	}
	t.order.MoveToFront(e)
	return table
}

func (t *tables) put(s *session, table *resultTable) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if old := t.byKey[s]; old != nil {
		t.remove(old)
	}
	t.byKey[s] = t.order.PushFront(tableEntry{s, table})
	t.size += table.size
	for t.size > maxTables && t.order.Len() > 1 {
		t.remove(t.order.Back())
	}
}

// remove takes an entry out. The caller holds the lock.
func (t *tables) remove(e *list.Element) {
	entry := t.order.Remove(e).(tableEntry)
	delete(t.byKey, entry.s)
	t.size -= entry.t.size
}
