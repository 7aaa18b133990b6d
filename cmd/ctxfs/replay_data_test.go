package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxfs/providers/prompt"
)

// trajectory is a recorded session of an agent that called tools.
type trajectory struct {
	name   string
	system string
	turns  []exchange
}

// exchange is one request to the model: what has come since the one before it, and what
// the model wrote.
type exchange struct {
	heard []heard
	// reads are the parts of results that were shortened which this turn has words of.
	reads []string
	text  string
	uses  []use
	// wants are the words with which the tools of uses are looked for, first try
	// first, and routed those that the recorded agent gave to a search of its own.
	wants, routed []string
}

// heard is a message of the user, or the result of a call.
type heard struct {
	user bool
	text string
	// short is what ctxfs returns in place of a long result, or "".
	short string
}

// use is a call of a tool.
type use struct {
	server, tool string
	arguments    json.RawMessage
	defined      bool // it has a definition that can be looked for
}

// key names the tool among all servers.
func (u use) key() string { return u.server + "/" + u.tool }

// recordedEvent is a line of ../shared/data/trajectories.
type recordedEvent struct {
	Trajectory, Role, Text string
	Calls                  []recordedCall
	For                    string `json:"result_for"`
}

type recordedCall struct {
	ID, Server, Tool, Kind string
	Arguments              json.RawMessage
}

// trajectories are those of ../shared/data in which a tool with a definition is
// called, in the order of their files.
func trajectories(t testing.TB, pool *toolPool) (all []trajectory) {
	t.Helper()
	files, err := filepath.Glob(testData("trajectories/*.jsonl"))
	must(t, err)
	for _, file := range files {
		if filepath.Base(file) == "index.jsonl" {
			continue
		}
		for _, events := range eventsOf(t, file) {
			if one := trajectoryOf(events, pool); one.calls() > 0 {
				one.shorten(t)
				all = append(all, one)
			}
		}
	}
	return all
}

// calls is how many calls of tools with a definition there are.
func (one trajectory) calls() (n int) {
	for _, turn := range one.turns {
		for _, u := range turn.uses {
			if u.defined {
				n++
			}
		}
	}
	return n
}

// servers are those whose tools are called, sorted.
func (one trajectory) servers() (names []string) {
	for _, turn := range one.turns {
		for _, u := range turn.uses {
			if u.defined {
				names = append(names, u.server)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// eventsOf are the events of each trajectory of a file.
func eventsOf(t testing.TB, file string) (all [][]recordedEvent) {
	t.Helper()
	f, err := os.Open(file)
	must(t, err)
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e recordedEvent
		must(t, json.Unmarshal(lines.Bytes(), &e))
		if n := len(all); n == 0 || all[n-1][0].Trajectory != e.Trajectory {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], e)
	}
	must(t, lines.Err())
	return all
}

// reader takes what a recorder wrote apart into turns. Requests that did nothing but
// search for tools are taken out, with their results: that is what the arms replace.
type reader struct {
	trajectory
	pool    *toolPool
	heard   []heard
	removed map[string]bool // IDs of searches
	asked   []string        // the texts of searches since the last use of a tool
	routed  []string        // the words of these searches
	user    string          // what the user said last
	agent   string          // what the agent said last
	said    string          // what either said last
}

func trajectoryOf(events []recordedEvent, pool *toolPool) trajectory {
	r := reader{pool: pool, removed: make(map[string]bool)}
	r.name = events[0].Trajectory
	for _, e := range events {
		switch e.Role {
		case "system":
			r.system += e.Text
		case "user":
			r.heard = append(r.heard, heard{user: true, text: e.Text})
			r.user, r.said = e.Text, e.Text
		case "tool":
			if !r.removed[e.For] {
				r.heard = append(r.heard, heard{text: e.Text})
			}
		case "assistant":
			r.assistant(e)
		}
	}
	return r.trajectory
}

func (r *reader) assistant(e recordedEvent) {
	next := exchange{heard: r.heard, text: e.Text}
	for _, c := range e.Calls {
		if c.Kind == "discovery" {
			r.removed[c.ID] = true
			var args struct{ Query string }
			_ = json.Unmarshal(c.Arguments, &args)
			r.routed = append(r.routed, routeWords(args.Query))
			continue
		}
		server, defined := r.pool.named(c.Server, c.Tool)
		next.uses = append(next.uses, use{server, c.Tool, c.Arguments, defined && c.Kind != "builtin"})
	}
	if len(e.Calls) > 0 && len(next.uses) == 0 {
		r.asked = append(r.asked, e.Text)
		r.says(e.Text)
		return
	}
	if len(next.uses) > 0 {
		texts := slices.Clone(r.asked)
		slices.Reverse(texts)
		switch {
		case len(texts) > 0:
		case e.Text != "":
			texts = []string{e.Text}
		default:
			texts = []string{r.said, r.agent}
		}
		next.wants = wantsOf(texts, r.user)
		next.routed = wantsOf(reversed(r.routed), "")
		r.asked, r.routed = nil, nil
	}
	r.says(e.Text)
	r.heard = nil
	r.turns = append(r.turns, next)
}

func (r *reader) says(text string) {
	if text != "" {
		r.agent, r.said = text, text
	}
}

func reversed(list []string) []string {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

// toolPool are the definitions of all servers.
type toolPool struct {
	servers   map[string][]definition
	tokens    map[string]int      // of the definitions of a server
	counted   map[string]int      // of any text
	documents map[string]searched // by server/tool
	names     []string            // of the servers, sorted
}

// count counts the tokens of a text, each text once.
func (p *toolPool) count(text string) int {
	n, ok := p.counted[text]
	if !ok {
		n = prompt.Tokens(text)
		p.counted[text] = n
	}
	return n
}

// named returns a server as its folder is called, and whether it has a definition of
// the tool.
func (p *toolPool) named(server, tool string) (string, bool) {
	server = improper.ReplaceAllString(server, "_")
	return server, slices.ContainsFunc(p.servers[server], func(d definition) bool { return d.Name == tool })
}

// linkPart is how many of the tools of ToolLinkOS are taken as those of one server.
const linkPart = 20

// tools are the definitions of the servers of the trajectories, of those of
// mcp-tools that are not among them, and of ToolLinkOS in parts.
func tools(t testing.TB) *toolPool {
	t.Helper()
	p := &toolPool{servers: make(map[string][]definition), tokens: make(map[string]int), counted: make(map[string]int), documents: make(map[string]searched)}
	files, err := filepath.Glob(testData("trajectories/tools/*/tools.json"))
	must(t, err)
	if len(files) == 0 {
		t.Skip("the recorded trajectories in ../shared/data/trajectories are missing; CTXFS_TEST_DATA names another folder")
	}
	for _, file := range files {
		var listed struct {
			Kind  string
			Known *bool `json:"definitions_known"`
			Tools []definitionOf
		}
		text, err := os.ReadFile(file)
		must(t, err)
		must(t, json.Unmarshal(text, &listed))
		if listed.Kind != "discovery" && (listed.Known == nil || *listed.Known) {
			p.add(filepath.Base(filepath.Dir(file)), listed.Tools)
		}
	}
	p.addReal(t)
	links, _ := linkTools(t)
	for i, part := range slices.Collect(slices.Chunk(links["os"], linkPart)) {
		p.servers[fmt.Sprintf("os-%02d", i+1)] = part
	}
	for name, list := range p.servers {
		p.names = append(p.names, name)
		for _, d := range list {
			p.tokens[name] += p.count(asDefinition(name, d))
		}
	}
	slices.Sort(p.names)
	return p
}

func (p *toolPool) add(server string, listed []definitionOf) {
	for _, d := range listed {
		p.servers[server] = append(p.servers[server], compacted(definition(d)))
	}
}

// addReal adds the servers of mcp-tools of which there is no older version already.
func (p *toolPool) addReal(t testing.TB) {
	t.Helper()
	known := make(map[string]bool)
	for name := range p.servers {
		known[strings.ToLower(name)] = true
	}
	files, err := filepath.Glob(testData("mcp-tools/*.json"))
	must(t, err)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		var listed struct{ Tools []definitionOf }
		text, err := os.ReadFile(file)
		must(t, err)
		must(t, json.Unmarshal(text, &listed))
		if !known[name] {
			p.add(name, listed.Tools)
		}
	}
}

// compacted is a definition as clients send it.
func compacted(d definition) definition {
	var b bytes.Buffer
	if json.Compact(&b, d.InputSchema) == nil {
		d.InputSchema = b.Bytes()
	}
	return d
}

// asDefinition is a definition in a prompt.
func asDefinition(server string, d definition) string {
	d.Name = "mcp__" + server + "__" + d.Name
	text, err := json.Marshal(d)
	if err != nil {
		panic(err) // it came from JSON
	}
	return string(text)
}

// chained are trajectories one after the other, as one session.
func chained(all []trajectory) trajectory {
	one := trajectory{name: all[0].name, system: all[0].system}
	for _, next := range all {
		one.turns = append(one.turns, next.turns...)
	}
	return one
}
