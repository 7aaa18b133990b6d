package shells

import (
	"strings"
	"testing"
	"time"
)

// BenchmarkCommand is the time from Enter to the next prompt for an empty
// command, without the integration and with it; the difference is what a command
// costs.
func BenchmarkCommand(b *testing.B) {
	for _, name := range []string{"bash", "zsh", "fish"} {
		b.Run(name, func(b *testing.B) {
			shell, h := find(b, name), newHome(b)
			h.file(".bashrc", "PS1='ok> '\n")
			h.file(".zshrc", "PS1='ok> '\n")
			h.fish("")
			plain := open(b, Command{Path: shell, Args: []string{name}, Env: h.environment()}, h.dir, "")
			marked := h.start(Options{Shell: shell})
			var times [2]time.Duration
			for _, s := range []*session{plain, marked} {
				s.shows("ok>")
				s.next() // the first ones after the start
				s.next()
			}
			for b.Loop() { // in turns, so that both have the same machine
				for i, s := range []*session{plain, marked} {
					times[i] += s.next()
				}
			}
			per := func(d time.Duration) float64 { return d.Seconds() * 1e3 / float64(b.N) }
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(per(times[0]), "plain-ms")
			b.ReportMetric(per(times[1]-times[0]), "more-ms")
		})
	}
}

// next runs an empty command, and returns how long that took.
func (s *session) next() time.Duration {
	s.Helper()
	s.mu.Lock()
	s.raw.Reset()
	s.mu.Unlock()
	begin := time.Now()
	s.write("true\r")
	s.await("prompt", func() bool { return strings.Contains(s.raw.String(), "\n") && strings.Contains(s.raw.String(), "ok> ") })
	return time.Since(begin)
}
