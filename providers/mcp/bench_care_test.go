package mcp

import (
	"context"
	"ctxfs/providers/mcp/instance"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkSeventeen has 17 servers that are as heavy at their start as real
// ones: how long it takes until all are ready that are not known, how many
// processes there are when all are cached, and how long the first call takes
// then, beside a call to the same server alone.
func BenchmarkSeventeen(b *testing.B) {
	const many = 17
	w := realWorld(b)
	w.opts.timing = usualTiming()
	journal, count := w.journal()
	servers := make(map[string]any)
	for i := range many {
		servers[fmt.Sprint("s", i)] = stub("heavy", stubJournal, journal, "N", fmt.Sprint(i))
	}
	w.claude(servers)
	for b.Loop() {
		begun := time.Now()
		w.open().start()
		failed := 0
		for name := range servers {
			w.await(name, func() bool {
				text := w.cat(name + "/STATUS.md")
				return strings.HasPrefix(text, "state: ready\n") || strings.HasPrefix(text, "state: error\n")
			})
			if strings.HasPrefix(w.cat(name+"/STATUS.md"), "state: error\n") {
				failed++
			}
		}
		b.ReportMetric(time.Since(begun).Seconds(), "s-all-ready")
		b.ReportMetric(float64(failed), "failed")

		starts := count("start")
		w.reopen().start()
		for name := range servers {
			w.untilState(name, "cached")
		}
		b.ReportMetric(float64(count("start")-starts), "processes-after-mount")
		call := func() time.Duration {
			begun := time.Now()
			session, err := w.use(context.Background(), "s3", instance.Waiting{})
			if err != nil {
				b.Fatal(err)
			}
			session.Release()
			return time.Since(begun)
		}
		b.ReportMetric(call().Seconds(), "s-first-call")

		// The same while all others start, and by itself.
		w.removeCatalogues()
		w.reopen().start()
		b.ReportMetric(call().Seconds(), "s-first-call-cold")
		w.claude(map[string]any{"s3": servers["s3"]})
		w.removeCatalogues()
		w.reopen()
		b.ReportMetric(call().Seconds(), "s-call-alone")
	}
}

func (w *world) removeCatalogues() {
	if err := os.RemoveAll(w.opts.CacheDir); err != nil {
		w.t.Fatal(err)
	}
}

// work keeps a processor busy for as long as a server of Node needs to start.
func work() {
	const heavy = 700 * time.Millisecond
	for {
		var used syscall.Rusage
		if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil || time.Duration(used.Utime.Nano()+used.Stime.Nano()) > heavy {
			return
		}
	}
}
