package mcp

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
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
	w := realWorld(b)
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

// BenchmarkPins opens a provider over the cached catalogues of 25 servers with
// 1,000 tools whose definitions are pinned, and compares with one that knows no
// pins; then over pins that all differ.
func BenchmarkPins(b *testing.B) {
	for _, change := range []string{"none", "all"} {
		b.Run(change, func(b *testing.B) {
			w := realWorld(b)
			w.opts.StateDir = filepath.Join(w.home, "state")
			servers := w.manyServers()
			tools, err := os.ReadFile(filepath.Join(w.home, "tools.json"))
			if err != nil {
				b.Fatal(err)
			}
			for _, words := range map[string][]string{"none": {"Does a thing."}, "all": {"Does a thing.", "Does another thing."}}[change] {
				w.write("tools.json", strings.ReplaceAll(string(tools), "Does a thing.", words))
				w.open().start()
				for name := range servers {
					w.untilState(name, "ready")
				}
				w.p.Close()
			}
			without := w.opts
			without.StateDir = ""
			with, plain := time.Duration(0), time.Duration(0)
			for b.Loop() {
				begun := time.Now()
				New(without)
				between := time.Now()
				p := New(w.opts)
				with, plain = with+time.Since(between), plain+between.Sub(begun)
				if got := len(p.Status().Problems); got != map[string]int{"none": 0, "all": 25}[change] {
					b.Fatal(p.Status().Problems)
				}
			}
			b.ReportMetric(float64(with.Microseconds())/float64(b.N)/1000, "ms-with")
			b.ReportMetric(with.Seconds()/plain.Seconds(), "ratio")
		})
	}
}

// BenchmarkMemory reports the resident memory of a process that has 25 servers with
// 1,000 tools, after they have started for the first time and with their catalogues
// cached.
func BenchmarkMemory(b *testing.B) {
	if runtime.GOOS != "linux" {
		b.Skip("/proc/self/status is missing")
	}
	w := realWorld(b)
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

// hundred configures 100 servers.
func (w *world) hundred() []string {
	servers := map[string]any{}
	var names []string
	for i := range 100 {
		name := fmt.Sprintf("server%d", i)
		names = append(names, name)
		servers[name] = stub("ok", "N", fmt.Sprint(i))
	}
	w.claude(servers)
	return names
}

// BenchmarkHundred starts 100 servers until all are ready, and compares with
// what a shell needs that starts the same processes side by side and has each
// answer the same requests.
func BenchmarkHundred(b *testing.B) {
	w := realWorld(b)
	names := w.hundred()
	for b.Loop() {
		begun := time.Now()
		w.open().start()
		for _, name := range names {
			w.untilState(name, "ready")
		}
		ours := time.Since(begun)
		b.StopTimer()
		if err := w.p.Close(); err != nil {
			b.Fatal(err)
		}
		shell := w.fromShell(len(names))
		b.ReportMetric(float64(ours.Milliseconds()), "ms-ours")
		b.ReportMetric(float64(shell.Milliseconds()), "ms-shell")
		b.ReportMetric(ours.Seconds()/shell.Seconds(), "ratio")
		b.StartTimer()
	}
}

// fromShell starts n servers side by side, and returns how long it takes until all
// have answered.
func (w *world) fromShell(n int) time.Duration {
	requests := w.write("requests", `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{}}
{"jsonrpc":"2.0","id":2,"method":"initialize","params":{}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{}}
`)
	shell := exec.Command("sh", "-c", `i=0; while [ $i -lt "$3" ]; do "$1" <"$2" >/dev/null & i=$((i+1)); done; wait`,
		"sh", os.Args[0], requests, fmt.Sprint(n))
	shell.Env = append(os.Environ(), stubMode+"=ok")
	begun := time.Now()
	if out, err := shell.CombinedOutput(); err != nil {
		w.t.Fatalf("%v\n%s", err, out)
	}
	return time.Since(begun)
}

// BenchmarkHundredMemory reports the resident memory at rest of a process that runs
// 100 servers.
func BenchmarkHundredMemory(b *testing.B) {
	if runtime.GOOS != "linux" {
		b.Skip("/proc/self/status is missing")
	}
	w := realWorld(b)
	w.hundred()
	for b.Loop() {
		b.ReportMetric(float64(w.daemonMemory())/1024, "MB-resident")
	}
}
