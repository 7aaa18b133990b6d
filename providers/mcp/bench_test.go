package mcp

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// manyServers configures 25 servers that have 1,000 tools together, each of
// about the size that tools have.
func (w *world) manyServers() map[string]any {
	var list []string
	schema := `{"type":"object","properties":{` + strings.Repeat(`"parameter":{"type":"string","description":"What it is for, in some words."},`, 20) + `"last":{}}}`
	for i := range 40 {
		list = append(list, fmt.Sprintf(`{"name":"tool_%d","description":"Does a thing. And another.","inputSchema":%s}`, i, schema))
	}
	tools := w.write("tools.json", "["+strings.Join(list, ",")+"]")
	servers := map[string]any{}
	for i := range 25 {
		servers[fmt.Sprintf("server%d", i)] = stub("ok", stubTools, tools, "N", fmt.Sprint(i))
	}
	w.claude(servers)
	return servers
}

// BenchmarkNew opens a provider over the cached catalogues of 25 servers with
// 1,000 tools, which is what stands between a mount and its first listing.
func BenchmarkNew(b *testing.B) {
	w := newWorld(b)
	servers := w.manyServers()
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

// BenchmarkMemory tells the resident memory of a process that has 25 servers
// with 1,000 tools, after they have started for the first time and with their
// catalogues cached.
func BenchmarkMemory(b *testing.B) {
	if runtime.GOOS != "linux" {
		b.Skip("/proc/self/status is missing")
	}
	w := newWorld(b)
	w.manyServers()
	for _, when := range []string{"first", "again"} {
		b.Run(when, func(b *testing.B) {
			for b.Loop() {
				b.ReportMetric(float64(w.daemonMemory())/1024, "MB-resident")
			}
		})
	}
}

// daemonMemory runs a daemon until its servers have started, and gives its
// resident memory in KiB.
func (w *world) daemonMemory() int {
	daemon := exec.Command(os.Args[0])
	daemon.Env = append(os.Environ(), stubMode+"=daemon", "HOME="+w.home)
	input, err := daemon.StdinPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	output, err := daemon.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := daemon.Start(); err != nil {
		w.t.Fatal(err)
	}
	line, err := bufio.NewReader(output).ReadString('\n')
	input.Close()
	if waitErr := daemon.Wait(); err == nil {
		err = waitErr
	}
	if err != nil {
		w.t.Fatal(err)
	}
	kib, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		w.t.Fatal(err)
	}
	return kib
}
