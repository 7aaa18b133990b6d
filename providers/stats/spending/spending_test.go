package spending

import (
	"context"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/facts"
)

// world is a provider of parts.
type world map[string]facts.SpentPart

func (w world) spent(_ context.Context, known func(string) string) iter.Seq[facts.SpentPart] {
	return func(yield func(facts.SpentPart) bool) {
		for name, part := range w {
			part.Name = name
			if part.Unchanged = known(name) == part.Version; part.Unchanged {
				part.Calls = nil
			}
			if !yield(part) {
				return
			}
		}
	}
}

func query() Query {
	return Query{Zone: time.UTC, ProjectOf: func(dir string) string { return dir }, Price: func(c facts.ModelCall) (float64, bool) {
		return float64(c.Tokens.Total()), c.Model != "unknown"
	}}
}

func at(day, hour int) time.Time { return time.Date(2026, 5, day, hour, 0, 0, 0, time.UTC) }

// TestTheSameCalls: which of several calls count.
func TestTheSameCalls(t *testing.T) {
	call := func(key, copied uint64, aside bool, tokens int64) facts.ModelCall {
		return facts.ModelCall{Key: key, Copy: copied, Aside: aside, Time: at(1, 1), Model: "m", Tokens: facts.Tokens{Input: tokens}}
	}
	for _, test := range []struct {
		what        string
		here, there []facts.ModelCall
		want        int64
	}{
		{"without keys", []facts.ModelCall{call(0, 0, false, 1), call(0, 0, false, 2)}, []facts.ModelCall{call(0, 0, false, 4)}, 7},
		{"one key in two sessions", []facts.ModelCall{call(1, 0, false, 1)}, []facts.ModelCall{call(1, 0, false, 2)}, 2},
		{"one key in a session", []facts.ModelCall{call(1, 0, false, 4), call(1, 0, false, 2)}, nil, 4},
		{"of a subagent and another", []facts.ModelCall{call(1, 0, true, 100)}, []facts.ModelCall{call(1, 0, false, 2)}, 2},
		{"copies, none of which is aside", []facts.ModelCall{call(1, 9, false, 1)}, []facts.ModelCall{call(2, 9, false, 2)}, 3},
		{"a copy aside, after", []facts.ModelCall{call(1, 9, false, 1)}, []facts.ModelCall{call(2, 9, true, 200)}, 1},
		{"a copy aside, before", []facts.ModelCall{call(2, 9, true, 200)}, []facts.ModelCall{call(1, 9, false, 1)}, 1},
	} {
		w := world{"a": {Version: "1", Agent: "x", Calls: test.here}, "b": {Version: "1", Agent: "x", Calls: test.there}}
		b := Open(t.TempDir())
		b.Learn(t.Context(), w.spent)
		fstest.Equal(t, b.Count(query()).Total, test.want, "tokens", test.what)
	}
	w := world{"a": {Version: "1", Agent: "x", Calls: []facts.ModelCall{call(1, 0, false, 1)}}, "b": {Version: "1", Agent: "y", Calls: []facts.ModelCall{call(1, 0, false, 2)}}}
	b := Open(t.TempDir())
	b.Learn(t.Context(), w.spent)
	fstest.Equal(t, b.Count(query()).Total, 3, "two agents there")
}

// TestBook: what is on disk is what was learned, and is learned once.
func TestBook(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made")
	r := rand.New(rand.NewPCG(1, 2))
	var calls []facts.ModelCall
	for i := range 1000 {
		c := facts.ModelCall{Key: r.Uint64(), Copy: r.Uint64(), Aside: i%3 == 0, Model: []string{"a", "b", ""}[i%3], Cost: float64(r.IntN(1e6)) / 1e6,
			Tokens: facts.Tokens{Input: r.Int64N(1e12), Output: r.Int64N(9), CacheRead: 1, CacheWrite: 2, CacheWriteLong: 3, Reasoning: 4}}
		if i%10 > 0 {
			c.Time = time.Unix(r.Int64N(4e9), 0)
		}
		calls = append(calls, c)
	}
	w := world{"a": {Version: "1", Agent: "x", Session: "s", Title: "title", Dir: "/work", Calls: calls}, "b": {Version: "1", Agent: "y"}}
	b := Open(dir)
	b.Learn(t.Context(), w.spent)
	fstest.Must(t, b.Save())
	p := Open(dir).parts["a"]
	i := 0
	for c := range p.unpack {
		if c.Cost -= calls[i].Cost; c.Cost < 1e-9 && c.Cost > -1e-9 {
			c.Cost = calls[i].Cost
		}
		if !c.Time.Equal(calls[i].Time) {
			t.Errorf("call %d is at %v, not %v", i, c.Time, calls[i].Time)
		}
		if c.Time = calls[i].Time; c != calls[i] {
			t.Fatalf("call %d is %+v, not %+v", i, c, calls[i])
		}
		i++
	}
	fstest.Equal(t, i, len(calls), "calls are kept")
	for n := 0; n < len(p.Calls); n += 97 { // cut anywhere, or damaged, it ends
		cut := p
		cut.Calls = slices.Clone(p.Calls[:n])
		for range cut.unpack {
		}
	}
	before, err := os.Stat(filepath.Join(dir, bookName))
	fstest.Must(t, err)
	b = Open(dir)
	b.Learn(t.Context(), w.spent)
	if b.changed {
		t.Error("nothing has changed, and the book has")
	}
	fstest.Must(t, b.Save())
	after, err := os.Stat(filepath.Join(dir, bookName))
	if fstest.Must(t, err); !os.SameFile(before, after) {
		t.Error("nothing has changed, and the book is written")
	}
	ended, end := context.WithCancel(t.Context())
	end()
	b.Learn(ended, world{}.spent)
	fstest.Equal(t, len(b.parts), 2, "where not all was told")
	b.Learn(t.Context(), world{"b": w["b"]}.spent)
	if _, there := b.parts["a"]; there {
		t.Error("what is gone is still there")
	}
}

// TestCount: days are those of a time zone, and what has no price is told.
func TestCount(t *testing.T) {
	w := world{
		"a": {Version: "1", Agent: "x", Session: "1", Dir: "/p", Calls: []facts.ModelCall{
			{Time: at(1, 23), Model: "m", Tokens: facts.Tokens{Input: 1}}, {Time: at(2, 1), Model: "unknown", Tokens: facts.Tokens{Output: 10}}, {Model: "m", Tokens: facts.Tokens{CacheRead: 100}},
		}},
		"b": {Version: "1", Agent: "y", Session: "2", Dir: "/q/sub", Calls: []facts.ModelCall{{Time: at(3, 12), Model: "dear", Cost: 5000, Tokens: facts.Tokens{Reasoning: 1000}}}},
	}
	b := Open(t.TempDir())
	b.Learn(t.Context(), w.spent)
	days := func(r Report) (names []string) {
		for _, d := range r.Days {
			names = append(names, d.Name)
		}
		return names
	}
	r := b.Count(query())
	if r.Total != 1111 || r.Cost != 5101 || r.Unpriced != 10 || !slices.Equal(r.Unknown, []string{"unknown"}) || r.Calls != 4 || r.Agents[0].Name != "y" || r.Models[0].Name != "dear" || r.Sessions[0].ID != "2" {
		t.Errorf("in all there is %+v", r)
	}
	fstest.EqualSlices(t, days(r), []string{"2026-05-01", "2026-05-02", "2026-05-03", ""}, "days")
	q := query()
	q.Zone = time.FixedZone("", 2*3600)
	fstest.EqualSlices(t, days(b.Count(q)), []string{"2026-05-02", "2026-05-03", ""}, "east the days")
	for _, test := range []struct {
		what   string
		change func(*Query)
		want   int64
	}{
		{"since", func(q *Query) { q.Since = "2026-05-02" }, 1010}, {"until", func(q *Query) { q.Until = "2026-05-02" }, 11},
		{"agent", func(q *Query) { q.Agent = "x" }, 111}, {"model", func(q *Query) { q.Model = "know" }, 10},
		{"project", func(q *Query) { q.Project = "/p" }, 111}, {"folder above", func(q *Query) { q.Project = "/q" }, 1000}, {"no project", func(q *Query) { q.Project = "/q/su" }, 0},
	} {
		q := query()
		test.change(&q)
		fstest.Equal(t, b.Count(q).Total, test.want, "tokens", test.what)
	}
}
