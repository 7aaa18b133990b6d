package transcripts

import (
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"ctxfs/providers/internal/fulltext"
)

// textFolder is a folder of rendered texts.
type textFolder struct {
	dir   string
	texts []fulltext.Text
	size  int64
}

func (f *textFolder) Texts() []fulltext.Text { return f.texts }

func (f *textFolder) Open(t fulltext.Text) (fulltext.File, error) {
	return os.Open(filepath.Join(f.dir, t.Session))
}

// renderedTexts writes the transcripts of the real sessions again and again,
// each time with other digits in ids and numbers, until there is so much text.
func renderedTexts(b *testing.B, size int64) *textFolder {
	b.Helper()
	f := start(b, realHome(b), offline)
	f.scanner.First()
	var originals [][]byte
	for _, s := range f.catalogue.All() {
		// Small ones would be most of so many: a gigabyte of them is no history.
		if text := f.read(f.catalogue.Path(s) + "/" + "transcript.md"); len(text) > 20_000 {
			originals = append(originals, []byte(text))
		}
	}
	out := &textFolder{dir: b.TempDir()}
	for n := 0; out.size < size; n++ {
		text := otherIDs(originals[n%len(originals)], n/len(originals))
		name := strconv.Itoa(n)
		check(b, os.WriteFile(filepath.Join(out.dir, name), text, 0o600))
		out.texts = append(out.texts, fulltext.Text{Session: name, Generation: 1, Size: int64(len(text)), Time: time.Unix(int64(2e9-n), 0)})
		out.size += int64(len(text))
	}
	return out
}

// otherIDs changes the digits of all words of at least six characters that have
// some.
func otherIDs(text []byte, n int) []byte {
	text = slices.Clone(text)
	isWord := func(c byte) bool {
		return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	}
	for i := 0; i < len(text); i++ {
		start := i
		for i < len(text) && isWord(text[i]) {
			i++
		}
		for at, add := i-1, n; at >= start && add > 0 && i-start >= 6; at-- {
			if c := text[at]; '0' <= c && c <= '9' {
				text[at] = '0' + byte((int(c-'0')+add)%10)
				add /= 10
			}
		}
	}
	return text
}

// BenchmarkFindWords searches some hundred megabytes of transcripts, or as many
// as CTXFS_BENCH_MB says.
func BenchmarkFindWords(b *testing.B) {
	size := int64(200)
	if given, err := strconv.Atoi(os.Getenv("CTXFS_BENCH_MB")); err == nil {
		size = int64(given)
	}
	library := renderedTexts(b, size<<20)
	path := filepath.Join(b.TempDir(), fulltextName)
	x := fulltext.New(fulltext.Options{Path: path, Library: library, Log: slog.New(slog.DiscardHandler)})
	defer func() { check(b, x.Close()) }()
	begin := time.Now()
	x.Begin()
	for range time.Tick(10 * time.Millisecond) {
		if left := x.Left(); left >= 0 && left < 1<<20 {
			break
		}
	}
	took := time.Since(begin)
	kept := int64(0)
	for _, end := range []string{"", "-wal", "-shm"} {
		if info, err := os.Stat(path + end); err == nil {
			kept += info.Size()
		}
	}
	b.Logf("%d MB in %d sessions, %.0f MB/s, index %.1f %% of the text", library.size>>20, len(library.texts),
		float64(library.size)/1e6/took.Seconds(), 100*float64(kept)/float64(library.size))
	var memory runtime.MemStats
	for name, words := range map[string]string{
		"rare":     "backward compat migration rollback",
		"common":   "error file test",
		"one":      "file",
		"none":     "zebra xylophone",
		"misspelt": "bakcward comaptibility migartion rollbakc",
		"sentence": "where did we decide how the session state is kept when a checkpoint is pushed to another branch",
	} {
		b.Run(name, func(b *testing.B) {
			var times []time.Duration
			for b.Loop() {
				begin := time.Now()
				r, err := x.Search(b.Context(), fulltext.Query{Words: words, Limit: 10})
				check(b, err)
				if name != "none" && len(r.Hits) == 0 || r.Left > 0 {
					b.Fatalf("%d hits, %d bytes left out", len(r.Hits), r.Left)
				}
				times = append(times, time.Since(begin))
			}
			runtime.GC()
			runtime.ReadMemStats(&memory)
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Microseconds())/1e3, "median-ms")
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1e3, "p99-ms")
			b.ReportMetric(float64(memory.HeapAlloc)/1e6, "heap-MB")
		})
	}
}
