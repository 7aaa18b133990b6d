package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

// BenchmarkAgentRun runs a program by hand, in a terminal, and as an agent by ctxfs agent
// run, in turn, and prints what the latter adds: processor time, user and system, of all
// processes of a run, and how much later its end is known.
func BenchmarkAgentRun(b *testing.B) {
	box := benchBox(b)
	program := filepath.Join(box.home, "agent")
	must(b, fstest.WriteProgram(program, []byte("#!/bin/sh\necho \"did $1\"\n"), 0o700))
	config := filepath.Join(box.home, ".config/ctxfs/config.toml")
	must(b, os.MkdirAll(filepath.Dir(config), 0o700))
	must(b, os.WriteFile(config, fmt.Appendf(nil, "[agents.bench]\ncommand = [%q]\n", program), 0o600))
	spent := func(argv ...string) (processor, wall time.Duration) {
		begun := time.Now()
		cmd, master := box.inTerminal(b, argv)
		defer master.Close()
		_, _ = io.Copy(io.Discard, master) // ends as terminals do
		if err := cmd.Wait(); err != nil {
			b.Fatal(err, argv)
		}
		// Every process of a run is waited for by the one that has started it, so the
		// figures of the first contain those of all.
		return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), time.Since(begun)
	}
	median := func(all []time.Duration) float64 {
		slices.Sort(all)
		return float64(all[len(all)/2].Microseconds()) / 1e3
	}
	for _, kind := range []struct {
		name  string
		flags []string
	}{{"run", nil}, {"read-only", []string{"--read-only"}}} {
		b.Run(kind.name, func(b *testing.B) {
			argv := slices.Concat([]string{binary(), "agent", "run", "--agent", "bench", "--repo", box.home}, kind.flags, []string{"x"})
			for b.Loop() {
				var added, later, first, version []time.Duration
				for range 15 {
					alone, aloneWall := spent(program, "x")
					with, withWall := spent(argv...)
					start, _ := spent(binary(), "--version")
					added, later = append(added, with-alone), append(later, withWall-aloneWall)
					first, version = append(first, alone), append(version, start)
				}
				b.ReportMetric(median(added), "added-cpu-ms")
				b.ReportMetric(median(later), "added-ms")
				b.ReportMetric(median(first), "alone-cpu-ms")
				b.ReportMetric(median(version), "version-cpu-ms")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}
