package find

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

// corpus is a set of tools, and what people want, with the tools that do it.
type corpus struct {
	docs  []fs.Document
	wants []want
}

type want struct {
	text string
	gold []string // names of tools
}

// readData reads a file of [fstest.Data].
func readData(t testing.TB, name string, value any) {
	t.Helper()
	text, err := os.ReadFile(fstest.Data(t, name))
	fstest.Must(t, err)
	fstest.Must(t, json.Unmarshal(text, value))
}

type parameter struct{ Name, Description string }

// listedTool is a tool as servers list it.
type listedTool struct {
	Name, Description string
	InputSchema       struct{ Properties map[string]parameter }
}

func (l listedTool) document(server string) fs.Document {
	var parameters []parameter
	for name, p := range l.InputSchema.Properties {
		parameters = append(parameters, parameter{name, p.Description})
	}
	return toolDocument(server, "", l.Name, l.Description, parameters)
}

func toolDocument(server, about, name, description string, parameters []parameter) fs.Document {
	var names, details strings.Builder
	for _, p := range parameters {
		names.WriteString(p.Name + "\n")
		details.WriteString(p.Description + "\n")
	}
	return fs.Document{Path: "mcps/" + server + "/tools/" + name + ".json", Title: server + "/" + name, Fields: map[string]string{
		"name": name, "server": server, "about": about, "description": description,
		"parameters": names.String(), "details": details.String(),
	}}
}

var stepNumber = regexp.MustCompile(`(?m)^\s*\d+\.\s*`)

// liveMCPBench has the tasks themselves, or the steps that annotators wrote for them.
func liveMCPBench(t testing.TB, steps bool) (c corpus) {
	var servers []struct {
		Tools map[string]struct{ Tools []listedTool }
	}
	readData(t, "retrieval/LiveMCPBench/tools.json", &servers)
	var tasks []struct {
		Question string
		Meta     struct{ Steps, Tools string } `json:"Annotator Metadata"`
	}
	readData(t, "retrieval/LiveMCPBench/all_annotations.json", &tasks)
	known := make(map[string]bool)
	for _, s := range servers {
		for server, set := range s.Tools {
			for _, tool := range set.Tools {
				known[tool.Name] = true
				c.docs = append(c.docs, tool.document(server))
			}
		}
	}
	for _, task := range tasks {
		w := want{text: task.Question}
		if steps {
			w.text = task.Meta.Steps
		}
		for _, name := range stepNumber.Split(task.Meta.Tools, -1) {
			if name = strings.TrimSpace(name); known[name] {
				w.gold = append(w.gold, name)
			}
		}
		if len(w.gold) > 0 {
			c.wants = append(c.wants, w)
		}
	}
	return c
}

func toolLinkOS(t testing.TB) (c corpus) {
	type tool struct {
		Name, Description string
		Parameters        []parameter
	}
	var regular, core []tool
	readData(t, "retrieval/ToolLinkOS/regular_tools.json", &regular)
	readData(t, "retrieval/ToolLinkOS/core_tools.json", &core)
	var asked []struct {
		Query string `json:"user_query"`
		Gold  string `json:"main_golden_function_name"`
	}
	readData(t, "retrieval/ToolLinkOS/instances.json", &asked)
	for _, tool := range slices.Concat(regular, core) {
		c.docs = append(c.docs, toolDocument("os", "", tool.Name, tool.Description, tool.Parameters))
	}
	for _, a := range asked {
		c.wants = append(c.wants, want{a.Query, []string{a.Gold}})
	}
	return c
}

// realServers has the tools of twelve real servers, and what one person wrote who
// had seen their names and not the ranking.
func realServers(t testing.TB) (c corpus) {
	for _, server := range []string{
		"chrome-devtools", "context7", "eslint", "everything", "filesystem", "github-npm", "github", "memory",
		"playwright", "sequential-thinking", "slack", "tavily",
	} {
		var list struct{ Tools []listedTool }
		readData(t, "mcp-tools/"+server+".json", &list)
		for _, tool := range list.Tools {
			c.docs = append(c.docs, tool.document(server))
		}
	}
	wants, err := os.ReadFile("testdata/wants.tsv")
	fstest.Must(t, err)
	for line := range strings.Lines(string(wants)) {
		text, gold, _ := strings.Cut(strings.TrimSpace(line), "\t")
		c.wants = append(c.wants, want{text, strings.Fields(gold)})
	}
	return c
}

// rankOf is the rank of the first right one; 0 for none.
func rankOf(w want, names []string) int {
	return 1 + slices.IndexFunc(names, func(n string) bool { return slices.Contains(w.gold, n) })
}

func byFind(docs []fs.Document) func(want) int {
	x := newIndex()
	x.Update("", slices.Values(docs))
	return func(w want) int {
		var names []string
		for _, m := range x.Search(w.text, Options{Limit: 50}) {
			names = append(names, m.Title[strings.IndexByte(m.Title, '/')+1:])
		}
		return rankOf(w, names)
	}
}

// hits are how often the first right tool is among the first 1, 5 and 10.
func hits(ranks []int) (h [3]float64) {
	for i, k := range []int{1, 5, 10} {
		for _, r := range ranks {
			if r > 0 && r <= k {
				h[i] += 1 / float64(len(ranks))
			}
		}
	}
	return h
}

// TestRetrieval holds the ranking to how often it finds a right tool among the first 1, 5 and
// 10. The figures are in BENCHMARKS.md.
func TestRetrieval(t *testing.T) {
	for name, set := range map[string]struct {
		corpus
		least [3]float64
	}{
		"LiveMCPBench tasks": {liveMCPBench(t, false), [3]float64{.46, .68, .77}},
		"LiveMCPBench steps": {liveMCPBench(t, true), [3]float64{.67, .86, .89}},
		"ToolLinkOS":         {toolLinkOS(t), [3]float64{.66, .94, .96}},
		"twelve servers":     {realServers(t), [3]float64{.54, .76, .90}},
	} {
		search := byFind(set.docs)
		var ranks []int
		for _, w := range set.wants {
			ranks = append(ranks, search(w))
		}
		h := hits(ranks)
		t.Logf("%s: %.3f", name, h)
		for i := range h {
			if h[i] < set.least[i] {
				t.Errorf("%s: %.3f, not %.2f", name, h, set.least)
				break
			}
		}
	}
}
