package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/mark3labs/mcp-go/mcp"

	"ctxfs/fs/fstest"
	"ctxfs/providers/prompt"
)

// definition is a tool as a model gets it.
type definition struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
}

// definitionTokens are the tokens of tools in a prompt.
func definitionTokens(t *testing.T, tools []definition) int {
	t.Helper()
	text, err := json.Marshal(tools)
	must(t, err)
	return prompt.Tokens(string(text))
}

// definitions are those of the gateway.
func (a *agent) definitions() (tools []definition) {
	a.t.Helper()
	listed, err := a.ListTools(a.t.Context(), mcp.ListToolsRequest{})
	must(a.t, err)
	for _, tool := range listed.Tools {
		schema, err := json.Marshal(tool.InputSchema)
		if tool.RawInputSchema != nil {
			schema = tool.RawInputSchema
		}
		must(a.t, err)
		tools = append(tools, definition{tool.Name, tool.Description, schema})
	}
	return tools
}

// maxDefinitionTokens is what the gateway's tools may cost in every prompt.
const maxDefinitionTokens = 600

func TestServeIsCheap(t *testing.T) {
	t.Parallel()
	a := newBox(t).agent()
	tools := a.definitions()
	n := definitionTokens(t, tools)
	t.Logf("%d tokens for the tools of the gateway, %d for its instructions", n, prompt.Tokens(a.hello.Instructions))
	if n > maxDefinitionTokens || len(tools) != 5 {
		t.Errorf("%d tools of %d tokens", len(tools), n)
	}
}

// TestTokens prints the table of tokens in BENCHMARKS.md: what the definitions
// of real servers cost in a prompt, beside what an agent reads to find one of
// their tools and to use it. For each tool the words that are looked for are the
// first of its description, and the cost is the mean over all tools.
func TestTokens(t *testing.T) {
	fstest.OptIn(t, "measure")
	t.Parallel()
	files, err := filepath.Glob(testData("mcp-tools/*.json"))
	must(t, err)
	if len(files) == 0 {
		t.Skip("the definitions of real servers in ../shared/data/mcp-tools are missing; CTXFS_TEST_DATA names another folder")
	}
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 1, ' ', 0)
	fmt.Fprintln(w, "| servers\t| tools\t| static\t| file: prompt\t| file: all\t| gateway: prompt\t| gateway: all\t| found\t|")
	fmt.Fprintln(w, "| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t|")
	for _, c := range append(single(files), tokenCase{"all twelve", files}) {
		c.row(t, w)
	}
	must(t, w.Flush())
	t.Logf("\n%s", table.String())
}

// tokenCase are the files of some servers.
type tokenCase struct {
	name  string
	files []string
}

func single(files []string) (cases []tokenCase) {
	for _, f := range files {
		cases = append(cases, tokenCase{strings.TrimSuffix(filepath.Base(f), ".json"), []string{f}})
	}
	return cases
}

func (c tokenCase) row(t *testing.T, w *tabwriter.Writer) {
	b := newBox(t)
	tools := make(map[string]definition) // by the path of the file
	var all []definition
	for _, file := range c.files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		text, err := os.ReadFile(file)
		must(t, err)
		var raw struct{ Tools json.RawMessage }
		must(t, json.Unmarshal(text, &raw))
		var listed []struct {
			Name, Description string
			InputSchema       json.RawMessage
		}
		must(t, json.Unmarshal(raw.Tools, &listed))
		for _, tool := range listed {
			d := definition{tool.Name, tool.Description, tool.InputSchema}
			tools["mcps/"+name+"/tools/"+d.Name+".json"] = d
			all = append(all, d)
		}
		list := filepath.Join(b.dir, name)
		must(t, os.WriteFile(list, raw.Tools, 0o600))
		b.servers[name] = stubEntry("", map[string]string{stubTools: list})
	}
	b.configure()
	b.mount()
	for _, file := range c.files {
		b.ready(strings.TrimSuffix(filepath.Base(file), ".json"))
	}
	a := b.agent()
	fstest.Eventually(t, "AGENTS.md names all tools", func() bool { return !strings.Contains(b.read("AGENTS.md"), "not ready") })
	static := definitionTokens(t, all)
	byFile := prompt.Tokens(b.read("AGENTS.md"))
	byGateway := definitionTokens(t, a.definitions()) + prompt.Tokens(a.hello.Instructions)
	files, gateway, found := 0, 0, 0
	paths := slices.Sorted(maps.Keys(tools))
	n, every := 0, len(paths)/fstest.Rounds(len(paths))
	for i := 0; i < len(paths); i += every {
		n++
		path := paths[i]
		tool := tools[path]
		query := firstWords(tool.Description, 12)
		printed := b.ok("find", "--", query)
		server, _, _ := strings.Cut(strings.TrimPrefix(path, "mcps/"), "/")
		name := server + "/" + tool.Name
		answer, failed := a.ask("find", map[string]any{"query": query})
		if failed {
			t.Errorf("find %q: %s", query, answer)
		}
		if strings.Contains(answer, name) {
			found++
		}
		files += prompt.Tokens(printed)
		if !strings.Contains("\n"+printed, "\n"+name+"(") { // else the list says what it takes
			files += prompt.Tokens(b.read(path))
		}
		gateway += prompt.Tokens(answer)
	}
	fmt.Fprintf(w, "| %s\t| %d\t| %d\t| %d\t| %d\t| %d\t| %d\t| %d %%\t|\n", c.name, len(tools), static, byFile, byFile+files/n, byGateway, byGateway+gateway/n, 100*found/n)
	if len(c.files) > 1 && (byFile+files/n > static/10 || byGateway+gateway/n > static/10) {
		t.Errorf("%s: %d tokens by file and %d by gateway are more than a tenth of %d", c.name, byFile+files/n, byGateway+gateway/n, static)
	}
	b.ok("unmount")
}

// firstWords are the first n words of a text.
func firstWords(text string, n int) string {
	all := strings.Fields(text)
	return strings.Join(all[:min(n, len(all))], " ")
}
