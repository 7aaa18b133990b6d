package providers

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/find"
)

func TestFindsSkills(t *testing.T) {
	s := open(t, "")
	skill := filepath.Join(s.opts.Home, ".claude", "skills", "my.walk")
	if err := os.MkdirAll(skill, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(skill, "SKILL.md"), []byte("---\nname: my.walk\ndescription: Goes for a stroll. Slowly.\n---\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s = open(t, "")
	if got, err := s.Find(t.Context(), "stroll", find.Options{}); err != nil || len(got) != 0 {
		t.Errorf("in a home folder without skills: %v, %v", got, err)
	}
	s.opts.Home = filepath.Dir(filepath.Dir(filepath.Dir(skill)))
	again := New(s.opts)
	defer again.Close()
	got, err := again.Find(t.Context(), "stroll", find.Options{In: "skills"})
	if err != nil || len(got) != 1 || got[0].Path != "skills/my.walk/SKILL.md" || got[0].Why != "Goes for a stroll." {
		t.Errorf("%+v, %v", got, err)
	}
}

// source is a provider's documents, as they are now.
type source struct {
	mu    sync.Mutex
	docs  map[string]string // description by path in the folder "p"
	asked []string
	gate  chan struct{} // where not nil, to be passed before anything is told
}

func (s *source) documents(folder, below string) iter.Seq[fs.Document] {
	s.mu.Lock()
	s.asked = append(s.asked, folder+"/"+below)
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
	f := newFinder(src.documents, time.Now)
	defer f.close()
	f.changed("p", "a/1") // before the start it is nothing new
	has := func(word string, want bool) {
		t.Helper()
		if err := f.current(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := len(f.index.Search(word, find.Options{})) > 0; got != want {
			t.Errorf("%s: found is %v", word, got)
		}
	}
	f.start("p")
	f.start("p")
	has("lion", true)
	src.set("a/1", "tiger")
	has("tiger", false) // nobody has told
	f.changed("p", "INDEX.md")
	has("tiger", false)
	f.changed("p", "a/1")
	has("tiger", true)
	has("lion", false)
	for i := range 100 {
		src.set(fmt.Sprintf("b/%d", i), "zebra")
		f.changed("p", fmt.Sprintf("b/%d", i))
	}
	has("zebra", true)
	if n := len(f.index.Search("zebra", find.Options{})); n != 100 {
		t.Errorf("%d of 100", n)
	}
	f.changed("p", "")
	has("tiger", true)
	if want := []string{"p/", "p/a", "p/b"}; !slices.Equal(slices.Compact(slices.Sorted(slices.Values(src.asked))), want) {
		t.Errorf("asked for %q", src.asked)
	}
}

func TestFinderIsNotWaitedForByWhoHasLeft(t *testing.T) {
	src := &source{docs: map[string]string{"a/1": "lion"}, gate: make(chan struct{})}
	f := newFinder(src.documents, time.Now)
	f.start("p")
	ctx, leave := context.WithCancel(t.Context())
	leave()
	if err := f.current(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	close(src.gate)
	if err := f.current(t.Context()); err != nil || len(f.index.Search("lion", find.Options{})) != 1 {
		t.Errorf("not found afterwards: %v", err)
	}
	if err := f.close(); err != nil {
		t.Error(err)
	}
	f.changed("p", "a/1")
	if err := f.current(t.Context()); err != nil {
		t.Error(err)
	}
}
