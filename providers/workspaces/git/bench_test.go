package git

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestManyPaths: all are counted, a few are kept.
func TestManyPaths(t *testing.T) {
	w := newWorld(t)
	for i := range 500 {
		w.write(fmt.Sprintf("file-%03d", i), "")
	}
	s := w.read(w.dir)
	if s.Uncommitted.Untracked != 500 || len(s.Uncommitted.Paths) != maxPaths || !strings.Contains(s.Page(), "… and 470 more\n") {
		t.Errorf("got %+v\n%s", s.Uncommitted, s.Page())
	}
}

// BenchmarkRead compares the reading of a repository of 100,000 files with the commands
// of git that a person would run, in turn.
func BenchmarkRead(b *testing.B) {
	const dirs, files, rounds = 1000, 100, 9
	w := newWorld(b)
	for i := range dirs {
		dir := w.path(fmt.Sprintf("dir-%03d/sub", i))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			b.Fatal(err)
		}
		for j := range files {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("file-%02d.go", j)), fmt.Appendf(nil, "%d %d\n", i, j), 0o600); err != nil {
				b.Fatal(err)
			}
		}
	}
	w.git("add", ".")
	w.git("commit", "-q", "-m", "all")
	w.git("status")
	for b.Loop() {
		var ours, git []time.Duration
		for range rounds {
			begin := time.Now()
			if s := w.read(w.dir); s.Uncommitted.String() != "nothing" || len(s.Problems) > 0 {
				b.Fatalf("got %+v", s)
			}
			ours = append(ours, time.Since(begin))
			begin = time.Now()
			w.git("status", "--porcelain=v2", "--branch")
			w.git("log", "-10", "--format=%h %ci %an %s")
			w.git("stash", "list")
			w.git("worktree", "list")
			git = append(git, time.Since(begin))
		}
		b.ReportMetric(float64(median(ours).Microseconds())/1000, "ms/op")
		b.ReportMetric(float64(median(ours))/float64(median(git)), "ratio")
	}
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}
