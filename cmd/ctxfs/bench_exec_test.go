package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkExec reads the folder of a command through a mount: a file that is not listed,
// whose command runs, beside that command by hand; and rg over 1,000 files that are listed,
// beside the same files on disk.
func BenchmarkExec(b *testing.B) {
	const listed = 1000
	env, _ := benchServers(b, 0, 0)
	home, configs := "", ""
	for _, v := range env {
		if rest, ok := strings.CutPrefix(v, "HOME="); ok {
			home = rest
		}
		if rest, ok := strings.CutPrefix(v, "XDG_CONFIG_HOME="); ok {
			configs = filepath.Join(rest, "ctxfs")
		}
	}
	disk := filepath.Join(home, "disk")
	must(b, os.MkdirAll(disk, 0o700))
	for i := range listed {
		must(b, os.WriteFile(filepath.Join(disk, fmt.Sprintf("%04d.txt", i)), []byte(strings.Repeat("some words of an issue\n", 200)), 0o600))
	}
	must(b, os.MkdirAll(configs, 0o700))
	config := fmt.Sprintf("[exec.x]\nmost = %d\n\"all/\" = [\"ls\", %q]\n\"all/{name}\" = [\"cat\", \"%s/{name}\"]\n\"one/{name}\" = [\"echo\", \"{name}\"]\n", listed, disk, disk)
	must(b, os.WriteFile(filepath.Join(configs, "config.toml"), []byte(config), 0o600))
	benchRun(b, env, binary(), "mount")
	benchRun(b, env, binary(), "exec", "refresh")
	tree := filepath.Join(home, ".agentctx/exec/x")
	median := func(name string, run func(n int)) time.Duration {
		var all []time.Duration
		for n := range 21 {
			begun := time.Now()
			run(n)
			all = append(all, time.Since(begun))
		}
		slices.SortFunc(all, func(a, b time.Duration) int { return cmp.Compare(a, b) })
		b.Logf("%-32s median %v, slowest %v", name, all[len(all)/2].Round(100*time.Microsecond), all[len(all)-1].Round(100*time.Microsecond))
		return all[len(all)/2]
	}
	search := func(dir string) func(int) {
		return func(int) {
			out, err := exec.Command("rg", "--no-ignore", "-c", "issue", dir).Output()
			if err != nil || strings.Count(string(out), "\n") != listed {
				b.Fatalf("%v: %d files", err, strings.Count(string(out), "\n"))
			}
		}
	}
	for round := 0; b.Loop(); round++ {
		hand := median("a command by hand", func(int) { must(b, exec.Command("echo", "x").Run()) })
		first := median("the same, by its first reader", func(n int) {
			if _, err := os.ReadFile(filepath.Join(tree, "one", fmt.Sprintf("r%dn%d", round, n))); err != nil {
				b.Fatal(err)
			}
		})
		again := median("a file that is listed", func(n int) {
			if _, err := os.ReadFile(filepath.Join(tree, "one", fmt.Sprintf("r%dn%d", round, n))); err != nil {
				b.Fatal(err)
			}
		})
		onDisk := median("rg over 1,000 files on disk", search(disk))
		listed := median("rg over the same in exec/", search(filepath.Join(tree, "all")))
		b.ReportMetric(float64(first)/float64(hand), "first/hand")
		b.ReportMetric(float64(again)/float64(time.Millisecond), "listed-ms")
		b.ReportMetric(float64(listed)/float64(onDisk), "rg/disk")
	}
}
