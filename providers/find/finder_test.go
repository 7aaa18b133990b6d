package find

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

// source is a provider that has documents.
type source struct {
	fs.Provider
	mu    sync.Mutex
	docs  map[string]string // description by path in the folder "p"
	asked []string
	gate  chan struct{} // if not nil, received from before anything is reported
}

func (s *source) Documents(below string) iter.Seq[fs.Document] {
	s.mu.Lock()
	s.asked = append(s.asked, "p/"+below)
	gate := s.gate
	s.mu.Unlock()
	if gate != nil {
		<-gate
	}
	return func(yield func(fs.Document) bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for path, text := range s.docs {
			if !yield(fs.Document{Path: path, Title: path, Fields: map[string]string{"description": text}}) {
				return
			}
		}
	}
}

func (s *source) set(path, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.docs[path] = text
}

func TestFinderFollowsWhatIsTold(t *testing.T) {
	src := &source{docs: map[string]string{"a/1": "lion"}}
	f := NewFinder(time.Now, nil)
	f.SetSources([]Source{{"p", src}})
	defer f.Close()
	f.Changed("p", "a/1") // before the start it is nothing new
	has := func(word string, want bool) {
		t.Helper()
		fstest.Must(t, f.worker.Settled(t.Context()))
		fstest.Equal(t, len(f.documents.Search(word, Options{})) > 0, want, "found", word)
	}
	f.Start()
	f.Start()
	has("lion", true)
	src.set("a/1", "tiger")
	has("tiger", false) // not reported
	f.Changed("p", "INDEX.md")
	has("tiger", false)
	f.Changed("p", "a/1")
	has("tiger", true)
	has("lion", false)
	for i := range 100 {
		src.set(fmt.Sprintf("b/%d", i), "zebra")
		f.Changed("p", fmt.Sprintf("b/%d", i))
	}
	has("zebra", true)
	fstest.Equal(t, len(f.documents.Search("zebra", Options{})), 100, "100")
	f.Changed("p", "")
	has("tiger", true)
	if want := []string{"p/", "p/a", "p/b"}; !slices.Equal(slices.Compact(slices.Sorted(slices.Values(src.asked))), want) {
		t.Errorf("asked for %q", src.asked)
	}
}

func TestFinderIsNotWaitedForByWhoHasLeft(t *testing.T) {
	src := &source{docs: map[string]string{"a/1": "lion"}, gate: make(chan struct{})}
	f := NewFinder(time.Now, nil)
	f.SetSources([]Source{{"p", src}})
	f.Start()
	ctx, leave := context.WithCancel(t.Context())
	leave()
	fstest.ErrorIs(t, f.worker.Settled(ctx), context.Canceled)
	close(src.gate)
	if err := f.worker.Settled(t.Context()); err != nil || len(f.documents.Search("lion", Options{})) != 1 {
		t.Errorf("not found afterwards: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	f.Changed("p", "a/1")
	if err := f.worker.Settled(t.Context()); err != nil {
		t.Error(err)
	}
}
