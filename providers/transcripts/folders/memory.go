package folders

import (
	"container/list"
	"sync"

	"ctxfs/providers/transcripts/catalogue"
)

// textCache holds the texts that were made last, as far as there is room, since a
// text is read in pieces.
type textCache struct {
	room int

	mu    sync.Mutex
	used  int
	order *list.List // of textEntry, the last used first
	byKey map[textKey]*list.Element
}

type textKey struct {
	s       *catalogue.Session
	name    string
	version uint64
}

type textEntry struct {
	key  textKey
	text []byte
}

// overhead is the memory of an entry beside its text, in bytes.
const overhead = 200

func newTextCache(room int) *textCache {
	return &textCache{room: room, order: list.New(), byKey: make(map[textKey]*list.Element)}
}

func (t *textCache) get(key textKey) ([]byte, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.byKey[key]
	if e == nil {
		return nil, false
	}
	t.order.MoveToFront(e)
	return e.Value.(textEntry).text, true
}

// put stores a text; one that does not fit at all is kept until the next one.
func (t *textCache) put(key textKey, text []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byKey[key] != nil {
		return
	}
	t.byKey[key] = t.order.PushFront(textEntry{key, text})
	t.used += len(text) + overhead
	for t.used > t.room && t.order.Len() > 1 {
		last := t.order.Back()
		e := t.order.Remove(last).(textEntry)
		delete(t.byKey, e.key)
		t.used -= len(e.text) + overhead
	}
}

// tableCache holds the tables of results that were read last.
type tableCache struct {
	mu    sync.Mutex
	order *list.List
	byKey map[*catalogue.Session]*list.Element
	size  int64
}

// maxTables is how many of them are stored, by their size on disk, in bytes.
const maxTables = 4 << 20

type tableEntry struct {
	s *catalogue.Session
	t *table
}

func newTableCache() *tableCache {
	return &tableCache{order: list.New(), byKey: make(map[*catalogue.Session]*list.Element)}
}

func (t *tableCache) get(s *catalogue.Session, generation uint32, count int) *table {
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

func (t *tableCache) put(s *catalogue.Session, table *table) {
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

// remove removes an entry. The caller holds the lock.
func (t *tableCache) remove(e *list.Element) {
	entry := t.order.Remove(e).(tableEntry)
	delete(t.byKey, entry.s)
	t.size -= entry.t.size
}
