package main

import (
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/cmd/ctxfs/sessions"
	"ctxfs/providers/workspaces/changes"
)

// BenchmarkGuard runs `ctxfs stale --guard`, as hooks do before each edit, for a file
// that changed since a real session of 3.9 MB saw it: with the background process and
// without it, beside git, which compares two such files.
func BenchmarkGuard(b *testing.B) {
	const id = "1e0816ef-6f89-4f05-b331-dab09bb14485"
	log, err := os.ReadFile("../../../shared/data/sessions/claude-code/" + id + ".jsonl")
	if err != nil {
		b.Skip(err)
	}
	env, _ := benchServers(b, 0, 0)
	home := ""
	for _, v := range env {
		if rest, ok := strings.CutPrefix(v, "HOME="); ok {
			home = rest
		}
	}
	dir := filepath.Join(home, ".claude", "projects", "-x")
	must(b, os.MkdirAll(dir, 0o700))
	must(b, os.WriteFile(filepath.Join(dir, id+".jsonl"), []byte(strings.ReplaceAll(string(log), "/Users/", home+"/Users/")), 0o600))
	command := func(args ...string) *exec.Cmd {
		cmd := exec.Command(binary(), args...)
		cmd.Env, cmd.Dir = env, home
		return cmd
	}
	out, _ := command("stale", "--json", id).Output() // all are deleted here
	var report sessions.StaleReport
	must(b, json.Unmarshal(out, &report))
	i := slices.IndexFunc(report.Files, func(c changes.Change) bool {
		return strings.HasPrefix(c.Path, home) && strings.HasSuffix(c.Path, ".go")
	})
	if i < 0 {
		b.Fatalf("no file of the session: %s", out)
	}
	file := report.Files[i].Path
	must(b, os.MkdirAll(filepath.Dir(file), 0o700))
	must(b, os.WriteFile(file, []byte(strings.Repeat("package x\n", 1000)), 0o600))
	other := filepath.Join(home, "other")
	must(b, os.WriteFile(other, []byte(strings.Repeat("package y\n", 1000)), 0o600))

	median := func(name string, code int, run func() *exec.Cmd) time.Duration {
		var all []time.Duration
		for range 21 {
			cmd := run()
			begun := time.Now()
			_ = cmd.Run()
			all = append(all, time.Since(begun))
			if cmd.ProcessState.ExitCode() != code {
				b.Fatalf("%s: exit %d", name, cmd.ProcessState.ExitCode())
			}
		}
		slices.SortFunc(all, func(a, b time.Duration) int { return cmp.Compare(a, b) })
		b.Logf("%-32s median %v, slowest %v", name, all[len(all)/2].Round(100*time.Microsecond), all[len(all)-1].Round(100*time.Microsecond))
		return all[len(all)/2]
	}
	for b.Loop() {
		guard := func() *exec.Cmd { return command("stale", "--guard", "--session", id, file) }
		alone := median("without the background process", exitStale, guard)
		benchRun(b, env, binary(), "mount")
		warm := median("with it", exitStale, guard)
		must(b, os.Chtimes(file, time.Unix(1, 0), time.Unix(1, 0)))
		git := median("git diff --no-index", 1, func() *exec.Cmd { return exec.Command("git", "diff", "--no-index", "--quiet", file, other) })
		b.ReportMetric(float64(warm)/float64(git), "guard/git")
		b.ReportMetric(float64(alone)/float64(git), "alone/git")
		must(b, os.Chtimes(file, time.Now(), time.Now()))
		benchRun(b, env, binary(), "unmount")
	}
}
