package procs

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	fstest.Must(t, err)
	t.Cleanup(func() {
		r.Close()
		w.Close()
	})
	return r, w
}

// TestReadAfterTheEnd: what was printed before a program ended arrives, even if nobody has
// read until then, and whoever prints on is not read for ever.
func TestReadAfterTheEnd(t *testing.T) {
	r, w := pipe(t) // w stays open, as what was left behind holds it
	const text = "the last words\n"
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	fstest.Must(t, r.SetReadDeadline(time.Unix(1, 0)))
	got, err := io.ReadAll(NewOutput(r))
	if err != nil || string(got) != text {
		t.Errorf("read %q (%v)", got, err)
	}

	go func() {
		line := strings.Repeat("more\n", 1000)
		for {
			if _, err := io.WriteString(w, line); err != nil {
				return
			}
		}
	}()
	if n, err := io.Copy(io.Discard, NewOutput(r)); err != nil || n > 2*drainSize {
		t.Errorf("%d bytes were read of what prints on (%v)", n, err)
	}
}

// TestReadToTheEnd: without a deadline a pipe is read until it is closed.
func TestReadToTheEnd(t *testing.T) {
	r, w := pipe(t)
	go func() {
		for range 1000 {
			_, _ = io.WriteString(w, "line\n")
		}
		w.Close()
	}()
	if got, err := io.ReadAll(NewOutput(r)); err != nil || len(got) != 5000 {
		t.Errorf("%d bytes (%v)", len(got), err)
	}
}

// TestRelaySlow: what is on its way when a program ends is read, however slow the reader is.
func TestRelaySlow(t *testing.T) {
	r, w := pipe(t) // somebody has w open still
	sent := bytes.Repeat([]byte("0123456789abcdef"), 4096-1)
	if _, err := w.Write(sent); err != nil {
		t.Fatal(err)
	}
	var got []byte
	Relay(r, func(p []byte) {
		if got == nil {
			_, _ = w.Write([]byte("last"))
			_ = r.SetReadDeadline(time.Unix(1, 0))
		}
		got = append(got, p...)
	})
	if want := append(sent, "last"...); !bytes.Equal(got, want) {
		t.Errorf("%d bytes of %d", len(got), len(want))
	}
}
