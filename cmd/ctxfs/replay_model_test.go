package main

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

// TestMeter: what requests cost, with a cache and a compaction.
func TestMeter(t *testing.T) {
	fstest.OptIn(t, "measure")
	lost := 0
	c := costs{client: 1000, window: 40_000, read: 0.1, write: 1.25, output: 5}
	m := newMeter(c, 200, func() { lost++ })
	m.receives(100)
	m.asks(10) // all is new
	want := bill{tokens: 1310, priced: 1.25*1300 + 50, requests: 1}
	if m.bill != want {
		t.Errorf("the first request: %+v, want %+v", m.bill, want)
	}
	m.receives(90)
	m.asks(0) // the answer and what came since are new
	want.tokens, want.priced, want.requests = want.tokens+1400, want.priced+0.1*1300+1.25*100, 2
	if math.Abs(m.priced-want.priced) > 1e-6 || m.tokens != want.tokens || m.requests != want.requests {
		t.Errorf("the second: %+v, want %+v", m.bill, want)
	}
	m.receives(40_000)
	m.asks(10)
	if m.compactions != 1 || lost != 1 || m.requests != 4 || m.history != summary+10 {
		t.Errorf("after a compaction: %+v, history %d, lost %d times", m.bill, m.history, lost)
	}
	if c.warm = true; newMeter(c, 200, nil).cached != 1200 {
		t.Error("a warm prompt is not in the cache")
	}
}

func TestWants(t *testing.T) {
	fstest.OptIn(t, "measure")
	for _, c := range []struct {
		texts []string
		user  string
		want  []string
	}{
		{
			[]string{"I'll help you. Let me search for file writing capabilities:"}, "Save the report to /root/a.md as markdown",
			[]string{"file writing capabilities", "Save report markdown"},
		},
		{
			[]string{"Now let me use the `get_tickets` tool.", "I need train tickets. Let me look for tools."}, "Find a train for tomorrow",
			[]string{"train tickets", "train tomorrow"},
		},
		{nil, "Which painting hangs in the museum?", []string{"painting hangs museum"}},
		{[]string{""}, "", nil},
	} {
		if got := wantsOf(c.texts, c.user); !slices.Equal(got, c.want) {
			t.Errorf("%q, %q: %q, want %q", c.texts, c.user, got, c.want)
		}
	}
	if got := wantOf(routeWords("<tool_assistant>\nserver: a museum\ntool: search painting + artwork lookup\n</tool_assistant>")); got != "search painting artwork lookup" {
		t.Errorf("the words of a recorded query: %q", got)
	}
}

// TestTrajectory: a request that only searches is taken out, and its text is what the
// tool is looked for with.
func TestTrajectory(t *testing.T) {
	fstest.OptIn(t, "measure")
	pool := &toolPool{servers: map[string][]definition{"met": {{Name: "paint"}}}}
	var events []recordedEvent
	must(t, json.Unmarshal([]byte(`[
		{"role":"system","text":"You act."},
		{"role":"user","text":"Who painted it?"},
		{"role":"assistant","text":"Searching art collections.","calls":[{"id":"1","server":"mcp-copilot","tool":"route","kind":"discovery","arguments":{"query":"tool: painter of a picture"}}]},
		{"role":"tool","result_for":"1","text":"met/paint"},
		{"role":"assistant","text":"I use met.","calls":[{"id":"2","server":"met","tool":"paint","kind":"mcp","arguments":{"q":"x"}},{"id":"3","server":"met","tool":"none","kind":"mcp"}]},
		{"role":"tool","result_for":"2","text":"Van Gogh"},
		{"role":"assistant","text":"Van Gogh."}]`), &events))
	got := trajectoryOf(events, pool)
	if got.system != "You act." || len(got.turns) != 2 || got.calls() != 1 || !slices.Equal(got.servers(), []string{"met"}) {
		t.Fatalf("%+v", got)
	}
	first := got.turns[0]
	if len(first.heard) != 1 || len(first.uses) != 2 || !slices.Contains(first.wants, "Searching art collections") || !slices.Equal(first.routed, []string{"painter picture"}) {
		t.Errorf("the first request: %+v", first)
	}
	if last := got.turns[1]; len(last.heard) != 1 || last.heard[0].text != "Van Gogh" || last.text != "Van Gogh." {
		t.Errorf("the last: %+v", last)
	}
}

// TestShorten: a long result is shortened as ctxfs does, and what is left out is paid
// for when it is used.
func TestShorten(t *testing.T) {
	fstest.OptIn(t, "measure")
	long := strings.Repeat("a line that says nothing\n", 400) + "the answer is Xanthippe-4711\n" + strings.Repeat("a line that says nothing\n", 400)
	one := trajectory{turns: []exchange{
		{heard: []heard{{user: true, text: "go"}}, uses: []use{{server: "a", tool: "b"}}},
		{heard: []heard{{text: long}}, text: "It is Xanthippe-4711."},
		{text: "Yes, Xanthippe-4711."},
	}}
	one.shorten(t)
	if h := one.turns[1].heard[0]; len(h.short) > 13_000 || !strings.HasSuffix(h.short, " lines)\n") || !strings.Contains(h.short, "left out") {
		t.Errorf("%d bytes, which end with %q", len(h.short), h.short[max(0, len(h.short)-100):])
	}
	if len(one.turns[1].reads) != 1 || len(one.turns[2].reads) != 0 || !strings.Contains(one.turns[1].reads[0], "Xanthippe-4711") {
		t.Errorf("reads: %q, then %q", one.turns[1].reads, one.turns[2].reads)
	}
}

// TestTaken: what is read off a list, whatever its form.
func TestTaken(t *testing.T) {
	fstest.OptIn(t, "measure")
	matches := []fs.Match{{Path: "mcps/git/tools/log.json"}, {Path: "mcps/git/tools/log-all.json"}, {Path: "skills/git"}}
	for _, text := range []string{
		"mcps/git/tools/log-all.json — All. (0.50)\n  arguments: depth: number\nmcps/git/tools/log.json — The log. (0.40)\n  arguments: path: string\n",
		"git/log-all(depth) — All.\n    ctxfs call git log-all --depth N\ngit/log(path) — The log.\n    ctxfs call git log --path TEXT\nalso: git/log-all, git/log\n",
	} {
		s := taken(text, matches)
		if len(s.of) != 2 || !strings.Contains(s.of["git/log"], "path") || strings.Contains(s.of["git/log"], "depth") {
			t.Errorf("%q: %q", text, s.of)
		}
		for arguments, want := range map[string]bool{`{"path":"x"}`: true, `{}`: true, `{"depth":1}`: false, `{"path":{"a":1}}`: false, `{"path":["a"]}`: true, `{"path":[{}]}`: false} {
			if got := tellsAll(s.of["git/log"], use{"git", "log", json.RawMessage(arguments), true}); got != want {
				t.Errorf("%q tells all for %s: %v", s.of["git/log"], arguments, got)
			}
		}
	}
}

func TestToolSearch(t *testing.T) {
	fstest.OptIn(t, "measure")
	pool := &toolPool{documents: make(map[string]searched), servers: map[string][]definition{
		"met": {{"searchObjects", "Searches paintings.", json.RawMessage(`{"properties":{"artist":{"description":"who made it"}}}`)}, {"close", "Closes it.", nil}},
		"git": {{"git_log", "Shows the commits.", nil}},
	}}
	s := newToolSearch(pool, []string{"git", "met"})
	for want, key := range map[string]string{"a painting": "met/searchObjects", "by artist": "met/searchObjects", "commit log": "git/git_log", "who made": "met/searchObjects"} {
		if best := s.best(want); len(best) == 0 || best[0].key != key {
			t.Errorf("%q finds %v", want, best)
		}
	}
	if best := s.best("zebra"); len(best) > 0 {
		t.Errorf("zebra finds %v", best)
	}
}

// TestPacks: each world has the servers of its trajectories, and is about as large as
// it should be.
func TestPacks(t *testing.T) {
	fstest.OptIn(t, "measure")
	pool := &toolPool{servers: make(map[string][]definition), tokens: make(map[string]int)}
	for _, name := range strings.Fields("a b c d e f g h") {
		pool.names, pool.tokens[name] = append(pool.names, name), 100
		pool.servers[name] = []definition{{Name: "t"}}
	}
	of := func(servers ...string) (one trajectory) {
		for _, s := range servers {
			one.turns = append(one.turns, exchange{uses: []use{{s, "t", nil, true}}})
		}
		return one
	}
	all := []trajectory{of("a", "b"), of("b"), of("c", "d", "e", "f"), of("h", "a")}
	seen := 0
	for _, set := range packs(pool, all, 300, newRandom(1)) {
		own := 0
		for _, i := range set.trajectories {
			seen++
			own = max(own, pool.sum(all[i].servers()))
			if !slices.Equal(union(set.servers, all[i].servers()), set.servers) {
				t.Errorf("%v lacks servers of %v", set.servers, all[i].servers())
			}
		}
		if got := pool.sum(set.servers); got != max(300, own) {
			t.Errorf("%v are %d tokens", set.servers, got)
		}
	}
	if seen != len(all) {
		t.Errorf("%d trajectories of %d", seen, len(all))
	}
}

// TestOver: an interval holds its figure, and is the same twice.
func TestOver(t *testing.T) {
	fstest.OptIn(t, "measure")
	values := []float64{1, 2, 3, 4, 100}
	mean := func(sample []int) (m float64) {
		for _, i := range sample {
			m += values[i] / float64(len(sample))
		}
		return m
	}
	got := over(len(values), mean)
	if got != over(len(values), mean) || got.value != 22 || got.low >= 22 || got.high <= 22 || got.low < 1 || got.high > 100 {
		t.Errorf("%+v", got)
	}
}
