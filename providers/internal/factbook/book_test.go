package factbook

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
)

// of is a source of some parts; those whose version is known are unchanged.
func of[T any](parts ...facts.Part[T]) facts.Source[T] {
	return func(_ context.Context, known func(string) string) iter.Seq[facts.Part[T]] {
		return func(yield func(facts.Part[T]) bool) {
			for _, p := range parts {
				if known(p.Name) == p.Version {
					p.Keep(p.Version)
				}
				if !yield(p) {
					return
				}
			}
		}
	}
}

// TestUnchanged: what is unchanged is kept, and the book is the same after a restart.
func TestUnchanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "made", "book")
	b := Open[facts.Statement](path, nil)
	part := facts.Part[facts.Statement]{Name: "a", Version: "1", Path: "x", Facts: []facts.Statement{{Kind: "rule", Text: "always so"}}}
	for i, step := range []struct {
		all     []facts.Part[facts.Statement]
		said    int
		changed bool
	}{
		{nil, 0, false},
		{[]facts.Part[facts.Statement]{part}, 1, true},
		{[]facts.Part[facts.Statement]{{Name: "a", Version: "1", Path: "x", Unchanged: true}}, 1, false},
		{[]facts.Part[facts.Statement]{{Name: "a", Version: "2", Path: "y", Unchanged: true}, {Name: "b", Version: "", Unchanged: true}}, 1, true},
		{[]facts.Part[facts.Statement]{{Name: "a", Version: "3", Path: "y", Unchanged: true}, {Name: "b", Version: "1"}}, 1, false},
		{nil, 0, true},
	} {
		changed := b.Refresh(t.Context(), func(context.Context, func(string) string) iter.Seq[facts.Part[facts.Statement]] {
			return slices.Values(step.all)
		})
		said := 0
		for _, p := range b.Parts() {
			said += len(p.Facts)
		}
		if changed != step.changed || said != step.said || said > 0 && b.version("a") != step.all[0].Version {
			t.Errorf("step %d: %v %v", i, changed, b.Parts())
		}
		fstest.Must(t, b.Save())
		again := Open[facts.Statement](path, nil)
		fstest.Equal(t, fmt.Sprint(again.Parts()), fmt.Sprint(b.Parts()), "after a restart", i)
		b = again
	}
}

// TestBook: what is on disk is what was learned, and is learned once.
func TestBook(t *testing.T) {
	path := filepath.Join(t.TempDir(), "made", "book")
	r := rand.New(rand.NewPCG(1, 2))
	var calls []facts.ModelCall
	byModel := make(map[string][]facts.ModelCall)
	for i := range 1000 {
		c := facts.ModelCall{Key: r.Uint64(), Copy: r.Uint64(), Aside: i%3 == 0, Model: []string{"a", "b", ""}[i%3], Cost: float64(r.IntN(1e6)) / 1e6,
			Tokens: facts.Tokens{Input: r.Int64N(1e12), Output: r.Int64N(9), CacheRead: 1, CacheWrite: 2, CacheWriteLong: 3, Reasoning: 4}}
		if i%10 > 0 {
			c.Time = time.Unix(r.Int64N(4e9), 0)
		}
		calls = append(calls, c)
		byModel[c.Model] = append(byModel[c.Model], c)
	}
	a, other := facts.Part[facts.Calls]{Name: "a", Version: "1", Agent: "x", Session: "s", Title: "title", Dir: "/work", Facts: facts.Pack(calls)}, facts.Part[facts.Calls]{Name: "b", Version: "1", Agent: "y"}
	b := Open[facts.Calls](path, nil)
	b.Refresh(t.Context(), of(a, other))
	fstest.Must(t, b.Save())
	p := Open[facts.Calls](path, nil).Parts()[0]
	fstest.Equal(t, len(p.Facts), len(byModel), "models")
	for _, packed := range p.Facts {
		want, i := byModel[packed.Model], 0
		for c := range packed.Each {
			if c.Cost -= want[i].Cost; c.Cost < 1e-9 && c.Cost > -1e-9 {
				c.Cost = want[i].Cost
			}
			if !c.Time.Equal(want[i].Time) {
				t.Errorf("call %d is at %v, not %v", i, c.Time, want[i].Time)
			}
			if c.Time = want[i].Time; c != want[i] {
				t.Fatalf("call %d is %+v, not %+v", i, c, want[i])
			}
			i++
		}
		fstest.Equal(t, i, len(want), "calls are kept")
		for n := 0; n < len(packed.Packed); n += 97 { // cut anywhere, or damaged, it ends
			cut := facts.Calls{Packed: slices.Clone(packed.Packed[:n])}
			for range cut.Each {
			}
		}
	}
	before, err := os.Stat(path)
	fstest.Must(t, err)
	b = Open[facts.Calls](path, nil)
	if b.Refresh(t.Context(), of(a, other)) || b.unsaved {
		t.Error("nothing has changed, and the book has")
	}
	fstest.Must(t, b.Save())
	after, err := os.Stat(path)
	if fstest.Must(t, err); !os.SameFile(before, after) {
		t.Error("nothing has changed, and the book is written")
	}
	ended, end := context.WithCancel(t.Context())
	end()
	b.Refresh(ended, of[facts.Calls]())
	fstest.Equal(t, len(b.Parts()), 2, "where not all was told")
	if !b.Refresh(t.Context(), of(other)) || b.Parts()[0].Name != "b" {
		t.Error("what is gone is still there")
	}
}
