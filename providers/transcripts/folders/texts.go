package folders

import (
	"container/list"
	"sync"

	"ctxfs/providers/transcripts/catalogue"
)

// texts are the texts that were made last, as far as there is room: whoever
// reads one reads it in pieces.
type texts struct {
	room int

	mu    sync.Mutex
	used  int
	order *list.List // of textEntry; what was used last comes first
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

// overhead is what an entry costs beside its text, in bytes.
const overhead = 200

func newTexts(room int) *texts {
	return &texts{room: room, order: list.New(), byKey: make(map[textKey]*list.Element)}
}

func (t *texts) get(key textKey) ([]byte, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.byKey[key]
	if e == nil {
		return nil, false
	}
	t.order.MoveToFront(e)
	return e.Value.(textEntry).text, true
}

// put keeps a text; what does not fit at all is kept until the next one comes.
func (t *texts) put(key textKey, text []byte) {
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
