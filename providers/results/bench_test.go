package results

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// many is how many results there are in the benchmarks.
const many = 10_000

func BenchmarkStart(b *testing.B) {
	dir := stateDir(b)
	f := start(b, dir, offline)
	for range many {
		f.save(issues, "", "a result\n")
	}
	for _, journal := range []string{"with-journal", "without"} {
		b.Run(journal, func(b *testing.B) {
			if journal == "without" {
				check(b, os.Remove(filepath.Join(dir, ownFolder, "journal")))
			}
			spent := cpuTime(b)
			for b.Loop() {
				if got := len(start(b, dir, offline).names()); got != many {
					b.Fatalf("%d results", got)
				}
			}
			b.ReportMetric(float64((cpuTime(b)-spent).Milliseconds())/float64(b.N), "cpu-ms/op")
		})
	}
}

func BenchmarkSave(b *testing.B) {
	for _, there := range []int{0, many} {
		b.Run(fmt.Sprintf("beside-%d", there), func(b *testing.B) {
			f := start(b, stateDir(b), offline)
			for range there {
				f.save(issues, "", "a result\n")
			}
			text := bytes.Repeat([]byte("0123456789abcde\n"), 1000)
			for b.Loop() {
				_, err := f.Store().Save(issues, "txt", text)
				check(b, err)
			}
		})
	}
}

// BenchmarkFirstSave is the cost of a command that saves once beside many other
// results.
func BenchmarkFirstSave(b *testing.B) {
	dir := stateDir(b)
	f := start(b, dir, offline)
	for range many {
		f.save(issues, "", "a result\n")
	}
	for b.Loop() {
		_, err := Open(StoreOptions{Dir: dir, Now: time.Now, Log: discard()}).Save(issues, "", []byte("x"))
		check(b, err)
	}
}

func BenchmarkIndex(b *testing.B) {
	f := start(b, stateDir(b), offline)
	for range many {
		f.save(issues, "", "a result\n")
	}
	for b.Loop() {
		f.save(issues, "", "another\n") // a new table
		f.read(indexName)
	}
}

// BenchmarkLarge saves 64 MB of text and of JSON without line ends, and reports
// the additional memory.
func BenchmarkLarge(b *testing.B) {
	text := bytes.Repeat([]byte("0123456789abcde\n"), 64e6/16)
	item := []byte(`{"title":"an issue","number":1234567,"labels":["a","b"],"body":"0123456789"},`)
	array := append([]byte{'['}, bytes.Repeat(item, 64e6/len(item))...)
	array[len(array)-1] = ']'
	for name, body := range map[string][]byte{"text": text, "json": array} {
		b.Run(name, func(b *testing.B) {
			f := start(b, stateDir(b), offline)
			b.SetBytes(int64(len(body)))
			spent := cpuTime(b)
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			for b.Loop() {
				_, err := f.Store().Save(issues, "", body)
				check(b, err)
			}
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64((cpuTime(b)-spent).Milliseconds())/float64(b.N), "cpu-ms/op")
			b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N)/1e6, "MB-allocated/op")
		})
	}
}

// cpuTime returns the processor time of this process: other work on the machine
// hardly changes it.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	check(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
