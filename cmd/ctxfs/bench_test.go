package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/cmd/ctxfs/mount"
	"ctxfs/fs/fstest"
)

// benchServers is a user with n servers of 50 tools; hanging of the servers never
// answer.
func benchServers(b *testing.B, n, hanging int) (env []string, mnt string) {
	b.Helper()
	if _, err := os.Stat("/dev/fuse"); err != nil {
		b.Skip("this machine has no /dev/fuse")
	}
	dir, err := os.MkdirTemp(base, "")
	if err != nil {
		b.Fatal(err)
	}
	var tools []map[string]any
	for i := range 50 {
		tools = append(tools, map[string]any{
			"name":        fmt.Sprintf("tool_%d", i),
			"description": strings.Repeat("Does something that takes a few lines to describe. ", 8),
			"inputSchema": map[string]any{"type": "object", "properties": map[string]any{
				"path":   map[string]any{"type": "string", "description": strings.Repeat("Where it is. ", 10)},
				"labels": map[string]any{"type": "array", "items": map[string]any{"type": "string"}},
			}},
		})
	}
	list := filepath.Join(dir, "tools.json")
	servers := make(map[string]any)
	for i := range n {
		mode := "serves"
		if i < hanging {
			mode = "silent"
		}
		servers[fmt.Sprintf("server%02d", i)] = stubEntry(mode, map[string]string{stubTools: list})
	}
	home := filepath.Join(dir, "h")
	for path, value := range map[string]any{list: tools, filepath.Join(home, ".cursor/mcp.json"): map[string]any{"mcpServers": servers}} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(asJSON(value)), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	env = append(os.Environ(), "HOME="+home, "XDG_RUNTIME_DIR="+home)
	for _, v := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"} {
		env = append(env, v+"="+filepath.Join(dir, v))
	}
	b.Cleanup(func() {
		benchRun(b, env, binary(), "unmount", "--all")
		if !fstest.Becomes(func() bool { return len(processesOf(dir)) == 0 }) {
			b.Errorf("processes are left: %v", processesOf(dir))
		}
		os.RemoveAll(dir)
	})
	return env, filepath.Join(home, ".agentctx")
}

func benchRun(b *testing.B, env []string, name string, args ...string) string {
	b.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = env
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		b.Fatalf("%s %q: %v: %s", name, args, err, said.String())
	}
	return string(out)
}

// benchStatus asks the background process how it is.
func benchStatus(b *testing.B, env []string) (report mount.StatusReport) {
	b.Helper()
	if err := json.Unmarshal([]byte(benchRun(b, env, binary(), "status", "--json")), &report); err != nil {
		b.Fatal(err)
	}
	return report
}

// BenchmarkMount measures what a user waits for: from `ctxfs mount`, which starts
// the background process, to the end of the first `ls` of the root, with 25
// servers, 5 of which hang.
func BenchmarkMount(b *testing.B) {
	for _, c := range []struct {
		servers int
		cached  bool
	}{{25, false}, {25, true}, {100, false}, {100, true}} {
		cached, name := c.cached, "first-time"
		if cached {
			name = "from-cache"
		}
		b.Run(fmt.Sprintf("%d-servers/%s", c.servers, name), func(b *testing.B) {
			env, mnt := benchServers(b, c.servers, 5)
			var times []float64
			round := func() float64 {
				begun := time.Now()
				benchRun(b, env, binary(), "mount")
				benchRun(b, env, "ls", mnt)
				return float64(time.Since(begun).Microseconds()) / 1000
			}
			if cached {
				round()
				if !fstest.Becomes(func() bool { return readyServers(benchStatus(b, env)) == c.servers-5 }) {
					b.Fatal("the servers did not get ready")
				}
				endServer(b, env)
			}
			for range 9 {
				times = append(times, round())
				endServer(b, env)
				if !cached {
					for _, e := range env {
						if dir, ok := strings.CutPrefix(e, "XDG_CACHE_HOME="); ok {
							os.RemoveAll(dir)
						}
					}
				}
			}
			slices.Sort(times)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(times[len(times)/2], "ms")
			b.ReportMetric(times[len(times)-1], "worst-ms")
		})
	}
}

// endServer unmounts and waits until the background process has ended.
func endServer(b *testing.B, env []string) {
	b.Helper()
	pid := benchStatus(b, env).Pid
	benchRun(b, env, binary(), "unmount", "--all")
	if !fstest.Becomes(func() bool { return !alive(pid) }) {
		b.Fatal("the background process did not end")
	}
}

func readyServers(report mount.StatusReport) int {
	n := 0
	for _, p := range report.Providers {
		for _, i := range p.Items {
			if i.State == "ready" && i.Count > 0 {
				n++
			}
		}
	}
	return n
}

// BenchmarkIdleMemory reports the resident memory of the background process
// with 25 servers and 1,250 tools, all of which were searched, at rest.
func BenchmarkIdleMemory(b *testing.B) {
	env, mnt := benchServers(b, 25, 0)
	benchRun(b, env, binary(), "mount")
	if !fstest.Becomes(func() bool { return readyServers(benchStatus(b, env)) == 25 }) {
		b.Fatal("the servers did not get ready")
	}
	benchRun(b, env, "grep", "-rc", "something", mnt)
	pid := benchStatus(b, env).Pid
	before := resident(b, pid)
	after := restingMemory(b, pid)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(before, "MB-after-rg")
	b.ReportMetric(after, "MB-at-rest")
}

// restingMemory waits until the resident memory of a process has been the same
// for ten seconds, and returns it in MB: a process gives memory back when it has
// been at rest.
func restingMemory(b *testing.B, pid int) float64 {
	b.Helper()
	last, since := resident(b, pid), time.Now()
	fstest.Eventually(b, "the process is at rest", func() bool {
		if now := resident(b, pid); now != last {
			last, since = now, time.Now()
		}
		return time.Since(since) > 10*time.Second
	})
	return last
}

// resident is the resident memory of a process in MB.
func resident(b *testing.B, pid int) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var kb float64
		if n, _ := fmt.Sscanf(line, "VmRSS: %f kB", &kb); n == 1 {
			return kb / 1024
		}
	}
	b.Fatal("no VmRSS")
	return 0
}
