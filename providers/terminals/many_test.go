package terminals

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/terminals/record"
)

// many is a number of terminals that must cause no trouble.
const many = 200

func TestTwoHundredTerminals(t *testing.T) {
	dir := stateDir(t)
	f := start(t, dir)
	tapes := make([]*tape, many)
	for i := range tapes {
		tapes[i] = newTape(t, dir)
		tapes[i].put(begin("serve"))
	}
	f.shows(indexName, "- **200.txt**: running", "- **1.txt**: running")
	if s := f.Status(); s.Summary != "200 terminals, 200 open" || s.State != "ready" || len(s.Items) != maxItems {
		t.Errorf("%s: %d items", s.Summary, len(s.Items))
	}
	for i, p := range tapes {
		p.put(fmt.Sprintf("this is %d\r\n", i+1))
		p.wait(10 * time.Millisecond)
	}
	for i := range tapes {
		if got := f.read(fmt.Sprintf("%d.txt", i+1)); !strings.HasSuffix(got, fmt.Sprintf("$ serve\nthis is %d\n", i+1)) {
			t.Fatalf("%d: %q", i+1, got)
		}
	}
	for i, p := range tapes {
		p.put(end(fmt.Sprint(i % 2)))
		check(t, p.Close(0, ""))
	}
	f.await("all have ended", func() bool { return f.Status().Summary == "200 terminals, 0 open" })
	fstest.Check(t, start(t, dir, offline).tree)
}

// BenchmarkStart starts a provider over terminals with many commands.
func BenchmarkStart(b *testing.B) {
	dir := stateDir(b)
	for range many {
		p := newTape(b, dir)
		for i := range 100 {
			p.put(begin(fmt.Sprintf("make target-%d", i)) + "ok\r\n" + end("0"))
		}
		check(b, p.Close(0, ""))
	}
	for _, watch := range []bool{false, true} {
		b.Run(fmt.Sprintf("watch=%v", watch), func(b *testing.B) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			var all []*fixture
			for b.Loop() {
				f := start(b, dir, func(o *Options) { o.Watch = watch })
				if len(all) == 0 {
					all = append(all, f)
				}
			}
			runtime.GC()
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(int64(after.HeapAlloc)-int64(before.HeapAlloc))/float64(b.N)/1e6, "MB")
			runtime.KeepAlive(all)
		})
	}
}

// BenchmarkNews is the time from a change on disk until the provider announces
// and shows it: of text that has grown, and of a command that has ended.
func BenchmarkNews(b *testing.B) {
	dir := stateDir(b)
	told := make(chan string, 1000)
	f := start(b, dir, func(o *Options) { o.Env.Changed = func(path string) { told <- path } })
	p := newTape(b, dir, func(o *record.Options) { o.Now = time.Now })
	f.shows(indexName, "1.txt")
	wait := func(path string) {
		for timeout := time.After(deadline); ; {
			select {
			case got := <-told:
				if got == path {
					return
				}
			case <-timeout:
				b.Fatal(path, " is not told")
			}
		}
	}
	quiet := func() {
		for {
			select {
			case <-told:
			case <-time.After(2 * newsPause):
				return
			}
		}
	}
	p.put(begin("serve"))
	p.Settle(time.Now().Add(time.Second))
	b.Run("growth", func(b *testing.B) {
		for range b.N {
			b.StopTimer()
			quiet()
			b.StartTimer()
			p.put(strings.Repeat("a line\r\n", 30))
			wait("1.txt")
		}
	})
	b.Run("command", func(b *testing.B) {
		for i := range b.N {
			b.StopTimer()
			p.put(begin("make"))
			quiet()
			b.StartTimer()
			p.put(end(fmt.Sprint(i % 100)))
			wait(indexName)
		}
	})
}
