package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

// BenchmarkGuardian reports what a guardian costs that has nothing to do.
func BenchmarkGuardian(b *testing.B) {
	env, mnt := benchServers(b, 1, 0)
	benchRun(b, env, binary(), "mount")
	dir, pid := filepath.Dir(filepath.Dir(mnt)), benchStatus(b, env).Pid
	guardian := 0
	if !fstest.Becomes(func() bool {
		for _, p := range processesOf(dir) {
			if p.args == fmt.Sprintf("ctxfs guard %d", pid) {
				guardian = p.pid
			}
		}
		return guardian != 0
	}) {
		b.Fatal("there is no guardian")
	}
	restingMemory(b, guardian) // it has begun
	before := procNumbers(b, guardian)
	<-time.After(time.Minute)
	after := procNumbers(b, guardian)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(after["RssAnon"]/1024, "MB-own")
	b.ReportMetric(after["VmRSS"]/1024, "MB-resident")
	b.ReportMetric(after["voluntary_ctxt_switches"]-before["voluntary_ctxt_switches"], "wakeups/min")
	b.ReportMetric((after["ticks"]-before["ticks"])*10, "cpu-ms/min")
}

// procNumbers are the figures of a process: of its memory in KB, the sum of its
// threads' switches, and the processor time in hundredths of a second.
func procNumbers(b *testing.B, pid int) map[string]float64 {
	b.Helper()
	numbers := make(map[string]float64)
	add := func(path, only string) {
		text, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			var n float64
			name, value, _ := strings.Cut(line, ":")
			if fmt.Sscanf(value, "%f", &n); strings.Contains(name, only) {
				numbers[name] += n
			}
		}
	}
	add(procOf(pid)+"/status", "Rss")
	add(procOf(pid)+"/status", "RSS")
	threads, _ := filepath.Glob(procOf(pid) + "/task/*/status")
	for _, t := range threads {
		add(t, "ctxt_switches")
	}
	stat, err := os.ReadFile(procOf(pid) + "/stat")
	if err != nil {
		b.Fatal(err)
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	for _, field := range fields[11:13] { // user and system time
		var n float64
		fmt.Sscanf(field, "%f", &n)
		numbers["ticks"] += n
	}
	return numbers
}
