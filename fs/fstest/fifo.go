package fstest

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// FIFO is a named pipe by which programs that a test starts tell how far they are, or wait
// for the test: they write lines to it, read one, or only keep it open as long as they live.
type FIFO struct {
	Path string

	t     testing.TB
	lines *bufio.Reader
	both  *os.File // open for reading and writing: who opens the pipe never waits
}

// NewFIFO makes a FIFO, which lasts as long as the test.
func NewFIFO(t testing.TB) *FIFO {
	t.Helper()
	f := &FIFO{Path: filepath.Join(t.TempDir(), "fifo"), t: t}
	if err := syscall.Mkfifo(f.Path, 0o600); err != nil {
		t.Fatal(err)
	}
	f.both = f.open(os.O_RDWR)
	f.lines = bufio.NewReader(f.both)
	return f
}

func (f *FIFO) open(flag int) *os.File {
	f.t.Helper()
	file, err := os.OpenFile(f.Path, flag|syscall.O_NONBLOCK, 0)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { file.Close() })
	return file
}

// Line waits for the next line and returns it without its end.
func (f *FIFO) Line() string {
	f.t.Helper()
	_ = f.both.SetReadDeadline(time.Now().Add(Patience))
	line, err := f.lines.ReadString('\n')
	if err != nil {
		f.t.Fatalf("no line was written: %v", err)
	}
	return strings.TrimSuffix(line, "\n")
}

// Release lets one program go on that reads a line from the FIFO.
func (f *FIFO) Release() {
	f.t.Helper()
	if _, err := f.both.WriteString("\n"); err != nil {
		f.t.Fatal(err)
	}
}

// Left waits until no program has the FIFO open. It is the last call.
func (f *FIFO) Left() {
	f.t.Helper()
	reader := f.open(os.O_RDONLY)
	f.both.Close()
	_ = reader.SetReadDeadline(time.Now().Add(Patience))
	if _, err := io.Copy(io.Discard, reader); err != nil {
		f.t.Fatalf("it is still open elsewhere: %v", err)
	}
}
