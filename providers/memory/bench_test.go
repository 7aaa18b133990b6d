package memory

import (
	"fmt"
	iofs "io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// manyMemories are memories that share words as real ones do: of the user and of 20
// projects, one in a hundred with another that contradicts it.
func manyMemories(n int) map[string]string {
	random := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 4000)
	for i := range words {
		words[i] = fmt.Sprintf("%c%c%s%d", 'a'+random.IntN(26), 'a'+random.IntN(26), "eiou"[i%4:i%4+1], i%97)
	}
	word := func() string { return words[int(float64(len(words))*random.Float64()*random.Float64())] }
	all := make(map[string]string, n)
	for p := range 20 {
		all[fmt.Sprintf("src/p%02d/go.mod", p)] = ""
	}
	for i := range n {
		var text strings.Builder
		for range 8 + random.IntN(8) {
			text.WriteString(word() + " ")
		}
		about := fmt.Sprintf("The %s of the %s is %s", word(), word(), text.String())
		if i%100 == 1 {
			about = fmt.Sprintf("Use %s %s with the port %d", word(), word(), 1000+i)
		}
		dir := own + "user/"
		if i%2 == 0 {
			dir = fmt.Sprintf("%sprojects/p%02d/", own, i%40/2)
		}
		all[fmt.Sprintf("%sm%05d.md", dir, i)] = fmt.Sprintf("---\ndescription: %q\ntype: fact\nsource: [\"codex, session %d\"]\nmodified: 2026-03-%02dT00:00:00Z\n---\n\n%s.\n\nBecause %s.\n", about, i, 1+i%28, about, word())
	}
	return all
}

// processorTime returns how much of it this process has used.
func processorTime(t testing.TB) time.Duration {
	var u syscall.Rusage
	must(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkMany: all memories are read for the first time; one of them has changed; all
// files are only listed, for comparison; and the pages alone are made, of memories that
// are in memory.
func BenchmarkMany(b *testing.B) {
	const n = 10_000
	w := newWorld(b, manyMemories(n)).start(false)
	w.shown()
	w.look(true) // the files have settled, and the vocabulary is loaded
	perOp := func(b *testing.B, do func(i int)) {
		used := processorTime(b)
		b.ResetTimer()
		for i := range b.N {
			do(i)
		}
		b.ReportMetric(float64((processorTime(b)-used).Microseconds())/1000/float64(b.N), "cpu-ms/op")
		b.ReportMetric(0, "ns/op")
	}
	b.Run("first", func(b *testing.B) {
		perOp(b, func(int) {
			p := New(w.opts)
			if len(p.shown().byPath) != n {
				b.Fatal("not all are shown")
			}
			must(b, p.Close())
		})
	})
	b.Run("changed", func(b *testing.B) {
		perOp(b, func(i int) {
			w.write(own+"user/m00001.md", fmt.Sprintf("The port is %d.\n", i))
			w.changedOnDisk([]string{w.path(own + "user/m00001.md")})
			w.look(false)
			if !strings.Contains(w.cat("INDEX.md"), fmt.Sprintf("The port is %d.", i)) {
				b.Fatal("the change is not shown")
			}
		})
	})
	b.Run("list", func(b *testing.B) { // for comparison: only a stat of each file
		perOp(b, func(int) {
			must(b, filepath.WalkDir(w.path(own), func(_ string, e iofs.DirEntry, err error) error {
				if err == nil {
					_, err = e.Info()
				}
				return err
			}))
		})
	})
	b.Run("pages", func(b *testing.B) {
		ours, _ := w.ours().All()
		old := w.current.Load()
		perOp(b, func(int) {
			s := w.maker.snapshot(ours, w.foreign, nil, old)
			if len(s.byPath) != n {
				b.Fatal("not all are shown")
			}
		})
	})
}

// BenchmarkShown: the time from when an editor has written one of 10,000 memories until it
// is shown.
func BenchmarkShown(b *testing.B) {
	w := newWorld(b, manyMemories(10_000)).start(true)
	w.shown()
	var took []time.Duration
	for i := range b.N {
		time.Sleep(500 * time.Millisecond) // it rests
		text := fmt.Sprintf("The port is %d.", i)
		w.write(own+"user/m00001.md", text+"\n")
		begun := time.Now()
		for e := w.current.Load().byPath["user/m00001.md"]; e == nil || e.Description != text; e = w.current.Load().byPath["user/m00001.md"] {
			time.Sleep(time.Millisecond)
			if time.Since(begun) > time.Minute {
				b.Fatal("the change is not shown")
			}
		}
		took = append(took, time.Since(begun))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "median-ms")
	b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "most-ms")
	b.ReportMetric(0, "ns/op")
}
