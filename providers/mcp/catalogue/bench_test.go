package catalogue

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/names"
	"ctxfs/providers/internal/rawjson"
	"ctxfs/providers/internal/tokens"
)

// BenchmarkList takes a list of 1,000 tools from its raw definitions to the
// texts of their files, as every start of a server does.
func BenchmarkList(b *testing.B) {
	properties := make([]string, 8)
	for i := range properties {
		properties[i] = fmt.Sprintf(`"property%d": {"type": "string", "description": "What the tool needs to know about thing %d, with é"}`, i, i)
	}
	raw := make([]json.RawMessage, 1000)
	size := 0
	for i := range raw {
		raw[i] = fmt.Appendf(nil, `{"name": "tool%d", "description": "Does a thing. It takes <some> time.", "inputSchema": {"type": "object", "properties": {%s}}, "annotations": {"readOnlyHint": true}}`,
			i, strings.Join(properties, ", "))
		size += len(raw[i])
	}
	day := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	list := func() (l List) {
		l.Add(raw, make(map[[sha256.Size]byte]bool))
		return l
	}
	before := list()
	before.Succeed(List{}, day)
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		cat := &Catalogue{}
		cat.Lists[Tools] = list()
		cat.Lists[Tools].Succeed(before, day.Add(time.Hour))
		if s := NewSnapshot(cat); len(s.Tools()) != 1000 {
			b.Fatal(len(s.Tools()))
		}
	}
}

// BenchmarkFileTokens prints the tokens of the files of real tools, beside the same
// indented and without any space: see BENCHMARKS.md.
func BenchmarkFileTokens(b *testing.B) {
	root := fstest.Data(b)
	for _, set := range []string{"mcp-tools/*.json", "retrieval/LiveMCPBench/tools.json"} {
		files, err := filepath.Glob(filepath.Join(root, set))
		if err != nil || len(files) == 0 {
			b.Fatal(set, err)
		}
		b.Run(strings.Split(set, "/")[0], func(b *testing.B) {
			var indented, shown, compact, tools int
			for b.Loop() {
				indented, shown, compact, tools = 0, 0, 0, 0
				for _, file := range files {
					for server, all := range realTools(b, file) {
						var l List
						l.Add(all, make(map[[sha256.Size]byte]bool))
						cat := new(Catalogue)
						cat.Lists[Tools] = l
						for _, tool := range NewSnapshot(cat).Tools() {
							wide, err := rawjson.Indent(tool.Body)
							if err != nil {
								b.Fatal(err)
							}
							indented += tokens.Count(string(wide))
							compact += tokens.Count(string(tool.Definition()))
							shown += tokens.Count(string(tool.Head(server, ToolFolder)) + string(tool.Body[1:]))
							tools++
						}
					}
				}
			}
			b.ReportMetric(float64(tools), "tools")
			b.ReportMetric(float64(indented), "indented")
			b.ReportMetric(float64(shown), "shown")
			b.ReportMetric(float64(compact), "minified")
			b.ReportMetric(float64(shown)/float64(indented), "shown/indented")
		})
	}
}

// realTools returns the tools of a file of the test data, by server.
func realTools(b *testing.B, file string) map[string][]json.RawMessage {
	text, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	type listed struct{ Tools []json.RawMessage }
	var one listed
	if json.Unmarshal(text, &one) == nil {
		return map[string][]json.RawMessage{strings.TrimSuffix(filepath.Base(file), ".json"): one.Tools}
	}
	var several []struct{ Tools map[string]listed }
	if err := json.Unmarshal(text, &several); err != nil {
		b.Fatal(err)
	}
	all := make(map[string][]json.RawMessage)
	for _, s := range several {
		for name, l := range s.Tools {
			all[names.File(name)] = l.Tools
		}
	}
	return all
}
