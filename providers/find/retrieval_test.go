package find

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
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

// retrievalData reads a file of the folder retrieval in it.
func retrievalData(t testing.TB, name string, value any) {
	t.Helper()
	sharedData(t, filepath.Join("retrieval", name), value)
}

// sharedData reads a file of [fstest.Data].
func sharedData(t testing.TB, name string, value any) {
	t.Helper()
	b, err := os.ReadFile(fstest.Data(t, name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, value); err != nil {
		t.Fatal(err)
	}
}

type parameter struct{ Name, Description string }

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

// liveMCPBench has the tasks themselves, or the steps that annotators wrote
// for them; about gives the tools what their server is said to be for.
func liveMCPBench(t testing.TB, steps, about bool) (c corpus) {
	var servers []struct {
		Name, Description string
		Tools             map[string]struct {
			Tools []struct {
				Name, Description string
				InputSchema       struct {
					Properties map[string]parameter
				}
			}
		}
	}
	retrievalData(t, "LiveMCPBench/tools.json", &servers)
	var tasks []struct {
		Question string
		Meta     struct{ Steps, Tools string } `json:"Annotator Metadata"`
	}
	retrievalData(t, "LiveMCPBench/all_annotations.json", &tasks)
	known := make(map[string]bool)
	for _, s := range servers {
		words := ""
		if about {
			words = s.Name + ". " + s.Description
		}
		for server, set := range s.Tools {
			for _, tool := range set.Tools {
				var parameters []parameter
				for name, p := range tool.InputSchema.Properties {
					parameters = append(parameters, parameter{name, p.Description})
				}
				known[tool.Name] = true
				c.docs = append(c.docs, toolDocument(server, words, tool.Name, tool.Description, parameters))
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
	retrievalData(t, "ToolLinkOS/regular_tools.json", &regular)
	retrievalData(t, "ToolLinkOS/core_tools.json", &core)
	var asked []struct {
		Query string `json:"user_query"`
		Gold  string `json:"main_golden_function_name"`
	}
	retrievalData(t, "ToolLinkOS/instances.json", &asked)
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
		var list struct {
			Tools []struct {
				Name, Description string
				InputSchema       struct {
					Properties map[string]parameter
				}
			}
		}
		sharedData(t, filepath.Join("mcp-tools", server+".json"), &list)
		for _, tool := range list.Tools {
			var parameters []parameter
			for name, p := range tool.InputSchema.Properties {
				parameters = append(parameters, parameter{name, p.Description})
			}
			c.docs = append(c.docs, toolDocument(server, "", tool.Name, tool.Description, parameters))
		}
	}
	wants, err := os.ReadFile("testdata/wants.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(wants)) {
		text, gold, _ := strings.Cut(strings.TrimSpace(line), "\t")
		c.wants = append(c.wants, want{text, strings.Fields(gold)})
	}
	return c
}

// ranker makes a search over documents that returns the names of tools; all
// those of a rank that is shared stand together.
type ranker func(docs []fs.Document) func(w want) (rank int)

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

// interval is the 95 % interval of hit@k of a over that of b, of the same
// wants, by resampling these.
func interval(a, b []int, k int) (low, high float64) {
	hit := func(r int) float64 {
		if r > 0 && r <= k {
			return 1
		}
		return 0
	}
	random := rand.New(rand.NewPCG(1, 2))
	var differences []float64
	for range 2000 {
		sum := 0.0
		for range a {
			i := random.IntN(len(a))
			sum += hit(a[i]) - hit(b[i])
		}
		differences = append(differences, sum/float64(len(a)))
	}
	slices.Sort(differences)
	return differences[50], differences[1949]
}

// BenchmarkRetrieval reports how often the right tool is found, by find and by the
// methods that it is compared with. The time is that of one query.
func BenchmarkRetrieval(b *testing.B) {
	for _, set := range []struct {
		name string
		corpus
	}{
		{"LiveMCPBench-tasks", liveMCPBench(b, false, false)},
		{"LiveMCPBench-steps", liveMCPBench(b, true, false)},
		{"LiveMCPBench-tasks-about", liveMCPBench(b, false, true)},
		{"LiveMCPBench-steps-about", liveMCPBench(b, true, true)},
		{"ToolLinkOS", toolLinkOS(b)},
		{"real-servers", realServers(b)},
	} {
		var base []int
		for _, by := range []struct {
			name string
			make ranker
		}{{"rg-one-word", byOneWord}, {"BM25", byPlainBM25}, {"find", byFind}} {
			b.Run(set.name+"/"+by.name, func(b *testing.B) {
				search := by.make(set.docs)
				var ranks []int
				for _, w := range set.wants {
					ranks = append(ranks, search(w))
				}
				for i := 0; b.Loop(); i++ {
					search(set.wants[i%len(set.wants)])
				}
				h := hits(ranks)
				b.ReportMetric(h[0], "hit@1")
				b.ReportMetric(h[1], "hit@5")
				b.ReportMetric(h[2], "hit@10")
				switch by.name {
				case "BM25":
					base = ranks
				case "find":
					low, high := interval(ranks, base, 5)
					b.ReportMetric(low, "over-BM25@5-low")
					b.ReportMetric(high, "over-BM25@5-high")
				}
			})
		}
	}
}

// TestRetrievalGains holds the ranking to what it was made for: never below
// plain BM25, and above it where queries are sentences.
func TestRetrievalGains(t *testing.T) {
	sample := toolLinkOS(t)
	sample.wants = slices.Collect(func(yield func(want) bool) {
		for i := 0; i < len(sample.wants) && yield(sample.wants[i]); i += 5 {
		}
	})
	for name, c := range map[string]corpus{
		"LiveMCPBench tasks": liveMCPBench(t, false, false),
		"LiveMCPBench steps": liveMCPBench(t, true, false),
		"ToolLinkOS":         sample,
	} {
		var found, plain []int
		byFind, byBM25 := byFind(c.docs), byPlainBM25(c.docs)
		for _, w := range c.wants {
			found, plain = append(found, byFind(w)), append(plain, byBM25(w))
		}
		f, p := hits(found), hits(plain)
		t.Logf("%s: find %.3f, plain BM25 %.3f", name, f, p)
		for i := range f {
			if f[i] < p[i]-1e-9 {
				t.Errorf("%s: find %.3f is below plain BM25 %.3f", name, f, p)
			}
		}
	}
}
