package mcp

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// TestALargeResult has a result of 64 MB go to a file whole.
func TestALargeResult(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
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
