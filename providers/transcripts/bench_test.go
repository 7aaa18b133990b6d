package transcripts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

// corpus fills a home folder with copies of the real logs of Claude Code, each
// with ids of its own, and returns their number and size in bytes.
func corpus(t testing.TB, home string, copies int) (files int, size int64) {
	t.Helper()
	logs, err := filepath.Glob(filepath.Join(fstest.Data(t, "sessions", "claude-code"), "*.jsonl"))
	check(t, err)
	old := time.Now().Add(-24 * time.Hour)
	for _, log := range logs {
		text, err := os.ReadFile(log)
		check(t, err)
		id := strings.TrimSuffix(filepath.Base(log), ".jsonl")
		for i := range copies {
			// All uuids are others, the session's and its records'.
			fresh := bytes.ReplaceAll(text, []byte(id), []byte(fmt.Sprintf("%08x%s", i+1, id[8:])))
			fresh = bytes.ReplaceAll(fresh, []byte(`uid":"`), []byte(fmt.Sprintf(`uid":"%08x`, i+1)))
			fresh = bytes.ReplaceAll(fresh, []byte(`Uuid":"`), []byte(fmt.Sprintf(`Uuid":"%08x`, i+1)))
			path := filepath.Join(home, ".claude", "projects", fmt.Sprintf("-work-%d", i%20), fmt.Sprintf("%08x%s.jsonl", hashOf(id)&0xffffff+uint64(i), id[8:]))
			check(t, os.MkdirAll(filepath.Dir(path), 0o755))
			check(t, os.WriteFile(path, fresh, 0o644))
			check(t, os.Chtimes(path, old, old))
			files++
			size += int64(len(fresh))
		}
	}
	return files, size
}

// BenchmarkFirstPass renders a history for the first time, one session after the
// other, beside encoding/json decoding the same lines.
func BenchmarkFirstPass(b *testing.B) {
	home := tempHome(b)
	_, size := corpus(b, home, 10)
	b.SetBytes(size)
	var json time.Duration
	for b.Loop() {
		f := start(b, home, offline)
		f.scanner.First()
		b.StopTimer()
		begin := time.Now()
		for _, s := range f.catalogue.All() {
			decodeAll(b, s.Source().Path)
		}
		json = time.Since(begin)
		b.StartTimer()
		begin = time.Now()
		for _, s := range f.catalogue.All() {
			check(b, f.cache.Current(b.Context(), s, false))
		}
		took := time.Since(begin)
		b.StopTimer()
		b.ReportMetric(float64(size)/1e6/took.Seconds(), "MB/s")
		b.ReportMetric(float64(size)/1e6/json.Seconds(), "encoding-json-MB/s")
		check(b, os.RemoveAll(filepath.Join(home, ".cache")))
		b.StartTimer()
	}
}

func decodeAll(b *testing.B, path string) {
	text, err := os.ReadFile(path)
	check(b, err)
	for line := range bytes.Lines(text) {
		var v map[string]any
		check(b, json.Unmarshal(line, &v))
	}
}

// BenchmarkRestart starts with a history that was rendered before.
func BenchmarkRestart(b *testing.B) {
	home := tempHome(b)
	files, _ := corpus(b, home, 50)
	f := start(b, home, offline)
	f.scanner.First()
	for _, s := range f.catalogue.All() {
		check(b, f.cache.Current(b.Context(), s, false))
	}
	check(b, f.Close())
	for b.Loop() {
		begin := time.Now()
		f := start(b, home, offline)
		f.scanner.First()
		b.ReportMetric(float64(time.Since(begin).Microseconds())/1e3, "ms")
		behind := 0
		for _, s := range f.catalogue.All() {
			if v, _ := f.catalogue.View(s); v.Behind {
				behind++
			}
		}
		if n := len(f.catalogue.All()); behind > 0 || n != files {
			b.Fatalf("%d of %d sessions would be rendered again", behind, n)
		}
	}
}

// BenchmarkResults reads every long text of a history that was rendered, in the
// order of the tree, as a search does.
func BenchmarkResults(b *testing.B) {
	home := tempHome(b)
	corpus(b, home, 5)
	f := start(b, home, offline)
	f.scanner.First()
	var paths []string
	for _, s := range f.catalogue.All() {
		check(b, f.cache.Current(b.Context(), s, false))
		for _, name := range f.names(f.catalogue.Path(s) + "/" + "results") {
			paths = append(paths, f.catalogue.Path(s)+"/"+"results"+"/"+name)
		}
	}
	for b.Loop() {
		f.forgetTexts()
		begin := time.Now()
		for _, path := range paths {
			f.read(path)
		}
		b.ReportMetric(float64(time.Since(begin).Microseconds())/float64(len(paths)), "µs/result")
	}
	b.ReportMetric(0, "ns/op")
}
