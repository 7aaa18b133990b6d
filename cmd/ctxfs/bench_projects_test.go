package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

// benchProjects makes n repositories in a home folder.
func benchProjects(b *testing.B, home string, n int) (projects []string) {
	b.Helper()
	for i := range n {
		dir := filepath.Join(home, fmt.Sprint("project", i))
		if err := os.MkdirAll(filepath.Join(dir, ".git"), 0o700); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o600); err != nil {
			b.Fatal(err)
		}
		projects = append(projects, dir)
	}
	return projects
}

// BenchmarkProjects reports the resident memory of the background process with 25
// servers, of which 5 are called in each of 5 projects, at rest, and how many
// processes of servers were started for that. Its own memory is that which is not
// pages of the program; proportional counts those by how many processes share them.
func BenchmarkProjects(b *testing.B) {
	env, mnt := benchServers(b, 25, 0)
	home := filepath.Dir(mnt)
	dir := filepath.Dir(home)
	config := filepath.Join(dir, "XDG_CONFIG_HOME/ctxfs/config.toml")
	if err := os.MkdirAll(filepath.Dir(config), 0o700); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(config, []byte("[mcp]\nmax_instances = 40\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	benchRun(b, env, binary(), "mount")
	if !fstest.Becomes(func() bool { return readyServers(benchStatus(b, env)) == 25 }) {
		b.Fatal("the servers did not get ready")
	}
	pid := benchStatus(b, env).Pid
	for i, project := range benchProjects(b, home, 5) {
		for j := range 5 {
			benchRun(b, env, binary(), "call", "--project", project, fmt.Sprintf("server%02d", (5*i+2*j)%25), "tool_7", "--path", "x")
		}
	}
	started := 0
	for i := range 25 {
		status, err := os.ReadFile(filepath.Join(mnt, "mcps", fmt.Sprintf("server%02d", i), "STATUS.md"))
		if err != nil {
			b.Fatal(err)
		}
		started += strings.Count(string(status), ": ready since ")
	}
	benchRun(b, env, "grep", "-rc", "something", mnt)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(started), "processes-for-projects")
	b.ReportMetric(restingMemory(b, pid), "MB-at-rest")
	rollup, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(rollup)) {
		var kb float64
		if n, _ := fmt.Sscanf(line, "Pss_Anon: %f kB", &kb); n == 1 {
			b.ReportMetric(kb/1024, "MB-own")
		}
		if n, _ := fmt.Sscanf(line, "Pss: %f kB", &kb); n == 1 {
			b.ReportMetric(kb/1024, "MB-proportional")
		}
	}
}

// BenchmarkColdInstance measures the first call in a project, for which a process of
// a real server is started, beside a client that starts the same process by itself,
// lists its tools, and calls one.
func BenchmarkColdInstance(b *testing.B) {
	server := filepath.Join(fstest.NodeModules(b, "@modelcontextprotocol/server-everything"), ".bin", "mcp-server-everything")
	const rounds = 15
	env, mnt := benchServers(b, 0, 0)
	home := filepath.Dir(mnt)
	entry := map[string]any{"command": "node", "args": []string{server, "stdio"}}
	if err := os.WriteFile(filepath.Join(home, ".cursor/mcp.json"), []byte(asJSON(map[string]any{"mcpServers": map[string]any{"everything": entry}})), 0o600); err != nil {
		b.Fatal(err)
	}
	benchRun(b, env, binary(), "mount")
	if !fstest.Becomes(func() bool { return readyServers(benchStatus(b, env)) == 1 }) {
		b.Fatal("the server did not get ready")
	}
	var alone, cold, warm []time.Duration
	for i, project := range benchProjects(b, home, rounds) {
		first := func() {
			begun := time.Now()
			benchRun(b, env, binary(), "call", "--project", project, "everything", "echo", "--message", "hi")
			cold = append(cold, time.Since(begun))
		}
		if i%2 == 0 {
			first()
		}
		begun := time.Now()
		callAlone(b, env, project, server)
		alone = append(alone, time.Since(begun))
		if i%2 == 1 {
			first()
		}
		begun = time.Now()
		benchRun(b, env, binary(), "call", "--project", project, "everything", "echo", "--message", "hi")
		warm = append(warm, time.Since(begun))
	}
	median := func(took []time.Duration) float64 {
		slices.Sort(took)
		return took[len(took)/2].Seconds() * 1000
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(alone), "alone-ms")
	b.ReportMetric(median(cold), "cold-ms")
	b.ReportMetric(median(cold)/median(alone), "x-alone")
	b.ReportMetric(median(warm), "warm-ms")
}

// callAlone starts a server as any client does, lists its tools and calls one.
func callAlone(b *testing.B, env []string, dir, server string) {
	b.Helper()
	cmd := exec.Command("node", server, "stdio")
	cmd.Env, cmd.Dir = env, dir
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	}()
	answers := bufio.NewReaderSize(out, 1<<20)
	ask := func(id int, request string) {
		if _, err := fmt.Fprintln(in, request); err != nil {
			b.Fatal(err)
		}
		for id > 0 {
			line, err := answers.ReadBytes('\n')
			if err != nil {
				b.Fatal(err)
			}
			var m struct {
				ID     int
				Result json.RawMessage
			}
			if json.Unmarshal(line, &m) == nil && m.ID == id && len(bytes.TrimSpace(m.Result)) > 0 {
				return
			}
		}
	}
	ask(1, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"alone","version":"1"}}}`)
	ask(0, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	ask(2, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	ask(3, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hi"}}}`)
}
