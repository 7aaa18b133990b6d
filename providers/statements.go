package providers

import (
	"context"
	"iter"
	"sync"

	"ctxfs/fs"
)

// statements are those of all providers of a list.
type statements struct {
	list *List

	mu    sync.Mutex
	heard []func()
}

// All implements fs.Statements.
func (s *statements) All(ctx context.Context, known func(string) string) iter.Seq[fs.StatementPart] {
	return func(yield func(fs.StatementPart) bool) {
		for _, p := range s.list.all {
			of, ok := p.Provider.(fs.Stating)
			if !ok {
				continue
			}
			for part := range of.Statements(ctx, known) {
				if part.Path != "" {
					part.Path = p.Folder + "/" + part.Path
				}
				if !yield(part) {
					return
				}
			}
		}
	}
}

// Notify implements fs.Statements.
func (s *statements) Notify(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard = append(s.heard, f)
}

// news tells that there is news.
func (s *statements) news() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.heard {
		f()
	}
}
