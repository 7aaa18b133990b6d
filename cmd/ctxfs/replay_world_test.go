package main

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/places"
	"ctxfs/cmd/ctxfs/usertree"
	"ctxfs/fs"
	"ctxfs/fs/fstest"
	"ctxfs/providers/find"
	"ctxfs/providers/find/suggest"
	"ctxfs/providers/mcp"
)

// replayWorld is a home with MCP servers, in which ctxfs and its gateway run.
type replayWorld struct {
	*box
	pool    *toolPool
	servers []string
	app     *cli.App
	gateway *agent
	search  *toolSearch

	definitions, page, gatewayPrompt int // in tokens
	found                            map[string][]fs.Match
	lists, answers                   map[string]shown
	hints                            map[string][]suggest.Candidate
	finder                           *find.Finder // of candidates
}

// shown is what a search has printed: all of it, and the part for each tool.
type shown struct {
	text string
	of   map[string]string // by server/tool
}

// newReplayWorld starts ctxfs with some of the servers of a pool.
func newReplayWorld(t *testing.T, pool *toolPool, servers []string) *replayWorld {
	w := &replayWorld{
		box: newBox(t), pool: pool, servers: servers, search: newToolSearch(pool, servers),
		found: make(map[string][]fs.Match), lists: make(map[string]shown), answers: make(map[string]shown), hints: make(map[string][]suggest.Candidate),
	}
	web := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		serveDefinitions(out, r, pool.servers[strings.TrimPrefix(r.URL.Path, "/")])
	}))
	t.Cleanup(web.Close)
	want := 0
	for _, name := range servers {
		w.box.servers[name] = map[string]any{"url": web.URL + "/" + name}
		want += len(pool.servers[name])
		w.definitions += pool.tokens[name]
	}
	w.configure()
	w.mount()
	w.app = &cli.App{Places: places.Places{
		Home: w.home, Config: w.config, State: filepath.Join(w.state, "ctxfs"), Cache: filepath.Join(w.cache, "ctxfs"),
	}}
	for _, name := range servers { // those that are asked for do not wait until the machine is less busy
		_, err := mcp.OpRestart.Ask(t.Context(), w.app.OnlyRunning(), mcp.RestartQuery{Name: name})
		must(t, err)
	}
	fstest.Eventually(t, "all tools are there", func() bool { return w.tools() == want })
	fstest.Eventually(t, "AGENTS.md tells of them", func() bool { return !strings.Contains(w.read("AGENTS.md"), "not ready") })
	w.page = pool.count(w.read("AGENTS.md"))
	w.gateway = w.agent()
	w.gatewayPrompt = definitionTokens(t, w.gateway.definitions()) + pool.count(w.gateway.hello.Instructions)
	return w
}

// tools is how many tools are known.
func (w *replayWorld) tools() (n int) {
	w.Helper()
	all, err := usertree.OpProviders.Ask(w.Context(), w.app.OnlyRunning(), fs.None{})
	must(w, err)
	for _, p := range all {
		for _, i := range p.Items {
			if p.Name == "mcps" {
				n += max(i.Count, 0)
			}
		}
	}
	return n
}

// list is what `ctxfs find` prints.
func (w *replayWorld) list(want string) shown {
	if s, ok := w.lists[want]; ok {
		return s
	}
	matches := w.find(want)
	s := taken(find.List([]find.Answer{{Want: want, Matches: matches}}, true), matches)
	w.lists[want] = s
	return s
}

func (w *replayWorld) find(want string) []fs.Match {
	w.Helper()
	if matches, ok := w.found[want]; ok {
		return matches
	}
	matches, err := usertree.OpFind.Ask(w.Context(), w.app.OnlyRunning(), usertree.FindQuery{Query: want, Limit: usualMatches})
	must(w, err)
	w.found[want] = matches
	return matches
}

// answer is what the gateway's find returns.
func (w *replayWorld) answer(want string) shown {
	if s, ok := w.answers[want]; ok {
		return s
	}
	text, failed := w.gateway.ask("find", map[string]any{"query": want})
	if failed {
		w.Errorf("find %q: %s", want, text)
	}
	s := taken(text, w.find(want))
	w.answers[want] = s
	return s
}

// taken takes what was printed apart by the tools that were found: the lines from
// the first that names a tool to the one before the next tool's. A line that names
// several has only their names.
func taken(text string, matches []fs.Match) shown {
	s := shown{text: text, of: make(map[string]string)}
	type named struct {
		key  string
		name *regexp.Regexp
	}
	var tools []named
	for _, m := range matches {
		if parts := strings.Split(m.Path, "/"); len(parts) == 4 && parts[2] == "tools" {
			server, tool := parts[1], strings.TrimSuffix(parts[3], ".json")
			tools = append(tools, named{server + "/" + tool, regexp.MustCompile(
				`(^|[^\w-])` + regexp.QuoteMeta(server) + `[/ ](tools/)?` + regexp.QuoteMeta(tool) + `($|[^\w-])`)})
		}
	}
	current := ""
	for line := range strings.Lines(text) {
		var keys []string
		for _, tool := range tools {
			if tool.name.MatchString(line) {
				keys = append(keys, tool.key)
			}
		}
		if len(keys) > 1 { // a list of names
			for _, key := range keys {
				s.of[key] += key + "\n"
			}
			current = ""
			continue
		}
		if len(keys) == 1 {
			current = keys[0]
		}
		if current != "" {
			s.of[current] += line
		}
	}
	return s
}

// file is the file of a tool, as its server's tool is called there.
func (w *replayWorld) file(key string) (path, text string) {
	server, tool, _ := strings.Cut(key, "/")
	path = "mcps/" + server + "/tools/" + improper.ReplaceAllString(tool, "_") + ".json"
	body, err := os.ReadFile(w.mnt(path))
	must(w, err)
	return path, string(body)
}

// tellsAll reports whether what was printed of a tool is enough to call it so: it
// names every argument, and none is an object or a list of objects, the members of
// which only the tool's file has.
func tellsAll(printed string, u use) bool {
	if printed == "" {
		return false
	}
	arguments := make(map[string]json.RawMessage)
	if json.Unmarshal(u.arguments, &arguments) != nil || len(arguments) == 0 {
		return strings.Contains(printed, u.tool+"(") || strings.Contains(printed, "arguments:") || strings.Contains(printed, "ctxfs call")
	}
	for name, value := range arguments {
		if !regexp.MustCompile(`(^|[^\w])`+regexp.QuoteMeta(name)+`($|[^\w])`).MatchString(printed) || nested(value) {
			return false
		}
	}
	return true
}

func nested(value json.RawMessage) bool {
	value = bytes.TrimSpace(value)
	var list []json.RawMessage
	if json.Unmarshal(value, &list) == nil {
		return slices.ContainsFunc(list, nested)
	}
	return bytes.HasPrefix(value, []byte("{"))
}

// packs are sets of trajectories, each with servers whose definitions are about that
// many tokens: those that its trajectories call, and others at random.
func packs(pool *toolPool, all []trajectory, tokens int, random *rand.Rand) (sets []pack) {
	for _, i := range random.Perm(len(all)) {
		own := all[i].servers()
		at := slices.IndexFunc(sets, func(s pack) bool { return pool.sum(union(s.servers, own)) <= tokens })
		if at < 0 {
			at = len(sets)
			sets = append(sets, pack{})
		}
		sets[at].servers = union(sets[at].servers, own)
		sets[at].trajectories = append(sets[at].trajectories, i)
	}
	for i := range sets {
		for _, j := range random.Perm(len(pool.names)) {
			if with := union(sets[i].servers, pool.names[j:j+1]); pool.sum(with) <= tokens {
				sets[i].servers = with
			}
		}
	}
	return sets
}

// pack is what one world is for.
type pack struct {
	servers      []string
	trajectories []int
}

func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

func (p *toolPool) sum(servers []string) (n int) {
	for _, name := range servers {
		n += p.tokens[name]
	}
	return n
}
