package bench

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
	"ctxfs/providers/find"
	"ctxfs/providers/find/suggest"
)

// within is how many requests after a message a tool counts as used for it.
const within = 5

// exchange is one request to the model: what users said since the one before it, and the
// tools that the model then called, as server/tool.
type exchange struct{ said, uses []string }

// trajectories are the recorded sessions of agents in which a tool with a definition is
// called, in the order of their files.
func trajectories(tb testing.TB, servers map[string]*offer) (all [][]exchange) {
	tb.Helper()
	for _, file := range []string{"livemcpbench.jsonl", "mcpproxy.jsonl", "tau-airline.jsonl"} {
		text, err := os.ReadFile(fstest.Data(tb, "trajectories", file))
		must(tb, err)
		last := ""
		var next exchange
		for _, e := range jsonLines[struct {
			Trajectory, Role, Text string
			Calls                  []struct{ Server, Tool, Kind string }
		}](tb, text) {
			if e.Trajectory != last {
				all, next, last = append(all, nil), exchange{}, e.Trajectory
			}
			searched := false
			switch e.Role {
			case "user":
				next.said = append(next.said, e.Text)
			case "assistant":
				for _, c := range e.Calls {
					server := improper.ReplaceAllString(c.Server, "_")
					searched = searched || c.Kind == "discovery"
					if o := servers[server]; o != nil && c.Kind != "builtin" && c.Kind != "discovery" && slices.ContainsFunc(o.Tools, func(t tool) bool { return t.Name == c.Tool }) {
						next.uses = append(next.uses, server+"/"+c.Tool)
					}
				}
				if !searched || len(next.uses) > 0 { // what only searches for tools is no request
					all[len(all)-1] = append(all[len(all)-1], next)
					next = exchange{}
				}
			}
		}
	}
	return slices.DeleteFunc(all, func(one []exchange) bool { return len(serversOf(one)) == 0 })
}

// improper is what no name of a folder has.
var improper = regexp.MustCompile(`[^A-Za-z0-9_-]`)

// serversOf are those whose tools are called.
func serversOf(one []exchange) (names []string) {
	for _, t := range one {
		for _, use := range t.uses {
			server, _, _ := strings.Cut(use, "/")
			names = append(names, server)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// manyServers are the servers of the trajectories, the twelve recorded ones that are not
// among them, and the tools of ToolLinkOS in parts.
func manyServers(tb testing.TB) map[string]*offer {
	tb.Helper()
	offers := toolLists(tb, fstest.Data(tb, "trajectories/tools")+"/*/tools.json", func(file string) string { return filepath.Base(filepath.Dir(file)) })
	maps.DeleteFunc(offers, func(name string, o *offer) bool {
		return len(o.Tools) == 0 || name == "mcp-copilot" || name == "mcpproxy"
	})
	for name, o := range recordedTools(tb) {
		if name != "context7" && offers[name] == nil {
			offers[name] = o
		}
	}
	for _, file := range []string{"regular_tools.json", "core_tools.json"} {
		text, err := os.ReadFile(fstest.Data(tb, "retrieval/ToolLinkOS", file))
		must(tb, err)
		var all []struct {
			Name, Description string
			Parameters        []struct{ Name, Type, Description string }
		}
		must(tb, json.Unmarshal(text, &all))
		for i, t := range all {
			properties := make(map[string]any)
			for _, p := range t.Parameters {
				properties[p.Name] = map[string]string{"type": p.Type, "description": p.Description}
			}
			schema, err := json.Marshal(map[string]any{"type": "object", "properties": properties})
			must(tb, err)
			part := fmt.Sprintf("os-%c%02d", file[0], i/20)
			if offers[part] == nil {
				offers[part] = new(offer)
			}
			offers[part].Tools = append(offers[part].Tools, tool{t.Name, t.Description, schema})
		}
	}
	return offers
}

// pack is what one world is for.
type pack struct {
	servers      []string
	trajectories []int
}

// packs are sets of trajectories, each with servers whose definitions are about that many
// tokens: those that its trajectories call, and others at random.
func packs(all [][]exchange, tokens map[string]int, size int) (sets []pack) {
	random := rand.New(rand.NewPCG(uint64(size), 14))
	with := func(s pack, more ...string) ([]string, bool) {
		servers := slices.Compact(slices.Sorted(slices.Values(slices.Concat(s.servers, more))))
		n := 0
		for _, name := range servers {
			n += tokens[name]
		}
		return servers, n <= size
	}
	for _, i := range random.Perm(len(all)) {
		own := serversOf(all[i])
		at := slices.IndexFunc(sets, func(s pack) bool { _, fit := with(s, own...); return fit })
		if at < 0 {
			at = len(sets)
			sets = append(sets, pack{})
		}
		sets[at].servers, _ = with(sets[at], own...)
		sets[at].trajectories = append(sets[at].trajectories, i)
	}
	names := slices.Sorted(maps.Keys(tokens))
	for i := range sets {
		for _, j := range random.Perm(len(names)) {
			if servers, fit := with(sets[i], names[j]); fit {
				sets[i].servers = servers
			}
		}
	}
	return sets
}

// told is what comes of a bar.
type told struct {
	messages, answered  int // messages of users, and those to which something is told
	lines, used, tokens int // lines, those used within five requests, tokens of those not used
	first, known        int // first uses of tools, and those of tools that were told before
}

func (s told) used100() float64 { return 100 * float64(s.used) / float64(max(1, s.lines)) }

// add goes through a trajectory as a hook would: what was told or used before is not told.
func (s *told) add(one []exchange, bar suggest.Bar, candidates func(words string) []suggest.Candidate) {
	seen, used := make(map[string]bool), make(map[string]bool)
	for i, t := range one {
		for _, words := range t.said {
			s.messages++
			lines := suggest.Choose(candidates(words), bar, facts.Moment{Time: time.Now(), Root: "/home/user/.agentctx"}, func(m facts.Match) bool {
				return seen[keyOf(m)] || used[keyOf(m)]
			})
			if len(lines) > 0 {
				s.answered++
			}
			for _, line := range lines {
				key := keyOf(line.Match)
				seen[key] = true
				s.lines++
				if slices.ContainsFunc(one[i:min(len(one), i+within)], func(t exchange) bool { return slices.Contains(t.uses, key) }) {
					s.used++
				} else {
					s.tokens += line.Tokens
				}
			}
		}
		for _, use := range t.uses {
			if !used[use] {
				used[use] = true
				s.first++
				if seen[use] {
					s.known++
				}
			}
		}
	}
}

// keyOf is the key of a tool that was found; "" for anything else.
func keyOf(m facts.Match) string {
	key, _, _ := strings.Cut(m.Signature, "(")
	return key
}

// bars are those that are compared: the usual one, and others that differ in one thing.
func bars() (all []suggest.Bar) {
	vary := func(change func(*suggest.Bar)) {
		bar := suggest.Usual()
		change(&bar)
		if !slices.Contains(all, bar) {
			all = append(all, bar)
		}
	}
	for _, v := range []float64{0, 0.25, 0.3, 0.4, 0.5} {
		vary(func(b *suggest.Bar) { b.Score = v })
	}
	for _, v := range []int{1, 2, 3, 4} {
		vary(func(b *suggest.Bar) { b.Words = v })
	}
	for _, v := range []float64{0, 0.5, 0.67} {
		vary(func(b *suggest.Bar) { b.Named = v })
	}
	for _, v := range []float64{-1, 0, 0.1} {
		vary(func(b *suggest.Bar) { b.Lead = v })
	}
	return all
}

// BenchmarkTold prints what a hook tells of tools at each message of a user, for several
// bars: how much of it is used within the next five requests. The usual one was chosen on
// the odd trajectories; the even ones say what it is worth.
func BenchmarkTold(b *testing.B) {
	servers := manyServers(b)
	size := make(map[string]int)
	for name, o := range servers {
		size[name] = tokens(b, o.Tools)
	}
	all := trajectories(b, servers)
	for b.Loop() {
		sums := make(map[suggest.Bar]*[2]told)
		for _, bar := range bars() {
			sums[bar] = new([2]told)
		}
		for _, set := range packs(all, size, 40_000) { // as a user with some servers has them
			candidates := finder(b, servers, set.servers)
			for bar, s := range sums {
				for _, j := range set.trajectories {
					s[j%2].add(all[j], bar, candidates)
				}
			}
		}
		b.Logf("\neven trajectories\n%s\nodd trajectories\n%s", table(sums, 0), table(sums, 1))
		if usual := sums[suggest.Usual()][0]; usual.used100() < 40 {
			b.Errorf("of what the usual bar tells %.0f %% is used", usual.used100())
		}
	}
}

// finder finds candidates among the tools of some servers.
func finder(b *testing.B, all map[string]*offer, names []string) func(words string) []suggest.Candidate {
	u := newUser(b)
	some, n := make(map[string]*offer), 0
	for _, name := range names {
		some[name] = all[name]
		n += len(all[name].Tools)
	}
	u.configure(serve(b, some))
	finder := u.tree(n).Providers().Finder()
	known := make(map[string][]suggest.Candidate)
	return func(words string) []suggest.Candidate {
		if _, ok := known[words]; !ok {
			known[words] = suggest.Candidates(b.Context(), func(ctx context.Context, want string) ([]facts.Match, error) {
				return finder.Find(ctx, want, find.Options{Limit: 10})
			}, words)
		}
		return known[words]
	}
}

func table(sums map[suggest.Bar]*[2]told, odd int) string {
	var b strings.Builder
	b.WriteString("| score, words, name, lead | messages told of something | used within 5, % | tokens of unused in 100 messages | first uses told before, % |\n| --- | --- | --- | --- | --- |\n")
	all := slices.SortedFunc(maps.Keys(sums), func(x, y suggest.Bar) int { return cmp.Compare(sums[y][odd].used100(), sums[x][odd].used100()) })
	for _, bar := range all {
		s, mark := sums[bar][odd], ""
		if bar == suggest.Usual() {
			mark = " **(usual)**"
		}
		fmt.Fprintf(&b, "| %.2f, %d, %.2f, %.1f%s | %d of %d | %.0f | %d | %.0f |\n", bar.Score, bar.Words, bar.Named, bar.Lead, mark,
			s.answered, s.messages, s.used100(), 100*s.tokens/max(1, s.messages), 100*float64(s.known)/float64(max(1, s.first)))
	}
	return b.String()
}
