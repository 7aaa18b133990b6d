package pipes

import (
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// TestReadAfterTheDeadline: what was printed before the deadline arrives, even if nobody
// has read until then, and whoever prints on is not read for ever.
func TestReadAfterTheDeadline(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close() // as what was left behind holds it
	const text = "the last words\n"
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := r.SetReadDeadline(time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(NewReader(r))
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
	if n, err := io.Copy(io.Discard, NewReader(r)); err != nil || n > 2*maxLeft {
		t.Errorf("%d bytes were read of what prints on (%v)", n, err)
	}
}

// TestReadToTheEnd: without a deadline a pipe is read until it is closed.
func TestReadToTheEnd(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	go func() {
		for range 1000 {
			_, _ = io.WriteString(w, "line\n")
		}
		w.Close()
	}()
	if got, err := io.ReadAll(NewReader(r)); err != nil || len(got) != 5000 {
		t.Errorf("%d bytes (%v)", len(got), err)
	}
}
