package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"ctxfs/fs/fstest"
	"ctxfs/providers/terminals/record"
)

// floodSize is how much text BenchmarkTermFlood shows.
const floodSize = 128 << 20

// BenchmarkTermFlood compares cat of a large file in ctxfs term with script(1),
// which keeps the bytes only. It prints the ratio, and fails if anything is lost
// or the clean text is not that of the file.
func BenchmarkTermFlood(b *testing.B) {
	box := benchBox(b)
	path := filepath.Join(box.dir, "flood")
	must(b, writeFlood(path))
	defer os.Remove(path)
	var times [2]time.Duration
	for b.Loop() {
		for i, argv := range [][]string{
			{"script", "-qec", "cat " + path, filepath.Join(box.dir, "typescript")},
			{binary(), "term", "--name", "flood", "--", "cat", path},
		} {
			began := time.Now()
			shown := box.shownBy(b, argv)
			times[i] += time.Since(began)
			if shown < floodSize {
				b.Fatalf("%s has shown %d bytes of %d", argv[0], shown, floodSize)
			}
		}
		dir := filepath.Join(box.state, "ctxfs/terminals/flood")
		if !fstest.Becomes(func() bool { t, err := record.LoadState(dir); return err == nil && !t.Running() }) {
			b.Fatal("it goes on")
		}
		must(b, sameAsParts(path, dir))
		must(b, os.RemoveAll(dir))
	}
	report(b, times)
	b.ReportMetric(float64(floodSize)/1e6/(times[1].Seconds()/float64(b.N)), "MB/s")
}

func report(b *testing.B, times [2]time.Duration) {
	b.ReportMetric(times[1].Seconds()/times[0].Seconds(), "×script")
	b.ReportMetric(times[0].Seconds()/float64(b.N), "script-s")
	b.ReportMetric(times[1].Seconds()/float64(b.N), "term-s")
}

// writeFlood writes a log of plain text.
func writeFlood(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	for n, size := 0, 0; size < floodSize; n++ {
		line, _ := fmt.Fprintf(w, "2026-11-21T06:%02d:%02d.%06d INFO worker-%d request %d served in %d ms\n", n/60%60, n%60, n%1000000, n%8, n, n%977)
		size += line
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// sameAsParts compares a file with the parts of a log.
func sameAsParts(path, dir string) error {
	t, err := record.LoadState(dir)
	if err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for _, part := range t.Parts {
		text, err := os.ReadFile(t.Path(part.Number))
		if err != nil {
			return err
		}
		text = text[t.HeaderLen:]
		want := make([]byte, len(text))
		if _, err := io.ReadFull(f, want); err != nil {
			return fmt.Errorf("part %d is longer than the rest: %w", part.Number, err)
		}
		if !bytes.Equal(text, want) {
			return fmt.Errorf("part %d has another text", part.Number)
		}
	}
	if n, _ := f.Read(make([]byte, 1)); n > 0 {
		return fmt.Errorf("the end is lost, after %d parts", len(t.Parts))
	}
	return nil
}

// benchBox is a box without checks.
func benchBox(b *testing.B) *box {
	b.Helper()
	for _, p := range []string{"script"} {
		if _, err := exec.LookPath(p); err != nil {
			b.Skipf("%s is not installed", p)
		}
	}
	dir, err := os.MkdirTemp(base, "")
	must(b, err)
	b.Cleanup(func() { os.RemoveAll(dir) })
	x := &box{dir: dir, home: filepath.Join(dir, "h"), state: filepath.Join(dir, "st")}
	must(b, os.MkdirAll(x.home, 0o700))
	x.env = []string{
		"HOME=" + x.home, "XDG_STATE_HOME=" + x.state, "XDG_RUNTIME_DIR=" + dir, "PATH=" + os.Getenv("PATH"),
		"LC_ALL=C.UTF-8", "TERM=xterm", "SHELL=/bin/sh",
	}
	return x
}

// inTerminal starts a program in a new terminal.
func (b *box) inTerminal(t testing.TB, argv []string) (*exec.Cmd, *os.File) {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = b.dir, b.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	master, slave, err := pty.Open()
	must(t, err)
	must(t, pty.Setsize(master, &pty.Winsize{Rows: 40, Cols: 120}))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	must(t, cmd.Start())
	slave.Close()
	return cmd, master
}

// shownBy is how many bytes a program shows.
func (b *box) shownBy(t testing.TB, argv []string) (shown int64) {
	t.Helper()
	cmd, master := b.inTerminal(t, argv)
	defer master.Close()
	shown, _ = io.Copy(io.Discard, master) // ends as terminals do
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	return shown
}

// BenchmarkTermEcho compares how long a key takes to be shown, in ctxfs term and
// in script(1), taking turns. It prints both medians in µs.
func BenchmarkTermEcho(b *testing.B) {
	box := benchBox(b)
	type side struct {
		cmd    *exec.Cmd
		master *os.File
		took   []time.Duration
	}
	var sides [2]side
	for i, argv := range [][]string{
		{"script", "-qec", "cat", filepath.Join(box.dir, "typescript")},
		{binary(), "term", "--name", "echo", "--", "cat"},
	} {
		sides[i].cmd, sides[i].master = box.inTerminal(b, argv)
		defer sides[i].master.Close()
	}
	buf := make([]byte, 1024)
	key := func(s *side, c byte) time.Duration {
		began := time.Now()
		_, err := s.master.Write([]byte{c})
		must(b, err)
		for {
			n, err := s.master.Read(buf)
			must(b, err)
			if bytes.IndexByte(buf[:n], c) >= 0 {
				return time.Since(began)
			}
		}
	}
	pause := time.NewTicker(5 * time.Millisecond) // people type slowly
	defer pause.Stop()
	for n := 0; n < 100 || b.Loop(); n++ {
		for i := range sides {
			<-pause.C
			took := key(&sides[i], "abcdefghij"[n%10])
			if n%60 == 59 {
				key(&sides[i], '\r')
			}
			if n >= 100 {
				sides[i].took = append(sides[i].took, took)
			}
		}
	}
	for i, name := range []string{"script", "term"} {
		s := &sides[i]
		slices.Sort(s.took)
		micros := func(q int) float64 { return float64(s.took[len(s.took)*q/100].Nanoseconds()) / 1e3 }
		b.ReportMetric(micros(50), name+"-p50-µs")
		b.ReportMetric(micros(99), name+"-p99-µs")
		_, _ = s.master.Write([]byte("\r\x04"))
		_ = s.cmd.Wait()
	}
}
