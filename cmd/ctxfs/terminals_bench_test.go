package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/terminals/record"
)

// BenchmarkTerminals measures what the mount adds to a recording: how many lines
// that a terminal is sent are read in time from <id>.txt and from screen.txt,
// with a recorder that does nothing but what it is asked to, and what a flood as
// fast as a terminal can be costs the background process while nobody reads.
func BenchmarkTerminals(b *testing.B) {
	env, mnt := benchServers(b, 0, 0)
	benchRun(b, env, binary(), "mount")
	dir := ""
	for _, v := range env {
		if state, ok := strings.CutPrefix(v, "XDG_STATE_HOME="); ok {
			dir = filepath.Join(state, "ctxfs", "terminals")
		}
	}
	r, err := record.New(record.Options{Dir: dir, Source: record.Term, Nonce: "n"})
	must(b, err)
	b.Cleanup(func() { must(b, r.Close(0, "")) })
	r.Write([]byte(commandBegins("serve")))
	fstest.Becomes(func() bool { _, err := os.Stat(filepath.Join(mnt, "terminals/1.txt")); return err == nil })

	const within = 10 * time.Millisecond
	for _, name := range []string{"1.txt", "1/screen.txt"} {
		b.Run(name, func(b *testing.B) {
			shown, rounds := 0, max(b.N, 200)
			for i := range rounds {
				<-time.After(3 * within) // all is quiet
				line := fmt.Sprintf("line %s %d.", name, i)
				from := time.Now()
				for next := r.Write([]byte(line + "\r\n")); !next.IsZero() && next.Sub(from) < within; next = r.Settle(time.Now()) {
					<-time.After(time.Until(next))
				}
				<-time.After(within - time.Since(from))
				text, err := os.ReadFile(filepath.Join(mnt, "terminals", name))
				must(b, err)
				if strings.Contains(string(text), line) {
					shown++
				}
			}
			b.ReportMetric(100*float64(shown)/float64(rounds), "%-within-10ms")
			b.ReportMetric(0, "ns/op")
		})
	}
	b.Run("find", func(b *testing.B) { benchmarkFound(b, r, mnt) })
	b.Run("flood", func(b *testing.B) {
		pid := daemonPid(b, env)
		before := cpuTime(b, pid)
		chunk := []byte(strings.Repeat(strings.Repeat("x", 78)+"\r\n", 51))
		const size = 128 << 20
		from := time.Now()
		for n := 0; n < size; n += len(chunk) {
			r.Write(chunk)
			for time.Since(from) < time.Duration(n)*time.Second/(35e6) {
				runtime.Gosched()
			}
		}
		wall := time.Since(from)
		b.ReportMetric(size/1e6/wall.Seconds(), "MB/s")
		b.ReportMetric((cpuTime(b, pid)-before).Seconds()/wall.Seconds(), "daemon-cpu/wall")
		b.ReportMetric(0, "ns/op")
	})
	b.Run("find-after-flood", func(b *testing.B) { benchmarkFound(b, r, mnt) })
}

// benchmarkFound measures the time from when a terminal is sent a line until it is
// found in the mount.
func benchmarkFound(b *testing.B, r *record.Recorder, mnt string) {
	letters := strings.NewReplacer("0", "a", "1", "b", "2", "c", "3", "d", "4", "e", "5", "f", "6", "g", "7", "h", "8", "i", "9", "j")
	var times []time.Duration
	for i := range 200 {
		<-time.After(30 * time.Millisecond) // all is quiet
		word := "zebra" + letters.Replace(fmt.Sprint(len(b.Name()), 1000+i))
		word = strings.ReplaceAll(word, " ", "")
		settled := make(chan bool)
		from := time.Now()
		go func() {
			for next := r.Write([]byte("here is " + word + "\r\n")); !next.IsZero(); next = r.Settle(time.Now()) {
				<-time.After(time.Until(next))
			}
			close(settled)
		}()
		path := filepath.Join(mnt, "find/terminals", word)
		if !fstest.Becomes(func() bool { found, _ := os.ReadDir(path); return len(found) > 0 }) {
			b.Fatalf("%s is not found", word)
		}
		times = append(times, time.Since(from))
		<-settled
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1e3, "median-ms")
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1e3, "p99-ms")
	b.ReportMetric(0, "ns/op")
}

func daemonPid(b *testing.B, env []string) int {
	b.Helper()
	out := benchRun(b, env, binary(), "status", "--json")
	_, rest, _ := strings.Cut(out, `"pid": `)
	digits, _, _ := strings.Cut(rest, ",")
	pid, err := strconv.Atoi(digits)
	must(b, err)
	return pid
}

// cpuTime is what a process has used of processors.
func cpuTime(b *testing.B, pid int) time.Duration {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	must(b, err)
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	ticks := 0
	for _, f := range fields[11:13] {
		n, err := strconv.Atoi(f)
		must(b, err)
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}
