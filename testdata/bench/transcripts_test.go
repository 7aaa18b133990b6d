package bench

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

// fill writes copies of the recorded sessions, with ids of their own, as nobody has written to
// them for a day, and returns their size.
func (u *user) fill(copies int) (size int) {
	u.Helper()
	old := time.Now().Add(-24 * time.Hour)
	for _, log := range recordedSessions(u.TB) {
		text, err := os.ReadFile(log)
		must(u, err)
		id := strings.TrimSuffix(filepath.Base(log), ".jsonl")
		for i := range copies {
			fresh := fmt.Sprintf("%08x%s", i+1, id[8:])
			copied := bytes.ReplaceAll(text, []byte(id), []byte(fresh))
			for _, key := range []string{`uid":"`, `Uuid":"`} {
				copied = bytes.ReplaceAll(copied, []byte(key), fmt.Appendf(nil, "%s%08x", key, i+1))
			}
			path := fmt.Sprintf(".claude/projects/-work-%d/%s.jsonl", i%20, fresh)
			u.write(path, string(copied))
			must(u, os.Chtimes(filepath.Join(u.home, path), old, old))
			size += len(copied)
		}
	}
	return size
}

// rendered waits until all sessions are, however long that takes.
func (u *user) rendered() {
	u.Helper()
	for tick := time.NewTicker(50 * time.Millisecond); ; <-tick.C {
		for _, p := range u.status().Providers {
			if p.Name == "transcripts" && p.State == "degraded" {
				u.Fatal(p.Summary)
			}
			if p.Name == "transcripts" && p.State == "ready" {
				tick.Stop()
				return
			}
		}
	}
}

// BenchmarkTranscripts renders ten copies of the recorded sessions for the first time,
// searches them beside the same text in plain files, and starts again with them.
func BenchmarkTranscripts(b *testing.B) {
	for b.Loop() {
		u := newUser(b)
		size := float64(u.fill(10)) / 1e6
		begun := time.Now()
		u.run(program(), "mount")
		u.rendered()
		pid := u.status().Pid
		b.ReportMetric(size/time.Since(begun).Seconds(), "first-MB/s")
		b.ReportMetric(size/u.cpu(pid)*1000, "first-MB/cpu-s")
		b.ReportMetric(u.memory(pid, "VmHWM"), "peak-MB")
		shown, plain := filepath.Join(u.mnt, "transcripts"), filepath.Join(u.home, "plain")
		u.run("sh", "-c", "mkdir "+plain+" && cd "+shown+" && find . -type f ! -name messages.jsonl -exec cp --parents -t "+plain+" {} +")
		for _, word := range []string{"error", "zebrafinch"} {
			var there, here []float64
			for range 9 {
				there, here = append(there, u.took(plain, "rg", "-c", word)), append(here, u.took(shown, "rg", "-c", "-g", "!messages.jsonl", word))
			}
			b.ReportMetric(median(here[2:])/median(there[2:]), "rg-"+word+"/plain")
		}
		u.end()
		begun = time.Now()
		u.run(program(), "mount")
		u.rendered()
		b.ReportMetric(time.Since(begun).Seconds()*1000, "again-ms")
		b.ReportMetric(u.resting(u.status().Pid), "MB-at-rest")
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkTranscriptsLive measures how long a message takes from being written to the
// agent's log until it can be read in the transcript.
func BenchmarkTranscriptsLive(b *testing.B) {
	const id = "11fe0000-2222-4333-8444-555555555555"
	u := newUser(b)
	line := func(n int) string {
		return fmt.Sprintf(`{"type":"user","uuid":"live-%d","timestamp":"2026-05-12T01:00:00Z","sessionId":"%s","cwd":"/work","message":{"role":"user","content":"message number %d."}}`+"\n", n, id, n)
	}
	u.write(".claude/projects/-live/"+id+".jsonl", line(0))
	u.run(program(), "mount")
	log, err := os.OpenFile(filepath.Join(u.home, ".claude/projects/-live", id+".jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	must(b, err)
	defer log.Close()
	var shown *os.File
	fstest.Eventually(b, "the transcript is there", func() bool {
		shown, err = os.Open(filepath.Join(u.mnt, "transcripts/by-id", id, "transcript.md"))
		return err == nil
	})
	defer shown.Close()
	var took []float64
	buf, offset := make([]byte, 1<<16), int64(0)
	for n := 1; len(took) < 200 || b.Loop(); n++ {
		<-time.After(20 * time.Millisecond)
		begun := time.Now()
		_, err := log.WriteString(line(n))
		must(b, err)
		want := []byte(fmt.Sprintf("message number %d.", n))
		fstest.Eventually(b, "the message is there", func() bool {
			read, err := shown.ReadAt(buf, offset)
			if err != nil && err != io.EOF {
				b.Fatal(err)
			}
			at := bytes.Index(buf[:read], want)
			offset += int64(max(0, at))
			return at >= 0
		})
		took = append(took, float64(time.Since(begun).Microseconds())/1000)
	}
	b.ReportMetric(median(took), "median-ms")
	b.ReportMetric(slices.Max(took), "max-ms")
	b.ReportMetric(0, "ns/op")
}
