package providers

import (
	"context"
	"iter"
	"sync"

	"ctxfs/providers/facts"
)

// statements are those of all providers of a list.
type statements struct {
	list *List

	mu    sync.Mutex
	heard []func()
}

// All implements facts.Statements.
func (s *statements) All(ctx context.Context, known func(string) string) iter.Seq[facts.StatementPart] {
	return func(yield func(facts.StatementPart) bool) {
		for _, p := range s.list.all {
			of, ok := p.Provider.(facts.StatementSource)
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

// Notify implements facts.Statements.
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
