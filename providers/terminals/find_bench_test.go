package terminals

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

// printed are kinds of output, each a function that returns the next few lines.
func printed(tb testing.TB) map[string]func(*rand.Rand) string {
	tb.Helper()
	var source [][]byte
	check(tb, filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".go") {
			text, err := os.ReadFile(path)
			check(tb, err)
			for n, line := range bytes.Split(text, []byte("\n")) {
				source = append(source, fmt.Appendf(nil, "%s:%d:%s", strings.TrimPrefix(path, "../../"), n+1, line))
			}
		}
		return err
	}))
	var recorded []string
	for _, name := range []string{"cargo", "npm", "git", "curl", "python", "bash"} {
		text, err := os.ReadFile("../../testdata/terminals/" + name + ".raw")
		check(tb, err)
		recorded = append(recorded, string(text))
	}
	next, at := 0, time.Date(2026, 11, 20, 4, 0, 0, 0, time.UTC)
	paths := []string{"/api/orders", "/api/cart", "/login", "/static/app.js", "/api/users/me", "/healthz"}
	return map[string]func(*rand.Rand) string{
		"rg over this source": func(*rand.Rand) string {
			next = (next + 1) % len(source)
			return string(source[next]) + "\r\n"
		},
		"recordings with other digits": func(r *rand.Rand) string {
			return otherDigits(recorded[r.IntN(len(recorded))], r)
		},
		"server log": func(r *rand.Rand) string {
			at = at.Add(time.Duration(r.IntN(900)) * time.Millisecond)
			return fmt.Sprintf("%s INFO  [%d] %s %s/%d %d %dms ip=10.0.%d.%d\r\n", at.Format("2006-01-02T15:04:05.000Z"), 4711+r.IntN(4),
				[]string{"GET", "POST"}[r.IntN(2)], paths[r.IntN(len(paths))], r.IntN(100_000), []int{200, 304, 404, 500}[r.IntN(4)], r.IntN(800), r.IntN(256), r.IntN(256))
		},
		"server log with ids": func(r *rand.Rand) string {
			at = at.Add(time.Duration(r.IntN(900)) * time.Millisecond)
			return fmt.Sprintf(`{"time":"%s","level":"info","msg":"request","path":"%s","request_id":"%08x-%04x-%04x-%04x-%012x","trace":"%016x%016x","ms":%d}`+"\r\n",
				at.Format(time.RFC3339Nano), paths[r.IntN(len(paths))], r.Uint32(), r.IntN(1<<16), r.IntN(1<<16), r.IntN(1<<16), r.Uint64()>>16, r.Uint64(), r.Uint64(), r.IntN(800))
		},
		"tests": func(r *rand.Rand) string {
			n := r.IntN(400)
			return fmt.Sprintf("=== RUN   TestCase%d/%s\r\n--- PASS: TestCase%d (%.2fs)\r\n", n, paths[n%len(paths)], n, r.Float64())
		},
		"a task list that is redrawn": func(r *rand.Rand) string {
			return fmt.Sprintf("\x1b[4A\x1b[2K [%3d%%] fetch  %d/900\r\n\x1b[2K [%3d%%] build  %d/420\r\n\x1b[2K [%3d%%] test   %d/300\r\n\x1b[2K elapsed %d s\r\n",
				r.IntN(100), r.IntN(900), r.IntN(100), r.IntN(420), r.IntN(100), r.IntN(300), r.IntN(3600))
		},
		"yes": func(*rand.Rand) string { return "y\r\n" },
	}
}

// otherDigits replaces the digits of numbers.
func otherDigits(text string, r *rand.Rand) string {
	out := []byte(text)
	escape := false
	for i, c := range out {
		switch {
		case c == '\x1b':
			escape = true
		case escape && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '\a'):
			escape = false
		case !escape && c >= '1' && c <= '9':
			out[i] = byte('1' + r.IntN(9))
		}
	}
	return string(out)
}

// BenchmarkIndex records and indexes some megabytes of each kind of output, and
// prints how large the index is beside the text, and what it costs.
func BenchmarkIndex(b *testing.B) {
	const size, most = 12 << 20, 16 << 20
	kinds := printed(b)
	names := make([]string, 0, len(kinds))
	for name := range kinds {
		names = append(names, name)
	}
	slices.Sort(names)
	var table strings.Builder
	for _, name := range names {
		b.Run(name, func(b *testing.B) {
			dir := stateDir(b)
			random := rand.New(rand.NewPCG(1, 14))
			tape := newTape(b, dir)
			text := int64(0)
			// What is redrawn hardly fills a log.
			for n, put := 0, 0; text < size && put < most; n++ {
				tape.put(begin(fmt.Sprintf("run-%d --all", n)))
				for end := put + 40<<10; put < end; {
					line := kinds[name](random)
					tape.put(line)
					put += len(line)
				}
				tape.put(end(fmt.Sprint(n % 2)))
				tape.wait(time.Second)
				info, err := os.Stat(filepath.Join(dir, "1", "part-0001.txt"))
				check(b, err)
				text = info.Size()
			}
			check(b, tape.Close(0, ""))
			cache := b.TempDir()
			f := start(b, dir, offline, func(o *Options) { o.Cache = cache })
			used := processorTime(b)
			f.index()
			fstest.Eventually(b, "all is indexed", func() bool { left := f.fulltext.Left(); return left >= 0 && left < 1<<20 })
			cpu := processorTime(b) - used
			var times []time.Duration
			for range 50 {
				from := time.Now()
				f.matches("request of a user that failed", "")
				times = append(times, time.Since(from))
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Microseconds())/1e3, "find-ms")
			check(b, f.fulltext.Close())
			index := int64(0)
			files, err := filepath.Glob(filepath.Join(cache, fulltextName+"*"))
			check(b, err)
			for _, path := range files {
				info, err := os.Stat(path)
				check(b, err)
				index += info.Size()
			}
			share, each := 100*float64(index)/float64(text), cpu.Seconds()*1e3/(float64(text)/1e6)
			b.ReportMetric(share, "%-of-text")
			b.ReportMetric(each, "cpu-ms/MB")
			fmt.Fprintf(&table, "| %s | %.1f MB | %.1f %% | %.0f ms |\n", name, float64(text)/1e6, share, each)
		})
	}
	b.Log("\n| output | text | index (goal ≤ 15 %) | processor time for a MB (goal ≤ 50 ms) |\n| --- | --- | --- | --- |\n" + table.String())
}

func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	check(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
