package spending

import (
	"maps"
	"slices"
	"testing"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
)

// world is a provider of parts.
type world map[string]facts.Part[facts.Calls]

func (w world) count(q Query) Report {
	var parts []facts.Part[facts.Calls]
	for _, name := range slices.Sorted(maps.Keys(w)) {
		parts = append(parts, w[name])
	}
	return Count(parts, q)
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
		w := world{"a": {Version: "1", Agent: "x", Facts: facts.Pack(test.here)}, "b": {Version: "1", Agent: "x", Facts: facts.Pack(test.there)}}
		fstest.Equal(t, w.count(query()).Total, test.want, "tokens", test.what)
	}
	w := world{"a": {Version: "1", Agent: "x", Facts: facts.Pack([]facts.ModelCall{call(1, 0, false, 1)})}, "b": {Version: "1", Agent: "y", Facts: facts.Pack([]facts.ModelCall{call(1, 0, false, 2)})}}
	fstest.Equal(t, w.count(query()).Total, 3, "two agents there")
}

// TestCount: days are those of a time zone, and what has no price is told.
func TestCount(t *testing.T) {
	w := world{
		"a": {Version: "1", Agent: "x", Session: "1", Dir: "/p", Facts: facts.Pack([]facts.ModelCall{
			{Time: at(1, 23), Model: "m", Tokens: facts.Tokens{Input: 1}}, {Time: at(2, 1), Model: "unknown", Tokens: facts.Tokens{Output: 10}}, {Model: "m", Tokens: facts.Tokens{CacheRead: 100}},
		})},
		"b": {Version: "1", Agent: "y", Session: "2", Dir: "/q/sub", Facts: facts.Pack([]facts.ModelCall{{Time: at(3, 12), Model: "dear", Cost: 5000, Tokens: facts.Tokens{Reasoning: 1000}}})},
	}
	days := func(r Report) (names []string) {
		for _, d := range r.Days {
			names = append(names, d.Name)
		}
		return names
	}
	r := w.count(query())
	if r.Total != 1111 || r.Cost != 5101 || r.Unpriced != 10 || !slices.Equal(r.Unknown, []string{"unknown"}) || r.Calls != 4 || r.Agents[0].Name != "y" || r.Models[0].Name != "dear" || r.Sessions[0].ID != "2" {
		t.Errorf("in all there is %+v", r)
	}
	fstest.EqualSlices(t, days(r), []string{"2026-05-01", "2026-05-02", "2026-05-03", ""}, "days")
	q := query()
	q.Zone = time.FixedZone("", 2*3600)
	fstest.EqualSlices(t, days(w.count(q)), []string{"2026-05-02", "2026-05-03", ""}, "east the days")
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
		fstest.Equal(t, w.count(q).Total, test.want, "tokens", test.what)
	}
}
