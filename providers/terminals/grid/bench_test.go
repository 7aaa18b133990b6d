package grid

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"
)

// streams are about a megabyte each of what terminals are sent.
func streams() map[string][]byte {
	const size = 1 << 20
	random := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("the server has started on port listening warning connection refused request took milliseconds cache miss user id worker thread finished")
	word := func() string { return words[random.IntN(len(words))] }
	all := make(map[string][]byte)
	fill := func(name string, line func(out *bytes.Buffer, i int)) {
		var out bytes.Buffer
		for i := 0; out.Len() < size; i++ {
			line(&out, i)
		}
		all[name] = out.Bytes()
	}
	fill("log", func(out *bytes.Buffer, i int) {
		fmt.Fprintf(out, "2026-05-01T12:%02d:%02d.%03dZ INFO [worker-%d]", i/60%60, i%60, i%1000, i%8)
		for range 4 + random.IntN(10) {
			out.WriteString(" " + word())
		}
		out.WriteString("\r\n")
	})
	fill("log-colour", func(out *bytes.Buffer, i int) {
		fmt.Fprintf(out, "\x1b[2m12:%02d:%02d.%03d\x1b[0m \x1b[32mINFO\x1b[0m \x1b[1;34mworker-%d\x1b[0m", i/60%60, i%60, i%1000, i%8)
		for range 4 + random.IntN(8) {
			fmt.Fprintf(out, " %s=\x1b[38;5;%dm%s\x1b[0m", word(), random.IntN(256), word())
		}
		out.WriteString("\r\n")
	})
	fill("log-symbols", func(out *bytes.Buffer, i int) {
		fmt.Fprintf(out, "  ✔ %s → %s │ %s … done in %d ms\r\n", word(), word(), word(), i)
	})
	fill("yes", func(out *bytes.Buffer, i int) { out.WriteString("y\r\n") })
	fill("long-lines", func(out *bytes.Buffer, i int) {
		for range 200 {
			out.WriteString(word() + " ")
		}
		out.WriteString("\r\n")
	})
	fill("no-line-feed", func(out *bytes.Buffer, i int) { out.WriteString(word()) })
	fill("progress", func(out *bytes.Buffer, i int) {
		fmt.Fprintf(out, "\r\x1b[K[%-40s] %3d%% %s", strings.Repeat("=", i%40), i%100, word())
		if i%100 == 99 {
			out.WriteString("\r\n")
		}
	})
	fill("layers", func(out *bytes.Buffer, i int) {
		out.WriteString("\x1b[8A")
		for layer := range 8 {
			fmt.Fprintf(out, "\x1b[2K\rlayer %d: downloading [%-30s] %d/100\r\n", layer, strings.Repeat("#", (i+layer)%30), i%100)
		}
	})
	fill("cjk", func(out *bytes.Buffer, i int) {
		for range 20 + random.IntN(20) {
			out.WriteRune(rune(0x4e00 + random.IntN(0x5000)))
		}
		out.WriteString("\r\n")
	})
	fill("emoji", func(out *bytes.Buffer, i int) {
		for range 10 + random.IntN(20) {
			out.WriteRune(rune(0x1f300 + random.IntN(0x200)))
			out.WriteString(" ok ")
		}
		out.WriteString("\r\n")
	})
	fill("combining", func(out *bytes.Buffer, i int) {
		for range 30 + random.IntN(20) {
			out.WriteString("e\u0301o\u0308 ")
		}
		out.WriteString("\r\n")
	})
	fill("full-screen", func(out *bytes.Buffer, i int) {
		if i == 0 {
			out.WriteString("\x1b[?1049h")
		}
		fmt.Fprintf(out, "\x1b[%d;%dH\x1b[1;3%dm%s\x1b[0m\x1b[K", 1+random.IntN(40), 1+random.IntN(100), random.IntN(8), word())
	})
	fill("redraws", func(out *bytes.Buffer, i int) {
		out.WriteString("\x1b[H")
		for y := range 40 {
			fmt.Fprintf(out, "%5d root 20 0 %8d %6d S %4.1f %s\x1b[K\r\n", y, random.IntN(1e8), random.IntN(1e6), random.Float64()*100, word())
		}
	})
	fill("cleared", func(out *bytes.Buffer, i int) { fmt.Fprintf(out, "\x1b[H\x1b[2J%s %s\r\n%s", word(), word(), word()) })
	fill("inserted", func(out *bytes.Buffer, i int) {
		fmt.Fprintf(out, "\x1b[H\x1b[L%s\x1b[20;1H\x1b[M\x1b[3@%s", word(), word())
	})
	fill("binary", func(out *bytes.Buffer, i int) {
		for range 100 {
			out.WriteByte(byte(random.UintN(256)))
		}
	})
	fill("hyperlinks", func(out *bytes.Buffer, i int) {
		fmt.Fprintf(out, "\x1b]8;;https://example.com/%d\x1b\\%s\x1b]8;;\x1b\\ %s\r\n", i, word(), word())
	})
	return all
}

// cpuTime returns the processor time that this process has used.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkStreams measures megabytes for each second of processor time, in
// writes of 4 KB as a PTY delivers them, at 120 by 40.
func BenchmarkStreams(b *testing.B) {
	all := streams()
	for name, stream := range recordings(b) {
		all["recorded-"+name] = stream
	}
	for _, name := range sortedNames(all) {
		stream := all[name]
		b.Run(name, func(b *testing.B) {
			g := New(Options{Cols: 120, Rows: 40})
			b.SetBytes(int64(len(stream)))
			b.ReportAllocs()
			begun := cpuTime()
			for b.Loop() {
				for i := 0; i < len(stream); i += 4096 {
					g.Write(stream[i:min(i+4096, len(stream))])
					g.Take()
				}
			}
			b.ReportMetric(float64(b.N)*float64(len(stream))/1e6/(cpuTime()-begun).Seconds(), "MB/cpu-s")
		})
	}
}
