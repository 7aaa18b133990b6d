package mcp

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkNew opens a provider over the cached catalogues of 25 servers with
// 1,000 tools, which is what stands between a mount and its first listing.
func BenchmarkNew(b *testing.B) {
	var list []string
	schema := `{"type":"object","properties":{` + strings.Repeat(`"parameter":{"type":"string","description":"What it is for, in some words."},`, 20) + `"last":{}}}`
	for i := range 40 {
		list = append(list, fmt.Sprintf(`{"name":"tool_%d","description":"Does a thing. And another.","inputSchema":%s}`, i, schema))
	}
	w := newWorld(b)
	tools := w.write("tools.json", "["+strings.Join(list, ",")+"]")
	servers := map[string]any{}
	for i := range 25 {
		servers[fmt.Sprintf("server%d", i)] = stub("ok", stubTools, tools, "N", fmt.Sprint(i))
	}
	w.claude(servers)
	w.open().start()
	for name := range servers {
		w.untilState(name, "ready")
	}
	w.p.Close()
	for b.Loop() {
		p := New(w.opts)
		if got := p.Status().Summary; got != "25 servers, 1000 tools" {
			b.Fatal(got)
		}
	}
}
