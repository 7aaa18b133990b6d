package folders

import (
	"container/list"
	"sync"
)

// recent holds what was made last, as far as there is room. What does not fit at all is
// kept until the next one. It is safe for concurrent use.
type recent[K comparable, V any] struct {
	room int
	size func(V) int // of its memory, in bytes

	mu    sync.Mutex
	used  int
	order *list.List // of made, the last used first
	byKey map[K]*list.Element
}

type made[K comparable, V any] struct {
	key   K
	value V
}

func newRecent[K comparable, V any](room int, size func(V) int) *recent[K, V] {
	return &recent[K, V]{room: room, size: size, order: list.New(), byKey: make(map[K]*list.Element)}
}

func (r *recent[K, V]) get(key K) (value V, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.byKey[key]
	if e == nil {
		return value, false
	}
	r.order.MoveToFront(e)
	return e.Value.(made[K, V]).value, true
}

func (r *recent[K, V]) put(key K, value V) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if old := r.byKey[key]; old != nil {
		r.remove(old)
	}
	r.byKey[key] = r.order.PushFront(made[K, V]{key, value})
	r.used += r.size(value)
	for r.used > r.room && r.order.Len() > 1 {
		r.remove(r.order.Back())
	}
}

func (r *recent[K, V]) remove(e *list.Element) {
	old := r.order.Remove(e).(made[K, V])
	delete(r.byKey, old.key)
	r.used -= r.size(old.value)
}
