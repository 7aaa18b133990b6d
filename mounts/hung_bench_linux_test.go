package mounts

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

// BenchmarkFreed reports how long after the kill of its process a waiting
// reader is freed.
func BenchmarkFreed(b *testing.B) {
	for name, c := range map[string]struct{ guarded, stuck bool }{
		"ordinary": {true, false}, "unguarded": {false, false}, "stuck": {true, true},
	} {
		b.Run(name, func(b *testing.B) {
			var took time.Duration
			for range b.N {
				p := serveHanging(b, os.Getuid(), c.guarded)
				if c.guarded {
					p.guardian()
				}
				var readers []*exec.Cmd
				if c.stuck {
					readers = p.jam()
				} else {
					readers = []*exec.Cmd{p.read("hanging")}
					p.until("listing")
				}
				begun := time.Now()
				p.kill()
				_ = readers[0].Wait()
				took += time.Since(begun)
				for _, r := range readers[1:] {
					_ = r.Wait()
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(took.Seconds()*1000/float64(b.N), "ms")
		})
	}
}
