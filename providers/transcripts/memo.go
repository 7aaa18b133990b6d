package transcripts

import (
	"sync"

	"ctxfs/providers/transcripts/cache"
	"ctxfs/providers/transcripts/catalogue"
	"ctxfs/providers/transcripts/render"
)

// memo keeps what was made of the summaries of sessions. Its zero value is empty.
type memo[T any] struct {
	mu sync.Mutex
	of map[*catalogue.Session]memoized[T]
}

// memoized is what was made of a session that was rendered up to a size.
type memoized[T any] struct {
	generation uint32
	size       int64
	made       T
}

// maxMemoized is how many sessions a memo has.
const maxMemoized = 200

// get returns what is made of a session, as far as it is rendered.
func (m *memo[T]) get(c *cache.Cache, s *catalogue.Session, v *catalogue.View, from func(*render.Summary) T) T {
	one := memoized[T]{generation: v.Published.Generation, size: v.Published.Size}
	if one.generation == 0 {
		return one.made
	}
	m.mu.Lock()
	had := m.of[s]
	m.mu.Unlock()
	if had.generation == one.generation && had.size == one.size {
		return had.made
	}
	if !c.WithEntry(s, func(b *cache.Entry) { one.made = from(&b.Summary) }) {
		return one.made
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.of == nil || len(m.of) >= maxMemoized {
		m.of = make(map[*catalogue.Session]memoized[T])
	}
	m.of[s] = one
	return one.made
}
