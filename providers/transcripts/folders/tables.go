package folders

import (
	"container/list"
	"sync"

	"ctxfs/providers/transcripts/catalogue"
)

// tables are the tables of results that were read last.
type tables struct {
	mu    sync.Mutex
	order *list.List
	byKey map[*catalogue.Session]*list.Element
	size  int64
}

// maxTables is how much of them is kept, by their size on disk, in bytes.
const maxTables = 4 << 20

type tableEntry struct {
	s *catalogue.Session
	t *table
}

func newTables() *tables {
	return &tables{order: list.New(), byKey: make(map[*catalogue.Session]*list.Element)}
}

func (t *tables) get(s *catalogue.Session, generation uint32, count int) *table {
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

func (t *tables) put(s *catalogue.Session, table *table) {
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
