package transcripts

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// BenchmarkForks renders sessions of some 2 MB that repeat each other, the last
// one first, beside as many that do not. CTXFS_BENCH_FORKS is how many; it is
// 1,000 if not given.
func BenchmarkForks(b *testing.B) {
	n := 1000
	if text := os.Getenv("CTXFS_BENCH_FORKS"); text != "" {
		var err error
		n, err = strconv.Atoi(text)
		check(b, err)
	}
	for _, shape := range []struct {
		name string
		from func(i int) int // what the session is a fork of, -1 for nothing
		says bool
	}{
		{"none", func(int) int { return -1 }, false},
		{"star", func(int) int { return 0 }, true},
		{"unsaid", func(int) int { return 0 }, false},
		{"chain", func(i int) int { return i - 1 }, true},
		{"chains-of-80", func(i int) int {
			if i%80 == 0 {
				return 0
			}
			return i - 1
		}, true},
	} {
		b.Run(shape.name, func(b *testing.B) {
			home := tempHome(b)
			size := forkCorpus(b, home, n, shape.from, shape.says)
			for b.Loop() {
				f := start(b, home, offline)
				f.scanner.First()
				stop, peak := watchHeap()
				began := time.Now()
				check(b, f.cache.Current(b.Context(), f.catalogue.Find(id(n - 1))[0], false))
				first := time.Since(began)
				for _, s := range f.catalogue.All() {
					check(b, f.cache.Current(b.Context(), s, false))
				}
				took := time.Since(began)
				stop()
				b.ReportMetric(took.Seconds(), "s")
				b.ReportMetric(first.Seconds(), "s-first")
				b.ReportMetric(float64(size)/1e6/took.Seconds(), "MB/s")
				b.ReportMetric(float64(peak.Load())/1e6, "MB-heap")
				b.ReportMetric(float64(heap())/1e6, "MB-rest")
				b.ReportMetric(0, "ns/op")
				check(b, os.RemoveAll(filepath.Join(home, ".cache")))
			}
		})
	}
}

// watchHeap looks for the largest heap until it is stopped.
func watchHeap() (stop func(), peak *atomic.Uint64) {
	peak = new(atomic.Uint64)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		var m runtime.MemStats
		for {
			runtime.ReadMemStats(&m)
			peak.Store(max(peak.Load(), m.HeapInuse))
			select {
			case <-tick.C:
			case <-done:
				return
			}
		}
	}()
	return func() { close(done); <-ended }, peak
}

// forkCorpus makes n sessions of Pi of some 2 MB, each of which has five short
// messages of its own behind those that it repeats.
func forkCorpus(b *testing.B, home string, n int, from func(i int) int, says bool) (size int64) {
	const records, own = 1000, 5
	long := strings.Repeat("words that were said at length, and others. ", 45)
	record := func(id, parent int, filler string) string {
		return fmt.Sprintf(`{"type":"message","id":"r%d","parentId":"r%d","timestamp":"2026-05-12T01:03:00Z","message":{"role":"user","content":[{"type":"text","text":"number %d %s"}]}}`+"\n", id, parent, id, filler)
	}
	dir := filepath.Join(home, ".pi", "agent", "sessions", "--work--")
	check(b, os.MkdirAll(dir, 0o755))
	path := func(i int) string { return filepath.Join(dir, "2026-05-12T01-02-27-657Z_"+id(i)+".jsonl") }
	var trunk bytes.Buffer
	for i := range records {
		trunk.WriteString(record(i+1, i, long))
	}
	last := make([]int, n) // of each session's records
	for i := range n {
		said, body, end := "", trunk.Bytes(), records
		switch of := from(i); {
		case i > 0 && of < 0 || i == 0 && from(1) < 0: // nothing in common
			body = bytes.ReplaceAll(body, []byte(`d":"r`), fmt.Appendf(nil, `d":"s%d-`, i))
		case i > 0:
			text, err := os.ReadFile(path(of))
			check(b, err)
			_, body, _ = bytes.Cut(text, []byte("\n"))
			end = last[of]
			if says {
				said = fmt.Sprintf(`,"parentSession":%q`, path(of))
			}
		}
		text := fmt.Appendf(nil, `{"type":"session","version":3,"id":%q,"timestamp":"2026-05-12T01:02:27.657Z","cwd":%q%s}`+"\n", id(i), filepath.Join(home, "work"), said)
		text = append(text, body...)
		for k := range own {
			text = append(text, record(1_000_000+i*own+k, end, "")...)
			end = 1_000_000 + i*own + k
		}
		last[i] = end
		check(b, os.WriteFile(path(i), text, 0o644))
		size += int64(len(text))
	}
	return size
}
