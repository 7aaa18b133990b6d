package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

// withServers gives the user n servers of 50 tools; hanging of the servers never answer.
func (u *user) withServers(n, hanging int) {
	u.Helper()
	o := new(offer)
	for i := range 50 {
		o.Tools = append(o.Tools, tool{fmt.Sprint("tool_", i), strings.Repeat("Does something that takes a few lines to describe. ", 8), json.RawMessage(
			`{"type":"object","properties":{"path":{"type":"string","description":"` + strings.Repeat("Where it is. ", 10) + `"},"labels":{"type":"array","items":{"type":"string"}}}}`)})
	}
	offers := make(map[string]*offer)
	for i := range n {
		if offers[fmt.Sprintf("server%02d", i)] = o; i < hanging {
			offers[fmt.Sprintf("server%02d", i)] = nil
		}
	}
	u.configure(serve(u, offers))
}

// ready waits until that many servers are.
func (u *user) ready(n int) {
	u.Helper()
	fstest.Eventually(u, "the servers are ready", func() bool {
		ready := 0
		for _, p := range u.status().Providers {
			for _, i := range p.Items {
				if p.Name == "mcps" && i.State == "ready" && i.Count > 0 {
					ready++
				}
			}
		}
		return ready == n
	})
}

// BenchmarkMount measures what a user waits for: from `ctxfs mount`, which starts the
// background process, to the end of the first `ls` of the root, with 25 servers, 5 of which hang.
func BenchmarkMount(b *testing.B) {
	for _, cached := range []bool{false, true} {
		b.Run(fmt.Sprintf("cached=%v", cached), func(b *testing.B) {
			u := newUser(b)
			u.withServers(25, 5)
			if cached {
				u.run(program(), "mount")
				u.ready(20)
				u.end()
			}
			var times []float64
			for b.Loop() {
				for range 9 {
					begun := time.Now()
					u.run(program(), "mount")
					u.run("ls", u.mnt)
					times = append(times, float64(time.Since(begun).Microseconds())/1000)
					u.end()
					if !cached {
						must(b, os.RemoveAll(filepath.Join(u.dir, "XDG_CACHE_HOME")))
					}
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(times), "ms")
		})
	}
}

// BenchmarkIdleMemory reports the resident memory of the background process with 25 servers
// and 1,250 tools, all of which were searched, at rest.
func BenchmarkIdleMemory(b *testing.B) {
	u := newUser(b)
	u.withServers(25, 0)
	u.run(program(), "mount")
	u.ready(25)
	for b.Loop() {
		u.run("grep", "-rc", "something", u.mnt)
		pid := u.status().Pid
		b.ReportMetric(u.memory(pid, "VmRSS"), "MB-after-rg")
		b.ReportMetric(u.resting(pid), "MB-at-rest")
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkCall measures calls of one server that are made one after the other, beside
// mcporter (npm) with its daemon, and the start of an empty Go program. Each figure is a
// median; "x-" are how many times as long mcporter takes.
func BenchmarkCall(b *testing.B) {
	mcporter := filepath.Join(fstest.NodeModules(b, "mcporter"), ".bin", "mcporter")
	u := newUser(b)
	stub := &offer{Tools: []tool{{"say", "Says hi.", json.RawMessage(`{"type":"object","properties":{"message":{"type":"string"}}}`)}}}
	entries := serve(b, map[string]*offer{"stub": stub})
	u.configure(entries)
	entries["stub"].(map[string]any)["lifecycle"] = "keep-alive"
	text, err := json.Marshal(map[string]any{"mcpServers": entries})
	must(b, err)
	u.write("mcporter.json", string(text))
	u.write("empty/main.go", "package main\n\nfunc main() {}\n")
	empty, config := filepath.Join(u.home, "empty/empty"), filepath.Join(u.home, "mcporter.json")
	if out, err := exec.Command("go", "build", "-o", empty, filepath.Join(u.home, "empty/main.go")).CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	u.run(program(), "mount")
	u.ready(1)
	u.run(mcporter, "daemon", "start", "--config", config)
	b.Cleanup(func() { u.run(mcporter, "daemon", "stop", "--config", config) })
	ways := map[string][]string{
		"empty":         {empty},
		"call":          {program(), "call", "stub", "say", "--message", "hi"},
		"bin":           {filepath.Join(u.mnt, "mcps/stub/bin/say"), "--message", "hi"},
		"tools":         {program(), "tools", "stub"},
		"mcporter-call": {mcporter, "call", "stub.say", "message=hi", "--config", config},
		"mcporter-list": {mcporter, "list", "stub", "--config", config},
	}
	took := make(map[string][]float64)
	for b.Loop() {
		for range 15 {
			for name, argv := range ways {
				begun := time.Now()
				u.run(argv[0], argv[1:]...)
				took[name] = append(took[name], float64(time.Since(begun).Microseconds())/1000)
			}
		}
	}
	for name := range ways {
		b.ReportMetric(median(took[name]), name+"-ms")
	}
	for name, beside := range map[string]string{"call": "mcporter-call", "bin": "mcporter-call", "tools": "mcporter-list"} {
		b.ReportMetric(median(took[beside])/median(took[name]), "x-"+name)
	}
	b.ReportMetric(0, "ns/op")
}
