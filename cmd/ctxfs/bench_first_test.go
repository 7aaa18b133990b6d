package main

import (
	"cmp"
	"fmt"
	iofs "io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

// BenchmarkFirstReads reads every file of a mount for the first time, one after
// the other, and prints which took longest: pages and indexes are made ahead,
// only the texts of sessions are rendered for the one who reads them.
func BenchmarkFirstReads(b *testing.B) {
	env, mnt := benchServers(b, 20, 0)
	variable := func(name string) (value string) {
		for _, v := range env {
			if rest, ok := strings.CutPrefix(v, name+"="); ok {
				value = rest
			}
		}
		return value
	}
	home, state := variable("HOME"), variable("XDG_STATE_HOME")
	write := func(path, text string) {
		must(b, os.MkdirAll(filepath.Dir(path), 0o700))
		must(b, os.WriteFile(path, []byte(text), 0o600))
	}
	for i := range 200 {
		write(fmt.Sprintf("%s/.claude/skills/skill-%d/SKILL.md", home, i), fmt.Sprintf("---\nname: skill-%d\ndescription: Use it for the task %d.\n---\nDo it.\n", i, i))
	}
	const sessions = 1000
	for i := range sessions {
		id := fmt.Sprintf("0b0e2bd1-1111-4000-8000-%012d", i)
		write(fmt.Sprintf("%s/.pi/agent/sessions/--work--/2026-05-12T01-02-27-657Z_%s.jsonl", home, id),
			`{"type":"session","version":3,"id":"`+id+`","timestamp":"2026-05-12T01:02:27.657Z","cwd":"/work"}
{"type":"message","id":"m1","timestamp":"2026-05-12T01:03:01Z","message":{"role":"user","content":[{"type":"text","text":"why does the login fail"}]}}
`)
	}
	for i := range 1000 {
		write(fmt.Sprintf("%s/ctxfs/results/2026-11-21T04-01-02Z.files.read.%05d.txt", state, i), strings.Repeat("a line\n", 1000))
	}
	for range 20 {
		benchRun(b, env, binary(), "run", "--", "echo", "x")
	}
	for b.Loop() {
		benchRun(b, env, binary(), "mount")
		fstest.Eventually(b, "all is there", func() bool {
			index, _ := os.ReadFile(filepath.Join(mnt, "transcripts", "INDEX.tsv"))
			status, _ := os.ReadFile(filepath.Join(mnt, "STATUS.md"))
			return strings.Count(string(index), "\n") == sessions+1 && strings.Contains(string(status), "20 servers, 1000 tools")
		})
		type read struct {
			path string
			took time.Duration
		}
		var pages, texts []read
		must(b, filepath.WalkDir(mnt, func(path string, d iofs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			begun := time.Now()
			_, err = os.ReadFile(path)
			one := read{strings.TrimPrefix(path, mnt+"/"), time.Since(begun)}
			if strings.HasPrefix(one.path, "transcripts/pi/work/") {
				texts = append(texts, one)
			} else {
				pages = append(pages, one)
			}
			return err
		}))
		for _, kind := range []struct {
			name  string
			reads []read
		}{{"pages", pages}, {"texts", texts}} {
			slices.SortFunc(kind.reads, func(a, b read) int { return cmp.Compare(b.took, a.took) })
			n := len(kind.reads)
			b.ReportMetric(float64(kind.reads[n/2].took.Microseconds()), "µs/"+kind.name+"-median")
			b.ReportMetric(float64(kind.reads[n/100].took.Microseconds()), "µs/"+kind.name+"-99%")
			b.ReportMetric(float64(kind.reads[0].took.Microseconds()), "µs/"+kind.name+"-slowest")
			for _, one := range kind.reads[:8] {
				b.Logf("%s: %v %s", kind.name, one.took, one.path)
			}
			b.Logf("%s: %d files", kind.name, n)
		}
		benchRun(b, env, binary(), "unmount")
	}
}
