package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ctxfs/cmd/ctxfs/places"
	"ctxfs/cmd/ctxfs/usertree"
	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

// startedTree is the tree of a home folder in this process, without a mount.
func startedTree(t testing.TB, home string) *usertree.Tree {
	tree := usertree.New(usertree.Options{
		LookupEnv: func(string) (string, bool) { return "", false },
		Places: places.Places{
			Home: home, Config: filepath.Join(home, "config.toml"), State: filepath.Join(home, "state"),
			Cache: filepath.Join(home, "cache"),
		},
	})
	tree.Providers().Start()
	t.Cleanup(tree.Close)
	return tree
}

// discoveryWorld is a tree in this process with MCP servers and skills, each by
// its name.
func discoveryWorld(t testing.TB, servers map[string][]definition, skills map[string]string) *usertree.Tree {
	t.Helper()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		serveDefinitions(w, r, servers[strings.TrimPrefix(r.URL.Path, "/")])
	}))
	t.Cleanup(web.Close)
	home := t.TempDir()
	write := func(path, text string) {
		full := filepath.Join(home, path)
		must(t, os.MkdirAll(filepath.Dir(full), 0o700))
		must(t, os.WriteFile(full, []byte(text), 0o600))
	}
	entries := make(map[string]any)
	for name := range servers {
		entries[name] = map[string]any{"url": web.URL + "/" + name}
	}
	write(".cursor/mcp.json", asJSON(map[string]any{"mcpServers": entries}))
	for name, text := range skills {
		write(".claude/skills/"+name+"/SKILL.md", text)
	}
	tree := startedTree(t, home)
	want := 0
	for _, tools := range servers {
		want += len(tools)
	}
	if !fstest.Becomes(func() bool {
		got := 0
		for _, s := range statusesOf(t, tree) {
			for _, i := range s.Items {
				got += max(i.Count, 0)
			}
		}
		return got == want
	}) {
		t.Fatalf("not all of the %d tools are there: %s", want, asJSON(statusesOf(t, tree)))
	}
	tree.RenewPages()
	return tree
}

// statusesOf asks a tree for the status of its providers.
func statusesOf(t testing.TB, tree *usertree.Tree) []usertree.ProviderStatus {
	t.Helper()
	all, err := usertree.OpProviders.Ask(context.Background(), tree.Operations(), fs.None{})
	must(t, err)
	return all
}

// serveDefinitions is an MCP server over HTTP that has tools.
func serveDefinitions(w http.ResponseWriter, r *http.Request, tools []definition) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&m) != nil {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	answer := map[string]any{"jsonrpc": "2.0", "id": m.ID}
	switch m.Method {
	case "initialize":
		answer["result"] = map[string]any{
			"protocolVersion": "2025-06-18", "capabilities": map[string]any{"tools": map[string]any{}},
			"serverInfo": map[string]any{"name": "stub", "version": "1"},
		}
	case "tools/list":
		var listed []map[string]any
		for _, d := range tools {
			listed = append(listed, map[string]any{"name": d.Name, "description": d.Description, "inputSchema": d.InputSchema})
		}
		answer["result"] = map[string]any{"tools": listed}
	default:
		answer["error"] = map[string]any{"code": -32601, "message": "method not found"}
	}
	if m.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

// discoveries are the sets of ../shared/data/retrieval.
func discoveries(b *testing.B) []discovery {
	b.Helper()
	live, solutions, steps, aligned := liveServers(b)
	links, queries := linkTools(b)
	skills, lines := skillsOf(live, links, 1000)
	known := func(all []quest) []quest {
		return slices.DeleteFunc(slices.Clone(all), func(q quest) bool {
			return !slices.ContainsFunc(q.right, func(r string) bool { return skills[r] != "" })
		})
	}
	toolbox := discoveryWorld(b, live, nil)
	cabinet := discoveryWorld(b, nil, skills)
	all := marshalled(b, live)
	some, described, wanted := someServers(b, live)
	drawer, lot := discoveryWorld(b, some, nil), marshalled(b, some)
	return []discovery{
		{"26-servers-descriptions", "", drawer, lot, described},
		{"26-servers-wants", "", drawer, lot, wanted},
		{"LiveMCPBench-solutions", "mcps", toolbox, all, solutions},
		{"LiveMCPBench-steps", "mcps", toolbox, all, steps},
		{"LiveMCPBench-aligned", "mcps", toolbox, all, aligned},
		{"ToolLinkOS", "mcps", discoveryWorld(b, links, nil), marshalled(b, links), queries},
		{"skills-LiveMCPBench", "skills", cabinet, lines, known(solutions)},
		{"skills-ToolLinkOS", "skills", cabinet, lines, known(queries)},
	}
}

// marshalled are all tools as a model gets them.
func marshalled(t testing.TB, servers map[string][]definition) string {
	var all []definition
	for _, tools := range servers {
		all = append(all, tools...)
	}
	slices.SortFunc(all, func(a, b definition) int { return cmp.Compare(a.Name, b.Name) })
	text, err := json.Marshal(all)
	must(t, err)
	return string(text)
}

// testData returns the full path of a file of the test data: below the folder that
// CTXFS_TEST_DATA names, or below ../shared/data beside the project.
func testData(path string) string {
	return filepath.Join(cmp.Or(os.Getenv("CTXFS_TEST_DATA"), "../../../shared/data"), path)
}

func retrievalFile(t testing.TB, name string, value any) {
	t.Helper()
	text, err := os.ReadFile(testData("retrieval/" + name))
	if err != nil {
		t.Skip("the data for retrieval in ../shared/data is missing; CTXFS_TEST_DATA names another folder")
	}
	must(t, json.Unmarshal(text, value))
}

// numbered begins an entry in what the annotators wrote.
var numbered = regexp.MustCompile(`(?m)^\s*\d+\.\s*`)

func entries(text string) (all []string) {
	for _, e := range numbered.Split(text, -1) {
		if e = strings.TrimSpace(e); e != "" {
			all = append(all, e)
		}
	}
	return all
}

// liveServers are the servers of LiveMCPBench and what its annotators wrote for
// each task: all steps together, each alone, and each of a task with as many
// steps as tools. They do not say which step is for which tool: right is any
// tool of the task, but in aligned only that of the same number. A tool of the
// same name on another server is right too. Tasks of which no tool is among the
// servers' are left out.
func liveServers(t testing.TB) (servers map[string][]definition, solutions, steps, aligned []quest) {
	var listed []struct {
		Tools map[string]struct{ Tools []definitionOf }
	}
	retrievalFile(t, "LiveMCPBench/tools.json", &listed)
	servers = make(map[string][]definition)
	known := make(map[string]bool)
	for _, l := range listed {
		for server, set := range l.Tools {
			server = improper.ReplaceAllString(server, "_")
			for _, tool := range set.Tools {
				servers[server] = append(servers[server], definition(tool))
				known[tool.Name] = true
			}
		}
	}
	for _, task := range liveTasks(t) {
		words, tools := entries(task.Meta.Steps), entries(task.Meta.Tools)
		right := task.right(known)
		if len(right) == 0 {
			continue
		}
		solutions = append(solutions, quest{strings.Join(words, " "), right})
		for i, w := range words {
			steps = append(steps, quest{w, right})
			if len(right) == len(words) && len(tools) == len(words) {
				aligned = append(aligned, quest{w, right[i : i+1]})
			}
		}
	}
	return servers, solutions, steps, aligned
}

// liveTask is a task of LiveMCPBench with what its annotators wrote.
type liveTask struct {
	ID   string                        `json:"task_id"`
	Meta struct{ Steps, Tools string } `json:"Annotator Metadata"`
}

func liveTasks(t testing.TB) (tasks []liveTask) {
	t.Helper()
	retrievalFile(t, "LiveMCPBench/all_annotations.json", &tasks)
	return tasks
}

// right are the tools of a task that are known, as the tree names them.
func (task liveTask) right(known map[string]bool) (tools []string) {
	for _, name := range entries(task.Meta.Tools) {
		if known[name] {
			tools = append(tools, improper.ReplaceAllString(name, "_"))
		}
	}
	return tools
}

// definitionOf reads a definition as MCP writes it.
type definitionOf struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

// improper is what no name of a folder has.
var improper = regexp.MustCompile(`[^A-Za-z0-9_-]`)

// someServers are 26 servers: the twelve of mcp-tools, and the 14 of LiveMCPBench that
// follow one another by size with which there are nearest to 371 tools. What is looked
// for is each tool, by the first twelve words of its description, and with the wants of
// testdata/wants.tsv the tools of the twelve.
func someServers(t testing.TB, live map[string][]definition) (servers map[string][]definition, described, wanted []quest) {
	t.Helper()
	servers = make(map[string][]definition)
	files, err := filepath.Glob(testData("mcp-tools/*.json"))
	must(t, err)
	n := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		must(t, err)
		var listed struct{ Tools []definitionOf }
		must(t, json.Unmarshal(text, &listed))
		server := strings.TrimSuffix(filepath.Base(file), ".json")
		for _, tool := range listed.Tools {
			servers[server] = append(servers[server], definition(tool))
			n++
		}
	}
	var others []string
	for server := range live {
		if servers[server] == nil {
			others = append(others, server)
		}
	}
	slices.SortFunc(others, func(a, b string) int { return cmp.Or(len(live[b])-len(live[a]), strings.Compare(a, b)) })
	const more, goal = 14, 371
	best, from := goal, 0
	for i := range len(others) - more + 1 {
		off := goal - n
		for _, server := range others[i : i+more] {
			off -= len(live[server])
		}
		if off = max(off, -off); off < best {
			best, from = off, i
		}
	}
	for _, server := range others[from : from+more] {
		servers[server] = live[server]
	}
	for server, tools := range servers {
		for _, tool := range tools {
			described = append(described, quest{firstWords(tool.Description, 12), []string{server + "/" + improper.ReplaceAllString(tool.Name, "_")}})
		}
	}
	slices.SortFunc(described, func(a, b quest) int { return strings.Compare(a.right[0], b.right[0]) })
	text, err := os.ReadFile("../../providers/find/testdata/wants.tsv")
	must(t, err)
	for line := range strings.Lines(string(text)) {
		words, right, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if words != "" && !strings.HasPrefix(words, "#") {
			wanted = append(wanted, quest{words, strings.Fields(right)})
		}
	}
	return servers, described, wanted
}

// linkTools are the tools of ToolLinkOS, as those of one server, and its queries.
func linkTools(t testing.TB) (map[string][]definition, []quest) {
	type parameter struct {
		Name, Type, Description string
		Required                bool
	}
	type tool struct {
		Name, Description string
		Parameters        []parameter
	}
	var regular, core []tool
	retrievalFile(t, "ToolLinkOS/regular_tools.json", &regular)
	retrievalFile(t, "ToolLinkOS/core_tools.json", &core)
	var tools []definition
	for _, from := range slices.Concat(regular, core) {
		properties, required := make(map[string]any), []string{}
		for _, p := range from.Parameters {
			properties[p.Name] = map[string]string{"type": p.Type, "description": p.Description}
			if p.Required {
				required = append(required, p.Name)
			}
		}
		schema, err := json.Marshal(map[string]any{"type": "object", "properties": properties, "required": required})
		must(t, err)
		tools = append(tools, definition{from.Name, from.Description, schema})
	}
	var asked []struct {
		Query string `json:"user_query"`
		Right string `json:"main_golden_function_name"`
	}
	retrievalFile(t, "ToolLinkOS/instances.json", &asked)
	var queries []quest
	for _, a := range asked {
		queries = append(queries, quest{a.Query, []string{a.Right}})
	}
	return map[string][]definition{"os": tools}, queries
}

// skillsOf makes n skills of real tools, each with its description, and its
// arguments as text; lines are what agents have of skills in their prompt.
func skillsOf(live, links map[string][]definition, n int) (skills map[string]string, lines string) {
	skills = make(map[string]string)
	var all []definition
	for _, servers := range []map[string][]definition{live, links} {
		for _, tools := range servers {
			all = append(all, tools...)
		}
	}
	slices.SortStableFunc(all, func(a, b definition) int { return cmp.Compare(a.Name+a.Description, b.Name+b.Description) })
	for _, d := range all {
		if skills[d.Name] != "" || improper.MatchString(d.Name) || len(skills) == n {
			continue
		}
		about := strings.Join(strings.Fields(d.Description), " ")
		about = strings.ToValidUTF8(about[:min(len(about), 1024)], "")
		skills[d.Name] = fmt.Sprintf("---\nname: %s\ndescription: %q\n---\n\n# %s\n\n%s\n\nWhat it wants:\n\n%s\n", d.Name, about, d.Name, d.Description, d.InputSchema)
		lines += fmt.Sprintf("- %s: %s (file: ~/.claude/skills/%s/SKILL.md)\n", d.Name, about, d.Name)
	}
	return skills, lines
}
