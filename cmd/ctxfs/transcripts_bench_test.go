package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

// benchHome is a user with a history.
type benchHome struct {
	*testing.B
	env         []string
	home, mnt   string
	cache       string
	logs        string // of Claude Code
	files, size int
}

func newBenchHome(b *testing.B) *benchHome {
	b.Helper()
	env, mnt := benchServers(b, 0, 0)
	h := &benchHome{B: b, env: env, mnt: mnt, home: filepath.Dir(mnt)}
	for _, v := range env {
		if cache, ok := strings.CutPrefix(v, "XDG_CACHE_HOME="); ok {
			h.cache = filepath.Join(cache, "ctxfs", "transcripts")
		}
	}
	h.logs = filepath.Join(h.home, ".claude", "projects")
	return h
}

// realLogs are the real sessions of Claude Code, by their ids.
func realLogs(b *testing.B) map[string][]byte {
	b.Helper()
	paths, err := filepath.Glob(testData("sessions/claude-code/*.jsonl"))
	must(b, err)
	if len(paths) == 0 {
		b.Skip("the recorded sessions in ../shared/data/sessions/claude-code are missing; CTXFS_TEST_DATA names another folder")
	}
	logs := make(map[string][]byte)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		must(b, err)
		logs[strings.TrimSuffix(filepath.Base(path), ".jsonl")] = text
	}
	return logs
}

// fill writes copies of the real sessions, with ids of their own, as nobody has
// written to them for a day.
func (h *benchHome) fill(copies int) {
	h.Helper()
	for id, text := range realLogs(h.B) {
		for i := range copies {
			h.log(fmt.Sprintf("-work-%d", i%20), id, i, renewed(text, id, i))
		}
	}
}

func (h *benchHome) log(project, id string, i int, text []byte) {
	h.Helper()
	path := filepath.Join(h.logs, project, newID(id, i)+".jsonl")
	must(h, os.MkdirAll(filepath.Dir(path), 0o700))
	must(h, os.WriteFile(path, text, 0o600))
	old := time.Now().Add(-24 * time.Hour)
	must(h, os.Chtimes(path, old, old))
	h.files++
	h.size += len(text)
}

func newID(id string, i int) string { return fmt.Sprintf("%08x%s", i+1, id[8:]) }

// renewed is a log with other ids, of the session and of its records.
func renewed(text []byte, id string, i int) []byte {
	fresh := bytes.ReplaceAll(text, []byte(id), []byte(newID(id, i)))
	for _, key := range []string{`uid":"`, `Uuid":"`} {
		fresh = bytes.ReplaceAll(fresh, []byte(key), fmt.Appendf(nil, "%s%08x", key, i+1))
	}
	return fresh
}

func (h *benchHome) mount() { h.Helper(); benchRun(h.B, h.env, binary(), "mount") }

// transcripts is what the provider says of itself.
func (h *benchHome) transcripts() (state, summary string) {
	h.Helper()
	for _, p := range benchStatus(h.B, h.env).Providers {
		if p.Name == "transcripts" {
			return p.State, p.Summary
		}
	}
	return "", ""
}

// rendered waits until all is, however long that takes, looking at the memory
// meanwhile.
func (h *benchHome) rendered() (took time.Duration) {
	h.Helper()
	begun := time.Now()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		if state, summary := h.transcripts(); state == "ready" {
			return time.Since(begun)
		} else if state == "degraded" {
			h.Fatal(summary)
		}
		<-tick.C
	}
}

// peak is the most that a process ever had resident, in MB.
func peak(b *testing.B, pid int) (mb float64) {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	must(b, err)
	for line := range strings.Lines(string(text)) {
		if n, _ := fmt.Sscanf(line, "VmHWM: %f kB", &mb); n == 1 {
			return mb / 1024
		}
	}
	b.Fatal("no VmHWM")
	return 0
}

// took runs a command with its output into a pipe and measures it in milliseconds.
// Finding nothing is not a failure.
func took(b *testing.B, dir, name string, args ...string) float64 {
	b.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stdout = dir, &discarded{}
	cmd.Env = append(os.Environ(), "LC_ALL=C", "RIPGREP_CONFIG_PATH=")
	begun := time.Now()
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != 1 {
		b.Fatalf("%s %q: %v", name, args, err)
	}
	return float64(time.Since(begun).Microseconds()) / 1000
}

// discarded is not a file, so that commands write into a pipe.
type discarded struct{ n int }

func (d *discarded) Write(p []byte) (int, error) { d.n += len(p); return len(p), nil }

func middle(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

func dropAllCaches(b *testing.B) {
	b.Helper()
	exec.Command("sync").Run()
	if err := os.WriteFile("/proc/sys/vm/drop_caches", []byte("3"), 0); err != nil {
		b.Skipf("caches cannot be dropped here: %v", err)
	}
	exec.Command("rg", "--version").Run()
}

// reportBoth reports the medians of one thing there and here, and their ratio.
func reportBoth(b *testing.B, reference string, there, here []float64) {
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(middle(there), reference+"-ms")
	b.ReportMetric(middle(here), "mount-ms")
	b.ReportMetric(middle(here)/middle(there), "x-"+reference)
}

// BenchmarkTranscriptsRg searches all transcripts of ten copies of the real
// sessions: warm beside the same text in plain files, cold beside the raw logs, with
// the long results, which are cut from them, and without.
func BenchmarkTranscriptsRg(b *testing.B) {
	if _, err := exec.LookPath("rg"); err != nil {
		b.Skip("rg is not installed")
	}
	h := newBenchHome(b)
	h.fill(10)
	h.mount()
	b.Logf("%d sessions of %d MB rendered in %v", h.files, h.size/1e6, h.rendered())
	shown := filepath.Join(h.mnt, "transcripts")
	plain := filepath.Join(h.home, "plain")
	benchRun(b, h.env, "bash", "-c", "mkdir "+plain+" && cd "+shown+" && find . -type f ! -name messages.jsonl -exec cp --parents -t "+plain+
		" {} + && find . -name messages.jsonl | (cd "+plain+" && xargs touch)")
	for _, word := range []string{"error", "zebrafinch"} {
		b.Run("warm/"+word, func(b *testing.B) {
			var there, here []float64
			for i := range 11 {
				x, y := took(b, plain, "rg", "-c", word), took(b, shown, "rg", "-c", word)
				if i >= 2 {
					there, here = append(there, x), append(here, y)
				}
			}
			reportBoth(b, "plain", there, here)
		})
	}
	for name, search := range map[string][]string{"all": {"-c", "zebrafinch"}, "transcripts": {"-c", "-g", "transcript.md", "zebrafinch"}} {
		b.Run("cold/"+name, func(b *testing.B) {
			var there, here []float64
			for range 5 {
				dropAllCaches(b)
				there = append(there, took(b, h.logs, "rg", "-c", "zebrafinch"))
				dropAllCaches(b)
				here = append(here, took(b, shown, "rg", search...))
			}
			reportBoth(b, "raw", there, here)
		})
	}
}

// BenchmarkTranscriptsRestart starts with a history that was rendered before:
// from `ctxfs mount` until all is known to be.
func BenchmarkTranscriptsRestart(b *testing.B) {
	h := newBenchHome(b)
	h.fill(50)
	h.mount()
	b.Logf("%d sessions of %d MB rendered in %v", h.files, h.size/1e6, h.rendered())
	var listed, ready []float64
	before := h.books()
	for range 5 {
		endServer(b, h.env)
		begun := time.Now()
		h.mount()
		benchRun(b, h.env, "ls", "-R", filepath.Join(h.mnt, "transcripts", "claude-code"))
		listed = append(listed, float64(time.Since(begun).Milliseconds()))
		h.rendered()
		ready = append(ready, float64(time.Since(begun).Milliseconds()))
	}
	if after := h.books(); after != before {
		b.Errorf("books were written again:\n%s\n%s", before, after)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(middle(listed), "ls-R-ms")
	b.ReportMetric(middle(ready), "ready-ms")
}

// books are the transcripts in the cache with the times of their last writes.
func (h *benchHome) books() string {
	h.Helper()
	return benchRun(h.B, h.env, "bash", "-c", "cd "+h.cache+" && find . -name '*.md' -printf '%p %s %T@\\n' | sort | sha256sum")
}

// BenchmarkTranscriptsManySessions lists 100,000 sessions in one folder, beside a
// folder on disk with as many folders, and starts again with them.
func BenchmarkTranscriptsManySessions(b *testing.B) {
	const sessions = 100_000
	h := newBenchHome(b)
	dir := filepath.Join(h.home, ".pi", "agent", "sessions", "--work--")
	must(b, os.MkdirAll(dir, 0o700))
	old := time.Now().Add(-24 * time.Hour)
	for i := range sessions {
		id := fmt.Sprintf("%08x-2222-4333-8444-555555555555", i)
		path := filepath.Join(dir, "2026-05-12T01-00-00-000Z_"+id+".jsonl")
		must(b, os.WriteFile(path, fmt.Appendf(nil, `{"type":"session","version":3,"id":%q,"timestamp":"2026-05-12T01:00:00Z","cwd":%q}
{"type":"message","id":"%s-1","timestamp":"2026-05-12T01:00:01Z","message":{"role":"user","content":[{"type":"text","text":"Feed wombat number %d"}]}}
`, id, filepath.Join(h.home, "work"), id, i), 0o600))
		must(b, os.Chtimes(path, old, old))
	}
	plain := b.TempDir()
	for i := range sessions {
		must(b, os.Mkdir(filepath.Join(plain, fmt.Sprintf("2026-05-12_Feed-wombat-number-%d_%08x", i, i)), 0o700))
	}
	begun := time.Now()
	h.mount()
	shown := filepath.Join(h.mnt, "transcripts", "pi", "work")
	count := func() string { return benchRun(b, h.env, "bash", "-c", "ls -U "+shown+" 2>/dev/null | wc -l") }
	fstest.Eventually(b, "all are listed", func() bool { return strings.TrimSpace(count()) == fmt.Sprint(sessions) })
	b.Logf("all are listed after %v", time.Since(begun))
	pid := daemonPid(b, h.env)
	list := func(b *testing.B) {
		var there, here []float64
		for range 9 {
			there, here = append(there, took(b, plain, "ls")), append(here, took(b, shown, "ls"))
		}
		reportBoth(b, "native", there, here)
	}
	b.Run("ls/first-pass", list)
	h.rendered()
	b.Logf("all are rendered after %v, at most %.0f MB resident", time.Since(begun), peak(b, pid))
	b.Run("ls/rendered", list)
	b.Run("restart", func(b *testing.B) {
		var first, again, ready []float64
		for range 3 {
			endServer(b, h.env)
			begun := time.Now()
			h.mount()
			benchRun(b, h.env, "ls", shown)
			first = append(first, float64(time.Since(begun).Milliseconds()))
			again = append(again, took(b, shown, "ls"))
			h.rendered()
			ready = append(ready, float64(time.Since(begun).Milliseconds()))
		}
		pid := daemonPid(b, h.env)
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(middle(first), "mount+ls-ms")
		b.ReportMetric(middle(again), "ls-again-ms")
		b.ReportMetric(middle(ready), "ready-ms")
		b.ReportMetric(resident(b, pid), "MB")
	})
}

// BenchmarkTranscriptsMemory renders 10 GB of history for the first time.
func BenchmarkTranscriptsMemory(b *testing.B) {
	h := newBenchHome(b)
	h.fill(480)
	h.mount()
	pid := daemonPid(b, h.env)
	before := cpuTime(b, pid)
	wall := h.rendered()
	cpu := cpuTime(b, pid) - before
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(h.size)/1e9, "GB")
	b.ReportMetric(peak(b, pid), "peak-MB")
	b.ReportMetric(float64(h.size)/1e6/wall.Seconds(), "MB/s")
	b.ReportMetric(float64(h.size)/1e6/cpu.Seconds(), "MB/cpu-s")
	b.ReportMetric(restingMemory(b, pid), "MB-at-rest")
}
