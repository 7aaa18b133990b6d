package transcripts

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
	"ctxfs/providers/stats/prices"
	"ctxfs/providers/stats/spending"
)

// BenchmarkSpent counts the requests to models in 512 MB of real logs: at first, with a
// book that knows them, and with one that knows all but one log that has grown. The ratio is
// that to reading the bytes of all logs.
func BenchmarkSpent(b *testing.B) {
	logs, err := filepath.Glob(filepath.Join(fstest.Data(b, "sessions", "claude-code"), "*.jsonl"))
	check(b, err)
	home := b.TempDir()
	dir := filepath.Join(home, ".claude", "projects", "-work-app")
	check(b, os.MkdirAll(dir, 0o700))
	var paths []string
	var size int64
	for n := 0; size < 512<<20; n++ {
		for i, log := range logs {
			text, err := os.ReadFile(log)
			check(b, err)
			text = bytes.ReplaceAll(text, []byte(`"msg_`), fmt.Appendf(nil, `"msg_%03d`, n)) // requests of its own
			path := filepath.Join(dir, fmt.Sprintf("%08d-0000-4000-8000-%012d.jsonl", i, n))
			check(b, os.WriteFile(path, text, 0o600))
			paths, size = append(paths, path), size+int64(len(text))
		}
	}
	f := start(b, home, func(o *Options) { o.Watch = false })
	check(b, f.scanner.Wait(context.Background()))
	list := prices.Load("")
	cache := b.TempDir()
	count := func() (r spending.Report) {
		book := spending.Open(cache)
		book.Learn(context.Background(), f.Spent)
		check(b, book.Save())
		return book.Count(spending.Query{
			Zone: time.UTC, ProjectOf: func(dir string) string { return dir },
			Price: func(c fs.ModelCall) (float64, bool) {
				p, ok := list.Of(c.Model, c.Time)
				return p.Cost(c.Tokens), ok
			},
		})
	}
	timed := func(work func()) float64 {
		begun := time.Now()
		work()
		return time.Since(begun).Seconds()
	}
	for b.Loop() {
		check(b, os.RemoveAll(cache))
		reading := timed(func() {
			for _, path := range paths {
				_, err := os.ReadFile(path)
				check(b, err)
			}
		})
		var report spending.Report
		first := timed(func() { report = count() })
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		second := timed(func() { count() })
		runtime.ReadMemStats(&after)
		grown, err := os.OpenFile(paths[0], os.O_APPEND|os.O_WRONLY, 0)
		check(b, err)
		_, err = grown.WriteString("{}\n")
		check(b, err)
		check(b, grown.Close())
		third := timed(func() { count() })
		info, err := os.Stat(filepath.Join(cache, "spending.jsonl"))
		check(b, err)
		gigabytes := float64(size) / 1e9
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(float64(report.Calls), "calls")
		b.ReportMetric(first/gigabytes, "first-s/GB")
		b.ReportMetric(first/reading, "first/reading")
		b.ReportMetric(1e3*second/gigabytes, "second-ms/GB")
		b.ReportMetric(1e3*third/gigabytes, "grown-ms/GB")
		b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/1e6/gigabytes, "second-allocated-MB/GB")
		b.ReportMetric(float64(info.Size())/1e6/gigabytes, "book-MB/GB")
	}
}
