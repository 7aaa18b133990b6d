package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

// growing is a session that an agent writes to, with its transcript open.
type growing struct {
	*testing.B
	log, shown *os.File
	offset     int64
	n          int
}

// grow begins a session whose transcript has some text, and opens that.
func (h *benchHome) grow(id string, text []byte) *growing {
	h.Helper()
	path := filepath.Join(h.logs, "-live", id+".jsonl")
	must(h, os.MkdirAll(filepath.Dir(path), 0o700))
	must(h, os.WriteFile(path, text, 0o600))
	g := &growing{B: h.B}
	var err error
	g.log, err = os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	must(h, err)
	h.Cleanup(func() { g.log.Close() })
	transcript := filepath.Join(h.mnt, "transcripts", "by-id", id, "transcript.md")
	fstest.Becomes(func() bool { g.shown, err = os.Open(transcript); return err == nil })
	must(h, err)
	h.Cleanup(func() { g.shown.Close() })
	info, err := g.shown.Stat()
	must(h, err)
	g.offset = info.Size()
	return g
}

// say writes a message to the log and measures how long it takes to be readable,
// in milliseconds.
func (g *growing) say() float64 {
	g.Helper()
	g.n++
	want := fmt.Sprintf("message number %d.", g.n)
	line := fmt.Sprintf(`{"type":"user","uuid":"live-%d","timestamp":"2026-05-12T01:00:00Z","sessionId":"x","cwd":"/work","message":{"role":"user","content":%q}}`+"\n", g.n, want)
	begun := time.Now()
	_, err := g.log.WriteString(line)
	must(g, err)
	buf := make([]byte, 1<<16)
	look := time.NewTicker(200 * time.Microsecond)
	defer look.Stop()
	for time.Since(begun) < fstest.Patience {
		n, err := g.shown.ReadAt(buf, g.offset)
		if err != nil && err != io.EOF {
			g.Fatal(err)
		}
		if strings.Contains(string(buf[:n]), want) {
			g.offset += int64(n)
			return float64(time.Since(begun).Microseconds()) / 1000
		}
		<-look.C
	}
	g.Fatalf("%q cannot be read", want)
	return 0
}

func (g *growing) report(took []float64) {
	slices.Sort(took)
	g.ReportMetric(0, "ns/op")
	g.ReportMetric(took[len(took)/2], "median-ms")
	g.ReportMetric(took[len(took)*99/100], "p99-ms")
	g.ReportMetric(took[len(took)-1], "max-ms")
	g.ReportMetric(float64(len(took)), "messages")
}

const liveID = "11fe0000-2222-4333-8444-555555555555"

// BenchmarkTranscriptsLive measures how long a message takes from being written
// to the agent's log until it can be read in the transcript.
func BenchmarkTranscriptsLive(b *testing.B) {
	first := []byte(`{"type":"user","uuid":"live-0","timestamp":"2026-05-12T01:00:00Z","sessionId":"` + liveID + `","cwd":"/work","message":{"role":"user","content":"Begin"}}` + "\n")
	b.Run("quiet", func(b *testing.B) {
		h := newBenchHome(b)
		h.mount()
		g := h.grow(liveID, first)
		var took []float64
		pace := time.Tick(20 * time.Millisecond)
		for range 400 {
			took = append(took, g.say())
			<-pace
		}
		g.report(took)
	})
	b.Run("first-pass", func(b *testing.B) {
		h := newBenchHome(b)
		h.fill(100)
		h.mount()
		g := h.grow(liveID, first)
		var took []float64
		pace := time.Tick(20 * time.Millisecond)
		for len(took) < 400 {
			took = append(took, g.say())
			<-pace
			if state, _ := h.transcripts(); state == "ready" {
				break
			}
		}
		g.report(took)
	})
}

// BenchmarkTranscriptsHuge has a session of 1 GB: its end is read beside a plain
// file, and messages are appended to it.
func BenchmarkTranscriptsHuge(b *testing.B) {
	h := newBenchHome(b)
	var text []byte
	logs := realLogs(b)
	for i := 0; len(text) < 1e9; i++ {
		for id, log := range logs {
			text = append(text, bytes.ReplaceAll(renewed(log, id, i), []byte(newID(id, i)), []byte(liveID))...)
		}
	}
	path := filepath.Join(h.logs, "-live", liveID+".jsonl")
	must(b, os.MkdirAll(filepath.Dir(path), 0o700))
	must(b, os.WriteFile(path, text, 0o600))
	h.mount()
	pid := daemonPid(b, h.env)
	shown := filepath.Join(h.mnt, "transcripts", "by-id", liveID, "transcript.md")
	begun := time.Now()
	info, err := os.Stat(shown)
	must(b, err)
	b.Logf("%d MB of log are %d MB of transcript after %v, at most %.0f MB resident", len(text)/1e6, info.Size()/1e6, time.Since(begun), peak(b, pid))
	text = nil
	plain := filepath.Join(h.home, "plain.md")
	benchRun(b, h.env, "cp", shown, plain)
	b.Run("tail", func(b *testing.B) {
		var there, here []float64
		for range 21 {
			there, here = append(there, took(b, "/", "tail", "-n", "100", plain)), append(here, took(b, "/", "tail", "-n", "100", shown))
		}
		reportBoth(b, "plain", there, here)
	})
	b.Run("append", func(b *testing.B) {
		g := &growing{B: b, offset: info.Size()}
		g.log, err = os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		must(b, err)
		defer g.log.Close()
		g.shown, err = os.Open(shown)
		must(b, err)
		defer g.shown.Close()
		g.say() // the state is read
		before := cpuTime(b, pid)
		var took []float64
		pace := time.Tick(20 * time.Millisecond)
		for range 200 {
			took = append(took, g.say())
			<-pace
		}
		cpu := cpuTime(b, pid) - before
		g.report(took)
		b.ReportMetric(float64(cpu.Milliseconds())/200, "cpu-ms/message")
	})
}
