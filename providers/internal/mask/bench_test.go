package mask

import (
	"strings"
	"testing"
	"time"
)

// pairs is the filter that the package had when it knew shapes alone: the first
// and the second two bytes of their literals.
var pairs = func() *[1 << 16]bool {
	table := new([1 << 16]bool)
	for _, r := range shapes {
		table[uint16(r.literal[0])|uint16(r.literal[1])<<8] = true
		table[uint16(r.literal[1])|uint16(r.literal[2])<<8] = true
	}
	return table
}()

// starting is the shapes by the first byte of their literals.
var starting = func() *[256][]*rule {
	table := new([256][]*rule)
	for i := range shapes {
		table[shapes[i].literal[0]] = append(table[shapes[i].literal[0]], &shapes[i])
	}
	return table
}()

// shapesOnly looks at a text as the package did then: two bytes at a time, and at
// the shapes whose literals are there. It returns how many secrets there are.
func shapesOnly(text []byte) (found int) {
	look := func(at int) {
		for p := max(at-1, 0); p <= at; p++ {
			for _, r := range starting[text[p]] {
				if r.matches(text, p) && r.value != nil {
					if from, to := r.value(text, p); to > from {
						found++
					}
				}
			}
		}
	}
	pair := func(a, b byte) bool { return pairs[uint16(a)|uint16(b)<<8] }
	for i := 0; i+8 <= len(text); i += 8 {
		t := text[i : i+8 : i+8]
		if !(pair(t[0], t[1]) || pair(t[2], t[3]) || pair(t[4], t[5]) || pair(t[6], t[7])) {
			continue
		}
		for j := i; j < i+8; j += 2 {
			if pair(text[j], text[j+1]) {
				look(j)
			}
		}
	}
	return found
}

// BenchmarkMask is the cost of text without secrets, which is most of a log. For
// each text it also gives what shapes alone cost in the same run, each the fastest
// of all passes, which take turns: other programs do not count.
func BenchmarkMask(b *testing.B) {
	for _, sample := range []struct{ name, line string }{
		{"plain", "12:04:31 INFO  compiled 214 modules of the project in 3.2 s, nothing to do for through/path/of/high.go\n"},
		{"urls", "12:04:31 GET https://npm.example.com/left-pad/-/left-pad-1.3.0.tgz 200 14ms (cache hit)\n"},
		{"words", "The quick brown fox asks whether the task of the disk should go through a host, or a ghost of skill.\n"},
		{"names", "12:04:31 INFO  token refreshed, password policy ok, secret store ready, key rotated for user 4711\n"},
	} {
		text := []byte(strings.Repeat(sample.line, 64<<10/len(sample.line)))
		b.Run(sample.name, func(b *testing.B) {
			m := New()
			before, now := time.Hour, time.Hour
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				start := time.Now()
				shapesOnly(text)
				middle := time.Now()
				m.Mask(text)
				before, now = min(before, middle.Sub(start)), min(now, time.Since(middle))
			}
			rate := func(d time.Duration) float64 { return float64(len(text)) / 1e6 / d.Seconds() }
			b.ReportMetric(rate(now), "now-MB/s")
			b.ReportMetric(rate(before), "shapes-MB/s")
			b.ReportMetric(float64(before)/float64(now), "ratio")
		})
	}
}
