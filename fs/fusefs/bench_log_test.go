package fusefs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"ctxfs/fs"
)

// BenchmarkLogLatency measures how long a line takes from being written to a
// log until a program that follows it through the mount has it, in
// milliseconds, where the provider announces it at once.
func BenchmarkLogLatency(b *testing.B) {
	for _, way := range []string{"fstat", "reopen"} {
		for _, interval := range []time.Duration{50 * time.Millisecond, 3 * time.Millisecond} {
			b.Run(fmt.Sprintf("%s/every-%v", way, interval), func(b *testing.B) {
				const lines = 400
				path := filepath.Join(b.TempDir(), "log")
				f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
				if err != nil {
					b.Fatal(err)
				}
				defer f.Close()
				tree := fs.NewTree(fs.NewFolder(epoch, map[string]fs.Node{"log": fs.NewLog(path, 0)}), fs.TreeOptions{})
				m, err := New(tree, b.TempDir(), Options{Log: slog.New(slog.DiscardHandler)})
				if err != nil {
					b.Skipf("no FUSE here: %v", err)
				}
				defer m.Unmount()
				exe, err := os.Executable()
				if err != nil {
					b.Fatal(err)
				}
				reader := exec.Command(exe, filepath.Join(m.Dir(), "log"), strconv.Itoa(lines), way)
				reader.Env = append(os.Environ(), helperVar+"=latency")
				reader.Stderr = os.Stderr
				out, err := reader.StdoutPipe()
				if err != nil {
					b.Fatal(err)
				}
				if err := reader.Start(); err != nil {
					b.Fatal(err)
				}
				tick := time.NewTicker(interval)
				defer tick.Stop()
				for range lines {
					<-tick.C
					fmt.Fprintf(f, "%d\n", time.Now().UnixNano())
					tree.Changed("log")
				}
				var took []float64
				if err := json.NewDecoder(out).Decode(&took); err != nil {
					b.Error(err)
				}
				if err := reader.Wait(); err != nil || len(took) == 0 {
					b.Fatal(err)
				}
				slices.Sort(took)
				b.ReportMetric(took[len(took)/2], "median-ms")
				b.ReportMetric(took[len(took)*99/100], "p99-ms")
				b.ReportMetric(took[len(took)-1], "max-ms")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// helpLatency follows a log of lines that hold the time at which they were
// written, and prints the age of each when it arrived.
func helpLatency(args []string) error {
	lines, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	f, err := os.Open(args[0])
	if err != nil {
		return err
	}
	tick := time.NewTicker(500 * time.Microsecond)
	defer tick.Stop()
	var took []float64
	var off int64
	var text []byte
	buf := make([]byte, 1<<16)
	for len(took) < lines {
		<-tick.C
		if args[2] == "reopen" {
			f.Close()
			if f, err = os.Open(args[0]); err != nil {
				return err
			}
			if _, err := io.Copy(io.Discard, io.NewSectionReader(f, 0, off)); err != nil {
				return err
			}
		}
		if _, err := f.Stat(); err != nil {
			return err
		}
		n, err := f.ReadAt(buf, off)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		now := time.Now()
		off += int64(n)
		text = append(text, buf[:n]...)
		for {
			line, rest, ok := bytes.Cut(text, []byte{'\n'})
			if !ok {
				break
			}
			text = rest
			written, err := strconv.ParseInt(string(line), 10, 64)
			if err != nil {
				return err
			}
			took = append(took, float64(now.UnixNano()-written)/1e6)
		}
	}
	return json.NewEncoder(os.Stdout).Encode(took)
}
