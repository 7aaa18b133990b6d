package mcp

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// TestALargeResult has a result of 64 MB go to a file whole.
func TestALargeResult(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t)
		w.opts.Results = &shelf{dir: w.dir}
		w.claude(map[string]any{"callee": stub("calls")})
		w.open()
		const line = "a line of a large result, \"quoted\" once\n"
		size := fstest.Rounds(64_000_000)
		r, err := w.call("big", fmt.Sprintf(`{"size":%d}`, size))
		if err != nil {
			t.Fatal(err)
		}
		whole := size / len(line) * len(line)
		if info, err := os.Stat(r.File); err != nil || info.Size() != int64(whole) || r.Size != whole {
			t.Fatal(err, info)
		}
		notice := fmt.Sprintf("Large output has been written to: %s (%.1f MB, %d lines)", r.File, float64(whole)/1e6, whole/len(line))
		if !strings.HasPrefix(string(r.Text), line) || len(r.Text) > 12_200 || !strings.Contains(string(r.Text), notice) {
			t.Errorf("%s", r.Text)
		}
	})
}

// BenchmarkLargeResult reports how long a result of 64 MB takes, and the peak
// memory of the calling process, with the settings of the background process. Its
// first run counts: the memory is that of all runs.
func BenchmarkLargeResult(b *testing.B) {
	for _, transport := range []string{"stdio", "http"} {
		b.Run(transport, func(b *testing.B) {
			defer debug.SetGCPercent(debug.SetGCPercent(40))
			w := realWorld(b)
			w.opts.Results = &shelf{dir: w.dir}
			w.claude(map[string]any{"callee": stub("calls")})
			if transport == "http" {
				w.claude(map[string]any{"callee": map[string]any{"url": w.serve(newCallee(remoteStub(), ""))}}) // in this process: its memory counts too
			}
			w.open()
			if _, err := w.call("big", `{"size":100}`); err != nil {
				b.Fatal(err)
			}
			debug.FreeOSMemory()
			// From here on the peak is counted again.
			_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0o200)
			for b.Loop() {
				if _, err := w.call("big", `{"size":64000000}`); err != nil {
					b.Fatal(err)
				}
			}
			status, _ := os.ReadFile("/proc/self/status") // without it there is no figure
			_, after, _ := strings.Cut(string(status), "VmHWM:")
			var peak float64
			if _, err := fmt.Sscan(after, &peak); err == nil {
				b.ReportMetric(peak/1000, "MB-peak")
			}
		})
	}
}

// BenchmarkCall is a call of a tool that does nothing much.
func BenchmarkCall(b *testing.B) {
	w := realWorld(b)
	w.opts.StateDir = w.dir
	w.claude(map[string]any{"callee": stub("calls")})
	w.open()
	if _, err := w.call("give.result", `{"result":"{}"}`); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := w.call("give.result", `{"result":"{}"}`); err != nil {
			b.Fatal(err)
		}
	}
}
