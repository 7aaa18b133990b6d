package mcp

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
)

// TestALargeResult has a result of 64 MB go to a file whole.
func TestALargeResult(t *testing.T) {
	w := newWorld(t)
	w.opts.Results = &shelf{dir: w.dir}
	w.claude(map[string]any{"callee": stub("calls")})
	w.open()
	const line = "a line of a large result, \"quoted\" once\n"
	r, err := w.call("big", fmt.Sprintf(`{"size":%d}`, 64_000_000))
	if err != nil {
		t.Fatal(err)
	}
	whole := 64_000_000 / len(line) * len(line)
	if info, err := os.Stat(r.File); err != nil || info.Size() != int64(whole) || r.Size != whole {
		t.Fatal(err, info)
	}
	if !strings.HasPrefix(string(r.Text), line) || len(r.Text) > 12_000 || !strings.Contains(string(r.Text), "Large output has been written to: "+r.File+" (64.0 MB, 1600000 lines)") {
		t.Errorf("%s", r.Text)
	}
}

// BenchmarkLargeResult tells how long a result of 64 MB takes, and how much
// memory was taken for it from the system.
func BenchmarkLargeResult(b *testing.B) {
	w := newWorld(b)
	w.opts.Results = &shelf{dir: w.dir}
	w.claude(map[string]any{"callee": stub("calls")})
	w.open()
	if _, err := w.call("big", `{"size":100}`); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := w.call("big", `{"size":64000000}`); err != nil {
			b.Fatal(err)
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.HeapSys)/1e6, "MB-heap")
	b.ReportMetric(float64(m.TotalAlloc)/1e6/float64(b.N), "MB-allocated/op")
}
