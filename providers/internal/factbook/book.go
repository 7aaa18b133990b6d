// Package factbook keeps what sources of facts know on disk.
package factbook

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"os"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/providers/internal/jsonlines"
)

// bookFormat is the version of the format of books on disk. Another one is made again, so it
// is raised when the form of any facts changes.
const bookFormat = 3

// Book has what a source knows, on disk too: what is unchanged is not read again at each
// start, and commands see it that run without a background process. It can be made again at
// any time. It is safe for concurrent use, except that Refresh is called by one goroutine at a
// time. The file is read when it is first needed.
type Book[T any] struct {
	path string
	tidy func([]T) []T

	mu      sync.Mutex
	parts   map[string]facts.Part[T] // nil until they were read
	unsaved bool

	faulty atomic.Bool // it could not be saved
}

// Open returns the book in a file. Tidy returns which of some facts are kept, and in which
// form; nil keeps all.
func Open[T any](path string, tidy func([]T) []T) *Book[T] {
	if tidy == nil {
		tidy = func(all []T) []T { return all }
	}
	return &Book[T]{path: path, tidy: tidy}
}

// known returns the parts by their names. The caller holds mu.
func (b *Book[T]) known() map[string]facts.Part[T] {
	if b.parts == nil {
		b.parts = make(map[string]facts.Part[T])
		for p := range jsonlines.Read[facts.Part[T]](b.path, bookFormat) { // what is damaged is read from its source
			b.parts[p.Name] = p
		}
	}
	return b.parts
}

// Parts returns the parts in the order of their names. Their facts must not be changed.
func (b *Book[T]) Parts() []facts.Part[T] {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.sorted()
}

// sorted is Parts for a caller that holds mu.
func (b *Book[T]) sorted() []facts.Part[T] {
	return slices.SortedFunc(maps.Values(b.known()), func(x, y facts.Part[T]) int { return cmp.Compare(x.Name, y.Name) })
}

// Refresh takes in what a source knows now, and reports whether any facts, or their
// descriptions, have changed. Where ctx ends before the source has, what was known of the
// rest stays.
func (b *Book[T]) Refresh(ctx context.Context, from facts.Source[T]) (changed bool) {
	there := make(map[string]bool)
	for p := range from(ctx, b.version) {
		there[p.Name] = true
		changed = b.take(p) || changed
	}
	if ctx.Err() != nil {
		return changed
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for name, p := range b.known() {
		if !there[name] {
			delete(b.parts, name)
			b.unsaved, changed = true, changed || len(p.Facts) > 0
		}
	}
	return changed
}

func (b *Book[T]) version(name string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.known()[name].Version
}

// take takes in one part, and reports whether its facts, or their descriptions, have
// changed.
func (b *Book[T]) take(p facts.Part[T]) (changed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	was := b.known()[p.Name]
	if p.Unchanged {
		p.Facts, p.Time, p.Unchanged = was.Facts, was.Time, false
	} else {
		p.Facts, p.Time = b.tidy(p.Facts), p.Time.UTC().Truncate(time.Second)
	}
	if reflect.DeepEqual(was, p) {
		return false
	}
	b.parts[p.Name], b.unsaved = p, true
	was.Version = p.Version
	return len(was.Facts)+len(p.Facts) > 0 && !reflect.DeepEqual(was, p)
}

// Drop takes facts out of the book, and returns how many these were.
func (b *Book[T]) Drop(drop func(T) bool) (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for name, p := range b.known() {
		kept := slices.DeleteFunc(slices.Clone(p.Facts), drop)
		n += len(p.Facts) - len(kept)
		p.Facts = kept
		b.parts[name] = p
	}
	b.unsaved = true
	return n
}

// Save writes the book if it has changed.
func (b *Book[T]) Save() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.unsaved {
		return nil
	}
	err := jsonlines.Write(b.path, bookFormat, slices.Values(b.sorted()))
	b.unsaved = err != nil
	return err
}

// Keep saves the book, and logs that it cannot be saved: once, as long as that is so.
func (b *Book[T]) Keep(log *slog.Logger) {
	err := b.Save()
	if told := b.faulty.Swap(err != nil); err != nil && !told {
		log.Warn("what was read of sessions is not kept, and read again at the next start", "path", b.path, "error", err)
	}
}

// Erase deletes the book, on disk as well.
func (b *Book[T]) Erase() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.parts, b.unsaved = make(map[string]facts.Part[T]), false
	if err := os.Remove(b.path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
