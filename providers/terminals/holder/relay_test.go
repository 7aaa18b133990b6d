package holder

import (
	"bytes"
	"os"
	"testing"
	"time"
)

// TestRelaySlow: what is on its way when a program ends is read, however slow
// the reader is.
func TestRelaySlow(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close() // somebody has it open still
	sent := bytes.Repeat([]byte("0123456789abcdef"), 4096-1)
	if _, err := w.Write(sent); err != nil {
		t.Fatal(err)
	}
	var got []byte
	relay(r, func(p []byte) {
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
