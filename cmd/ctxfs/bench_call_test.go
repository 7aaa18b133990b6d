package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

// BenchmarkCall measures calls of one server that are made one after the other,
// beside mcporter (npm) with its daemon, and the start of an empty Go program.
// Each figure is a median; "x-" are how many times as long mcporter takes.
func BenchmarkCall(b *testing.B) {
	mcporter := filepath.Join(fstest.NodeModules(b, "mcporter"), ".bin", "mcporter")
	env, mnt := benchServers(b, 1, 0)
	dir := filepath.Dir(filepath.Dir(mnt))
	home := filepath.Dir(mnt)
	entry := stubEntry("serves", map[string]string{stubTools: filepath.Join(dir, "sixty.json")})
	tools := make([]map[string]any, 60)
	for i := range tools {
		tools[i] = map[string]any{
			"name": fmt.Sprintf("tool_%d", i), "description": "Says what it was told.",
			"inputSchema": map[string]any{"type": "object", "properties": map[string]any{"message": map[string]any{"type": "string"}}},
		}
	}
	keepAlive := map[string]any{"lifecycle": "keep-alive"}
	for k, v := range entry {
		keepAlive[k] = v
	}
	for path, text := range map[string]string{
		filepath.Join(dir, "sixty.json"):                        asJSON(tools),
		filepath.Join(home, ".cursor/mcp.json"):                 asJSON(map[string]any{"mcpServers": map[string]any{"stub": entry}}),
		filepath.Join(home, "mcporter.json"):                    asJSON(map[string]any{"mcpServers": map[string]any{"stub": keepAlive}}),
		filepath.Join(dir, "XDG_CONFIG_HOME/ctxfs/config.toml"): "[mcp]\nfile_calls = true\n",
		filepath.Join(dir, "empty/main.go"):                     "package main\n\nfunc main() {}\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	empty := filepath.Join(dir, "empty/empty")
	if out, err := exec.Command("go", "build", "-o", empty, filepath.Join(dir, "empty/main.go")).CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	benchRun(b, env, binary(), "mount")
	config := []string{"--config", filepath.Join(home, "mcporter.json")}
	benchRun(b, env, mcporter, append([]string{"daemon", "start"}, config...)...)
	b.Cleanup(func() { benchRun(b, env, mcporter, append([]string{"daemon", "stop"}, config...)...) })

	calls := filepath.Join(mnt, "mcps/stub/calls")
	number := 0
	ways := []struct {
		name string
		run  func()
	}{
		{"empty", func() { benchRun(b, env, empty) }},
		{"call", func() { benchRun(b, env, binary(), "call", "stub", "tool_7", "--message", "hi") }},
		{"bin", func() { benchRun(b, env, filepath.Join(mnt, "mcps/stub/bin/tool_7"), "--message", "hi") }},
		{"calls", func() {
			number++
			file := fmt.Sprintf("%s/tool_7.%d", calls, number)
			benchRun(b, env, "sh", "-c", `echo '{"message":"hi"}' >"$0.json"; read -r line <"$0.result"`, file)
		}},
		{"tools", func() { benchRun(b, env, binary(), "tools", "stub") }},
		{"mcporter-call", func() {
			benchRun(b, env, mcporter, append([]string{"call", "stub.tool_7", "message=hi"}, config...)...)
		}},
		{"mcporter-list", func() { benchRun(b, env, mcporter, append([]string{"list", "stub"}, config...)...) }},
	}
	took := make(map[string][]time.Duration)
	for range b.N {
		for range 15 {
			for _, w := range ways {
				begun := time.Now()
				w.run()
				took[w.name] = append(took[w.name], time.Since(begun))
			}
		}
	}
	median := func(name string) float64 {
		slices.Sort(took[name])
		return took[name][len(took[name])/2].Seconds() * 1000
	}
	for _, w := range ways {
		b.ReportMetric(median(w.name), w.name+"-ms")
	}
	for _, name := range []string{"call", "bin", "calls"} {
		b.ReportMetric(median("mcporter-call")/median(name), "x-"+name)
	}
	b.ReportMetric(median("mcporter-list")/median("tools"), "x-tools")
	b.ReportMetric(median("empty")/median("call"), "empty/call")
	b.ReportMetric(0, "ns/op")
}
